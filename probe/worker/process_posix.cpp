#include "patterns/model/error.h"
#include "patterns/model/parallel.h"
#include "probe/worker/process.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tilewise::probe::worker {

// ------------------------------------------------------------------------------------------------------------ streams

struct Stream::State {
    int file = -1;
    explicit State(int opened) : file(opened) { fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() { ::close(file); }
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
        const ssize_t sent = ::send(state_->file, at, size, MSG_NOSIGNAL);
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            pollfd file = {state_->file, POLLOUT, 0};
            poll(&file, 1, -1);
        } else if (sent < 0 && errno != EINTR) {
            return false;
        }
        if (sent <= 0) continue;
        at += sent;
        size -= static_cast<size_t>(sent);
    }
    return size == 0;
}

std::optional<size_t> Stream::receive(void* data, size_t size) {
    if (!state_) return {};
    for (;;) {
        const ssize_t got = read(state_->file, data, size);
        if (got > 0) return static_cast<size_t>(got);
        if (got == 0) return {};
        if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
        if (errno != EINTR) return {};
    }
}

bool Stream::is_ready() const {
    pollfd file = {state_ ? state_->file : -1, POLLIN, 0};
    return poll(&file, 1, 0) != 0 || !state_;
}

bool wait_for_streams(std::span<const Stream* const> streams, std::chrono::milliseconds at_most) {
    std::vector<pollfd> files;
    for (const Stream* stream : streams)
        if (stream->is_open()) files.push_back({stream->state()->file, POLLIN, 0});
    return poll(files.data(), files.size(), static_cast<int>(at_most.count())) >= 0;
}

namespace {

[[noreturn]] void cannot_start(const char* what) {
    throw Error(fmt::format("cannot start a process: {}: {}", what, std::strerror(errno)));
}

/// A file, closed with its object, whose descriptor is not one of those that a process starts with.
struct OwnFile {
    int number = -1;
    explicit OwnFile(int opened) {
        constexpr int first = 10;
        number = fcntl(opened, F_DUPFD_CLOEXEC, first);
        close(opened);
    }
    OwnFile(OwnFile&& other) noexcept : number(std::exchange(other.number, -1)) {}
    OwnFile& operator=(OwnFile&&) = delete;
    ~OwnFile() { close_now(); }
    void close_now() {
        if (number >= 0) close(std::exchange(number, -1));
    }
    Stream as_stream() { return Stream(std::make_unique<Stream::State>(std::exchange(number, -1))); }
};

using Ends = std::pair<OwnFile, OwnFile>;

Ends socket_ends() {
    std::array<int, 2> ends = {};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) cannot_start("socketpair");
    // Tables are megabytes: the fewer transfers they take, the better. The system may allow less.
    constexpr int channel_bytes = 4 << 20;
    for (const int end : ends) setsockopt(end, SOL_SOCKET, SO_SNDBUF, &channel_bytes, sizeof channel_bytes);
    return {OwnFile(ends[0]), OwnFile(ends[1])};
}

/// The first one is read.
Ends pipe_ends() {
    std::array<int, 2> ends = {};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) cannot_start("pipe");
    return {OwnFile(ends[0]), OwnFile(ends[1])};
}

}  // namespace

std::pair<Stream, Stream> make_channel() {
    Ends ends = socket_ends();
    return {ends.first.as_stream(), ends.second.as_stream()};
}

// -------------------------------------------------------------------------------------------------- how it was started

namespace {

/// The command that starts this program: its name; or a dynamic loader with its options, followed by the program.
std::vector<std::string> self;
constexpr const char* self_file = "/proc/self/exe";

void remember_start(int argc, char** argv) {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    std::vector<std::string> words;
    for (size_t at = 0; at < text.size(); at += words.back().size() + 1) words.emplace_back(text.c_str() + at);
    const auto known = static_cast<size_t>(argc);
    if (words.size() > known)
        self.assign(words.begin(), words.end() - (argc - 1));
    else
        self = {argc > 0 ? argv[0] : "tilewise"};
}

constexpr std::string_view marker = "--as-process-of";
constexpr int channel_file = 3;

/// The words after the marker, in this order; the role's arguments follow.
enum Word : size_t { parent_word = 2, role_word, danger_word, channel_word, memory_word, seconds_word, word_count };

std::vector<std::string> command_of(const Start& start) {
    std::vector<std::string> words = self;
    words.insert(words.end(), {std::string(marker), std::to_string(getpid()), start.role,
                               start.is_dangerous ? "dangerous" : "harmless", start.has_channel ? "channel" : "alone",
                               std::to_string(start.more_memory_bytes), std::to_string(start.cpu_time.count())});
    words.insert(words.end(), start.arguments.begin(), start.arguments.end());
    return words;
}

uint64_t number_in(const std::string& word) {
    uint64_t number = 0;
    std::from_chars(word.data(), word.data() + word.size(), number);
    return number;
}

/// Drops what a driver does not need. If memory runs out, the worker is to be killed before the program.
void drop_privileges() {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); score >= 0) {
        [[maybe_unused]] const ssize_t written = ::write(score, "1000", 4);
        ::close(score);
    }
}

void limit_resources(uint64_t more_memory_bytes, uint64_t cpu_seconds) {
    if (more_memory_bytes != 0) {
        uint64_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        const uint64_t all = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) + more_memory_bytes;
        const rlimit memory = {all, all};
        setrlimit(RLIMIT_AS, &memory);
    }
    if (cpu_seconds != 0) {
        const rlimit time = {cpu_seconds, cpu_seconds + 1};
        setrlimit(RLIMIT_CPU, &time);
    }
}

}  // namespace

std::optional<int> play_role(int argc, char** argv, std::span<const Role> roles) {
    remember_start(argc, argv);
    const std::vector<std::string> words(argv, argv + argc);
    if (words.size() < word_count || words[1] != marker) return {};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Otherwise it would be named after the file that it was started from, "exe".
    const std::string_view name = self.back();
    prctl(PR_SET_NAME, name.substr(name.rfind('/') + 1).data());
    if (std::to_string(getppid()) != words[parent_word]) return 1;
    const auto role = std::ranges::find(roles, words[role_word], &Role::name);
    if (role == roles.end()) return 1;
    if (words[danger_word] == "dangerous") drop_privileges();
    Playing playing;
    if (words[channel_word] == "channel") {
        fcntl(channel_file, F_SETFD, FD_CLOEXEC);
        playing.channel = Stream(std::make_unique<Stream::State>(channel_file));
    }
    playing.arguments.assign(words.begin() + word_count, words.end());
    limit_resources(number_in(words[memory_word]), number_in(words[seconds_word]));
    return role->play(playing);
}

std::vector<std::string> arguments_of(int argc, char** argv) { return {argv + std::min(argc, 1), argv + argc}; }

// ---------------------------------------------------------------------------------------------------------- processes

struct Process::State {
    pid_t pid = -1;
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

struct Attributes {
    posix_spawnattr_t all;
    Attributes() { posix_spawnattr_init(&all); }
    Attributes(const Attributes&) = delete;
    Attributes& operator=(const Attributes&) = delete;
    ~Attributes() { posix_spawnattr_destroy(&all); }
};

struct FileActions {
    posix_spawn_file_actions_t all;
    FileActions() { posix_spawn_file_actions_init(&all); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;
    ~FileActions() { posix_spawn_file_actions_destroy(&all); }
    void put(int file, int in_place_of) { posix_spawn_file_actions_adddup2(&all, file, in_place_of); }
};

}  // namespace

Process start_process(const Start& start) {
    if (self.empty()) throw Error("cannot start a process: this program's main() does not begin with play_role()");
    const bool has_input = !start.input.empty(), prints = start.prints != Start::Prints::nowhere,
               is_apart = start.prints == Start::Prints::apart;
    OwnFile nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
    std::optional<Ends> channel, input, output, errors;
    if (start.has_channel) channel.emplace(socket_ends());
    if (has_input) input.emplace(socket_ends());
    if (prints) output.emplace(pipe_ends());
    if (is_apart) errors.emplace(pipe_ends());

    // A misbehaving driver may write to any file. So no file of the program is left open, such as its database and the
    // channels of the other workers.
    FileActions files;
    files.put(has_input ? input->second.number : nothing.number, STDIN_FILENO);
    files.put(prints ? output->second.number : nothing.number, STDOUT_FILENO);
    files.put(is_apart ? errors->second.number : prints ? output->second.number : nothing.number, STDERR_FILENO);
    if (start.has_channel) files.put(channel->second.number, channel_file);

    Attributes attributes;
    short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK;
#ifdef __ANDROID__
    flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#else
    posix_spawn_file_actions_addclosefrom_np(&files.all, start.has_channel ? channel_file + 1 : channel_file);
#endif
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setpgroup(&attributes.all, 0);
    posix_spawnattr_setsigmask(&attributes.all, &none);
    // Otherwise signals that the program ignores would not end a driver, either.
    if (start.is_dangerous) flags |= POSIX_SPAWN_SETSIGDEF;
    posix_spawnattr_setsigdefault(&attributes.all, &all);
    posix_spawnattr_setflags(&attributes.all, flags);

    const std::vector<std::string> command = command_of(start);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    auto state = std::make_unique<Process::State>();
    errno = posix_spawn(&state->pid, self_file, &files.all, &attributes.all, words.data(), environ);
    if (errno != 0) cannot_start("posix_spawn");
    Process process(std::move(state));
    if (channel) process.channel = channel->first.as_stream();
    if (output) process.output = output->first.as_stream();
    if (errors) process.errors = errors->first.as_stream();
    if (input) {
        input->second.close_now();
        Stream(input->first.as_stream()).send(start.input.data(), start.input.size());
    }
    return process;
}

bool Process::has_ended() const {
    siginfo_t info = {};
    return exists() && waitid(P_PID, static_cast<id_t>(state_->pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == state_->pid;
}

bool Process::wait(std::chrono::milliseconds at_most) const {
    for (const auto until = Clock::now() + at_most; !has_ended();) {
        if (Clock::now() >= until) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

namespace {

/// Null for a signal number without a name.
const char* abbreviation(int signal) {
#ifdef __ANDROID__
    return signal > 0 && signal < NSIG ? sys_signame[signal] : nullptr;
#else
    return sigabbrev_np(signal);
#endif
}

std::string signal_name(int number) {
    if (const char* name = abbreviation(number)) return fmt::format("SIG{}", name);
    if (number >= SIGRTMIN && number <= SIGRTMAX) return fmt::format("SIGRTMIN+{}", number - SIGRTMIN);
    return fmt::format("signal {}", number);
}

}  // namespace

ProcessEnd Process::kill(std::string_view last_words) {
    int status = 0;
    ::kill(-state_->pid, SIGKILL);
    while (waitpid(state_->pid, &status, 0) < 0 && errno == EINTR) {
    }
    state_.reset();
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    ProcessEnd end;
    end.succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    end.aborted = signal == SIGABRT;
    end.out_of_time = signal == SIGXCPU || signal == SIGKILL;
    end.cause = signal != 0 ? signal_name(signal) : fmt::format("its process left with status {}", WEXITSTATUS(status));
    if (!last_words.empty()) end.cause += fmt::format(": {}", last_words);
    return end;
}

void Process::interrupt() const { ::kill(state_->pid, SIGINT); }

bool Process::read_memory(uint64_t address, std::span<std::byte> to) const {
    constexpr size_t part = 8 << 20;
    std::atomic<bool> all_read = true;
    for_parts(to.size(), part, [&](uint64_t first, uint64_t end) {
        while (first < end && all_read) {
            const iovec local = {to.data() + first, end - first};
            const iovec remote = {reinterpret_cast<void*>(address + first), end - first};
            const ssize_t got = process_vm_readv(state_->pid, &local, 1, &remote, 1, 0);
            if (got <= 0) all_read = false;
            first += static_cast<uint64_t>(std::max<ssize_t>(got, 0));
        }
    });
    return all_read;
}

int64_t Process::id() const { return exists() ? state_->pid : -1; }

}  // namespace tilewise::probe::worker
