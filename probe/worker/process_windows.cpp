#include "patterns/model/error.h"
#include "probe/worker/process.h"
#include "system/wide.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <thread>
// Must follow the header that it needs.
#include <shellapi.h>

namespace tilewise::probe::worker {

using system::utf8;
using system::wide;

/// Closed with its object.
class Handle {
public:
    Handle() = default;
    explicit Handle(HANDLE handle) : handle_(handle == INVALID_HANDLE_VALUE ? nullptr : handle) {}
    Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Handle() {
        if (handle_) CloseHandle(handle_);
    }
    HANDLE get() const { return handle_; }
    explicit operator bool() const { return handle_ != nullptr; }

private:
    HANDLE handle_ = nullptr;
};

namespace {

[[noreturn]] void cannot_start(const char* what) {
    throw Error(fmt::format("cannot start a process: {}: error {}", what, GetLastError()));
}

}  // namespace

// ------------------------------------------------------------------------------------------------------------ streams

/// A pipe from which a read is always under way: its event signals that something has come.
struct Stream::State {
    Handle pipe, event{CreateEventW(nullptr, TRUE, FALSE, nullptr)};
    OVERLAPPED reading = {};
    std::array<char, 65536> bytes;
    size_t at = 0, end = 0;
    bool is_reading = false, has_ended = false;

    explicit State(Handle opened) : pipe(std::move(opened)) {
        reading.hEvent = event.get();
        read_on();
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
        if (!is_reading) return;
        CancelIoEx(pipe.get(), &reading);
        DWORD got = 0;
        GetOverlappedResult(pipe.get(), &reading, &got, TRUE);
    }

    /// Begins to read if nothing is left and no read is under way.
    void read_on() {
        if (has_ended || is_reading || at < end) return;
        at = end = 0;
        ResetEvent(event.get());
        is_reading = ReadFile(pipe.get(), bytes.data(), static_cast<DWORD>(bytes.size()), nullptr, &reading) != 0 ||
                     GetLastError() == ERROR_IO_PENDING;
        if (!is_reading) end_here();
    }
    /// Records the result of a read that has finished.
    void look() {
        if (!is_reading) return;
        DWORD got = 0;
        if (GetOverlappedResult(pipe.get(), &reading, &got, FALSE)) {
            is_reading = false;
            end = got;
        } else if (GetLastError() != ERROR_IO_INCOMPLETE) {
            is_reading = false;
            end_here();
        }
    }
    bool is_ready() {
        look();
        read_on();
        look();
        return has_ended || at < end;
    }

private:
    void end_here() {
        has_ended = true;
        SetEvent(event.get());
    }
};

Stream::Stream() = default;
Stream::Stream(std::unique_ptr<State> state) : state_(std::move(state)) {}
Stream::Stream(Stream&& other) noexcept = default;
Stream& Stream::operator=(Stream&& other) noexcept = default;
Stream::~Stream() = default;

void Stream::close() { state_.reset(); }

bool Stream::send(const void* data, size_t size) {
    const auto* at = static_cast<const char*>(data);
    while (state_ && size > 0) {
        constexpr size_t most = 1 << 20;
        const Handle written(CreateEventW(nullptr, TRUE, FALSE, nullptr));
        OVERLAPPED writing = {};
        writing.hEvent = written.get();
        DWORD sent = 0;
        const HANDLE pipe = state_->pipe.get();
        if (!WriteFile(pipe, at, static_cast<DWORD>(std::min(size, most)), nullptr, &writing) &&
            GetLastError() != ERROR_IO_PENDING)
            return false;
        if (!GetOverlappedResult(pipe, &writing, &sent, TRUE)) return false;
        at += sent;
        size -= sent;
    }
    return size == 0;
}

std::optional<size_t> Stream::receive(void* data, size_t size) {
    if (!state_) return {};
    if (!state_->is_ready()) return 0;
    if (state_->at == state_->end) return {};
    const size_t taken = std::min(size, state_->end - state_->at);
    std::memcpy(data, state_->bytes.data() + state_->at, taken);
    state_->at += taken;
    state_->read_on();
    return taken;
}

bool Stream::is_ready() const { return !state_ || state_->is_ready(); }

bool wait_for_streams(std::span<const Stream* const> streams, std::chrono::milliseconds at_most) {
    std::vector<HANDLE> events;
    for (const Stream* stream : streams) {
        if (!stream->is_open()) continue;
        if (stream->is_ready()) return true;
        if (events.size() < MAXIMUM_WAIT_OBJECTS) events.push_back(stream->state()->event.get());
    }
    const DWORD ms = at_most.count() < 0 ? INFINITE : static_cast<DWORD>(at_most.count());
    if (events.empty())
        Sleep(ms);
    else
        WaitForMultipleObjects(static_cast<DWORD>(events.size()), events.data(), FALSE, ms);
    return true;
}

namespace {

/// How the other end of a pipe is read and written: as a Stream does it, or as stdin, stdout and stderr are.
enum class OtherEnd { stream, plain };

/// Both ends of a pipe; the second one goes to a process that is started.
std::pair<Handle, Handle> pipe_ends(OtherEnd other) {
    static std::atomic<unsigned> count = 0;
    LARGE_INTEGER ticks = {};
    QueryPerformanceCounter(&ticks);
    const std::wstring name =
        wide(fmt::format(R"(\\.\pipe\tilewise-{}-{}-{:x})", GetCurrentProcessId(), count++, ticks.QuadPart));
    constexpr DWORD buffer_bytes = 1 << 20;
    Handle first(CreateNamedPipeW(name.c_str(),
                                  PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
                                  PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS, 1,
                                  buffer_bytes, buffer_bytes, 0, nullptr));
    if (!first) cannot_start("CreateNamedPipe");
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, nullptr, TRUE};
    Handle second(CreateFileW(name.c_str(), GENERIC_READ | GENERIC_WRITE, 0, &inherited, OPEN_EXISTING,
                              other == OtherEnd::stream ? FILE_FLAG_OVERLAPPED : 0, nullptr));
    if (!second) cannot_start("CreateFile of a pipe");
    return {std::move(first), std::move(second)};
}

Stream stream_of(Handle handle) { return Stream(std::make_unique<Stream::State>(std::move(handle))); }

}  // namespace

std::pair<Stream, Stream> make_channel() {
    auto ends = pipe_ends(OtherEnd::stream);
    return {stream_of(std::move(ends.first)), stream_of(std::move(ends.second))};
}

// -------------------------------------------------------------------------------------------------- how it was started

namespace {

constexpr const char* marker = "--as-process-of";
bool is_prepared = false;

/// The words after the marker, in this order; the role's arguments follow. Handles are numbers that both processes
/// know.
enum Word : size_t { parent_word = 2, role_word, channel_word, interrupt_word, word_count };

/// Quoted so that CommandLineToArgvW and the C library's startup code recover the word.
void append_quoted(std::wstring& line, const std::wstring& word) {
    if (!line.empty()) line += L' ';
    line += L'"';
    size_t backslashes = 0;
    for (const wchar_t c : word) {
        // Backslashes before a quotation mark count double, and one more makes the mark a part of the word.
        if (c == L'"') line.append(backslashes + 1, L'\\');
        backslashes = c == L'\\' ? backslashes + 1 : 0;
        line += c;
    }
    line.append(backslashes, L'\\');
    line += L'"';
}

struct ExceptionName {
    DWORD code;
    const char* name;
};
constexpr ExceptionName exception_names[] = {
    {EXCEPTION_ACCESS_VIOLATION, "access violation"},
    {EXCEPTION_IN_PAGE_ERROR, "in-page error"},
    {EXCEPTION_ILLEGAL_INSTRUCTION, "illegal instruction"},
    {EXCEPTION_PRIV_INSTRUCTION, "privileged instruction"},
    {EXCEPTION_INT_DIVIDE_BY_ZERO, "integer division by zero"},
    {EXCEPTION_STACK_OVERFLOW, "stack overflow"},
    {EXCEPTION_DATATYPE_MISALIGNMENT, "misaligned access"},
    {EXCEPTION_BREAKPOINT, "breakpoint"},
    {0xc0000374, "heap corruption"},
    {0xc0000409, "fast fail"},
    {0xc0000135, "DLL not found"},
    {0xc0000142, "DLL initialization failed"},
};

/// "" for a status that is not an exception.
std::string exception_name(DWORD status) {
    const auto* found = std::ranges::find(exception_names, status, &ExceptionName::code);
    if (found != std::end(exception_names)) return found->name;
    return status >= 0xc0000000 ? fmt::format("exception 0x{:08x}", status) : "";
}

/// The last words of a crashing process: what happened in which module. No dialog appears, and no other handler runs.
LONG WINAPI say_and_end(EXCEPTION_POINTERS* exception) {
    const DWORD code = exception->ExceptionRecord->ExceptionCode;
    HMODULE module = nullptr;
    std::array<wchar_t, MAX_PATH> path = {};
    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                       static_cast<const wchar_t*>(exception->ExceptionRecord->ExceptionAddress), &module);
    if (module && GetModuleFileNameW(module, path.data(), static_cast<DWORD>(path.size())) > 0) {
        const std::wstring_view whole = path.data();
        std::array<char, 600> line = {};
        const auto end = fmt::format_to_n(line.data(), line.size() - 1, "{} in {}\n", exception_name(code),
                                          utf8(whole.substr(whole.find_last_of(L"\\/") + 1)))
                             .out;
        DWORD written = 0;
        WriteFile(GetStdHandle(STD_ERROR_HANDLE), line.data(), static_cast<DWORD>(end - line.data()), &written,
                  nullptr);
    }
    TerminateProcess(GetCurrentProcess(), code);
    return EXCEPTION_EXECUTE_HANDLER;
}

/// A handle that was inherited, by its number.
Handle inherited_handle(const std::string& word) {
    uint64_t number = 0;
    std::from_chars(word.data(), word.data() + word.size(), number);
    return Handle(reinterpret_cast<HANDLE>(static_cast<uintptr_t>(number)));
}

std::string handle_word(const Handle& handle) {
    return std::to_string(static_cast<uint64_t>(reinterpret_cast<uintptr_t>(handle.get())));
}

std::vector<std::string> words_of_command_line() {
    int count = 0;
    wchar_t** words = CommandLineToArgvW(GetCommandLineW(), &count);
    std::vector<std::string> all;
    for (int i = 0; i < count; ++i) all.push_back(utf8(words[i]));
    LocalFree(words);
    return all;
}

}  // namespace

std::optional<int> play_role(int, char**, std::span<const Role> roles) {
    is_prepared = true;
    // No dialogs ever, also in child processes, which inherit this.
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
    const std::vector<std::string> words = words_of_command_line();
    if (words.size() < word_count || words[1] != marker) return {};
    const auto role = std::ranges::find(roles, words[role_word], &Role::name);
    if (role == roles.end()) return 1;
    SetUnhandledExceptionFilter(say_and_end);
    Playing playing;
    if (words[channel_word] != "0") playing.channel = stream_of(inherited_handle(words[channel_word]));
    if (words[interrupt_word] != "0")
        std::thread([asked = inherited_handle(words[interrupt_word])] {
            WaitForSingleObject(asked.get(), INFINITE);
            std::raise(SIGINT);
        }).detach();
    playing.arguments.assign(words.begin() + word_count, words.end());
    const int code = role->play(playing);
    std::fflush(nullptr);
    return code;
}

std::vector<std::string> arguments_of(int, char**) {
    const std::vector<std::string> words = words_of_command_line();
    return {words.begin() + 1, words.end()};
}

// ---------------------------------------------------------------------------------------------------------- processes

struct Process::State {
    Handle process, job, asked_to_end;
    DWORD id = 0;
};

Process::Process() = default;
Process::Process(std::unique_ptr<State> state) : state_(std::move(state)) {}
Process::Process(Process&& other) noexcept = default;
Process& Process::operator=(Process&& other) noexcept {
    std::swap(channel, other.channel);
    std::swap(output, other.output);
    std::swap(errors, other.errors);
    std::swap(state_, other.state_);
    return *this;
}
Process::~Process() {
    if (exists()) kill();
}

namespace {

/// Everything started in the job ends with it, and with this program: a job ends when its last handle is closed.
Handle make_job(const Start& start) {
    Handle job(CreateJobObjectW(nullptr, nullptr));
    if (!job) cannot_start("CreateJobObject");
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {};
    limits.BasicLimitInformation.LimitFlags =
        JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
    if (start.more_memory_bytes != 0) {
        limits.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_PROCESS_MEMORY;
        limits.ProcessMemoryLimit = start.more_memory_bytes;
    }
    if (start.cpu_time.count() != 0) {
        limits.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_PROCESS_TIME;
        limits.BasicLimitInformation.PerProcessUserTimeLimit.QuadPart = start.cpu_time.count() * 10'000'000;
    }
    SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits);
    return job;
}

/// Attributes for a new process: it inherits only these handles, and never runs outside the job.
class StartAttributes {
public:
    StartAttributes(std::vector<HANDLE> inherited, HANDLE job) : inherited_(std::move(inherited)), job_(job) {
        constexpr DWORD count = 2;
        SIZE_T bytes = 0;
        InitializeProcThreadAttributeList(nullptr, count, 0, &bytes);
        memory_.resize(bytes);
        InitializeProcThreadAttributeList(list(), count, 0, &bytes);
        UpdateProcThreadAttribute(list(), 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, inherited_.data(),
                                  inherited_.size() * sizeof(HANDLE), nullptr, nullptr);
        UpdateProcThreadAttribute(list(), 0, PROC_THREAD_ATTRIBUTE_JOB_LIST, &job_, sizeof job_, nullptr, nullptr);
    }
    StartAttributes(const StartAttributes&) = delete;
    StartAttributes& operator=(const StartAttributes&) = delete;
    ~StartAttributes() { DeleteProcThreadAttributeList(list()); }
    LPPROC_THREAD_ATTRIBUTE_LIST list() { return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory_.data()); }

private:
    std::vector<HANDLE> inherited_;
    HANDLE job_;
    std::vector<std::byte> memory_;
};

std::wstring path_of_this_program() {
    std::wstring path(32768, L'\0');
    path.resize(GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size())));
    return path;
}

}  // namespace

Process start_process(const Start& start) {
    if (!is_prepared) throw Error("cannot start a process: this program's main() does not begin with play_role()");
    const bool has_input = !start.input.empty(), prints = start.prints != Start::Prints::nowhere,
               is_apart = start.prints == Start::Prints::apart;
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, nullptr, TRUE};
    const Handle nothing(CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                     &inherited, OPEN_EXISTING, 0, nullptr));
    auto state = std::make_unique<Process::State>();
    state->asked_to_end = Handle(CreateEventW(&inherited, TRUE, FALSE, nullptr));
    state->job = make_job(start);
    std::pair<Handle, Handle> channel, input, output, errors;
    if (start.has_channel) channel = pipe_ends(OtherEnd::stream);
    if (has_input) input = pipe_ends(OtherEnd::plain);
    if (prints) output = pipe_ends(OtherEnd::plain);
    if (is_apart) errors = pipe_ends(OtherEnd::plain);

    STARTUPINFOEXW startup = {};
    startup.StartupInfo.cb = sizeof startup;
    startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    startup.StartupInfo.hStdInput = has_input ? input.second.get() : nothing.get();
    startup.StartupInfo.hStdOutput = prints ? output.second.get() : nothing.get();
    startup.StartupInfo.hStdError = is_apart ? errors.second.get() : startup.StartupInfo.hStdOutput;
    std::vector<HANDLE> handles = {startup.StartupInfo.hStdInput, startup.StartupInfo.hStdOutput,
                                   startup.StartupInfo.hStdError, state->asked_to_end.get()};
    if (start.has_channel) handles.push_back(channel.second.get());
    std::ranges::sort(handles);
    handles.erase(std::unique(handles.begin(), handles.end()), handles.end());
    StartAttributes attributes(std::move(handles), state->job.get());
    startup.lpAttributeList = attributes.list();

    const std::wstring program = path_of_this_program();
    std::wstring line;
    append_quoted(line, program);
    std::vector<std::string> words = {marker, std::to_string(GetCurrentProcessId()), start.role,
                                      handle_word(channel.second), handle_word(state->asked_to_end)};
    words.insert(words.end(), start.arguments.begin(), start.arguments.end());
    for (const std::string& word : words) append_quoted(line, wide(word));
    PROCESS_INFORMATION started = {};
    constexpr DWORD flags =
        CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP | EXTENDED_STARTUPINFO_PRESENT | CREATE_UNICODE_ENVIRONMENT;
    if (!CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, TRUE, flags, nullptr, nullptr,
                        &startup.StartupInfo, &started))
        cannot_start("CreateProcess");
    CloseHandle(started.hThread);
    state->process = Handle(started.hProcess);
    state->id = started.dwProcessId;
    Process process(std::move(state));
    if (start.has_channel) process.channel = stream_of(std::move(channel.first));
    if (prints) process.output = stream_of(std::move(output.first));
    if (is_apart) process.errors = stream_of(std::move(errors.first));
    if (has_input) {
        input.second = Handle();
        stream_of(std::move(input.first)).send(start.input.data(), start.input.size());
    }
    return process;
}

bool Process::has_ended() const { return exists() && WaitForSingleObject(state_->process.get(), 0) == WAIT_OBJECT_0; }

bool Process::wait(std::chrono::milliseconds at_most) const {
    return WaitForSingleObject(state_->process.get(), static_cast<DWORD>(at_most.count())) == WAIT_OBJECT_0;
}

ProcessEnd Process::kill(std::string_view last_words) {
    constexpr UINT killed = 137;
    const bool ended = has_ended();
    TerminateJobObject(state_->job.get(), killed);
    // Also if it is in no job.
    TerminateProcess(state_->process.get(), killed);
    WaitForSingleObject(state_->process.get(), INFINITE);
    DWORD status = 0;
    GetExitCodeProcess(state_->process.get(), &status);
    state_.reset();
    constexpr DWORD of_abort = 3;  // the C library's
    ProcessEnd end;
    end.succeeded = ended && status == 0;
    end.aborted = ended && (status == of_abort || status == 0xc0000409);
    end.out_of_time = !ended || status == ERROR_NOT_ENOUGH_QUOTA;
    const std::string exception = exception_name(status);
    end.cause = exception.empty() ? fmt::format("its process left with status {}", status) : exception;
    // The exception handler's message is complete.
    if (!exception.empty() && last_words.starts_with(exception))
        end.cause = last_words;
    else if (!last_words.empty())
        end.cause += fmt::format(": {}", last_words);
    return end;
}

void Process::interrupt() const { SetEvent(state_->asked_to_end.get()); }

bool Process::read_memory(uint64_t address, std::span<std::byte> to) const {
    SIZE_T got = 0;
    return ReadProcessMemory(state_->process.get(), reinterpret_cast<const void*>(static_cast<uintptr_t>(address)),
                             to.data(), to.size(), &got) != 0 &&
           got == to.size();
}

int64_t Process::id() const { return exists() ? static_cast<int64_t>(state_->id) : -1; }

}  // namespace tilewise::probe::worker
