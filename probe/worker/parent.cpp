#include "probe/worker/parent.h"
#include "patterns/model/error.h"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace tilewise::probe::worker {

namespace {

void close_all(Worker& worker) {
    for (int* file : {&worker.channel, &worker.output})
        if (*file >= 0) close(std::exchange(*file, -1));
}

/// Ends the whole process group. The wait status of the worker itself: that of its own end, if it has ended already.
int kill_and_reap(Worker& worker) {
    int status = 0;
    kill(-worker.pid, SIGKILL);
    while (waitpid(worker.pid, &status, 0) < 0 && errno == EINTR) {
    }
    worker.pid = -1;
    return status;
}

bool wait_until_ended(const Worker& worker, std::chrono::milliseconds at_most) {
    for (const auto until = Clock::now() + at_most; !has_ended(worker.pid);) {
        if (Clock::now() >= until) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

/// An empty file in memory, as long as the one that is open there, in its place.
void replace_by_new_memory(int file) {
    struct stat known = {};
    if (fstat(file, &known) != 0) return;
    const int own = memfd_create("memory of a worker", MFD_CLOEXEC);
    if (own < 0) return;
    if (ftruncate(own, known.st_size) == 0) dup3(own, file, O_CLOEXEC);
    close(own);
}

/// A driver gone wild may write to any file: of the program's own, such as its database and the channels of the other
/// workers, none is left open. What libraries that are preloaded need stays: devices, and memory that looks like a
/// file. That of Mesa's DRM shims is a GPU's memory: two workers that share it write over each other's images.
void close_all_but(int channel) {
    std::vector<int> files, shims;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
        const std::string number = entry.path().filename();
        int file = -1;
        std::from_chars(number.data(), number.data() + number.size(), file);
        const std::string target = std::filesystem::read_symlink(entry.path(), ignored);
        if (target.starts_with("/memfd:shim mem")) shims.push_back(file);
        if (file > STDERR_FILENO && file != channel && !target.starts_with("/memfd:") && !target.starts_with("/dev/"))
            files.push_back(file);
    }
    for (const int file : files) close(file);
    for (const int file : shims) replace_by_new_memory(file);
}

/// What a driver has no use for. Where memory runs out, the worker is to go before the program.
void drop_privileges() {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); score >= 0) {
        [[maybe_unused]] const ssize_t written = ::write(score, "1000", 4);
        close(score);
    }
}

[[noreturn]] void live_as_worker(const Serve& serve, int channel, int output, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    // Out of the reach of Ctrl-C, which is the program's to answer.
    setpgid(0, 0);
    // No handler that the program (or a test) installed may run here.
    for (int number = 1; number <= SIGRTMAX; ++number) std::signal(number, SIG_DFL);
    drop_privileges();
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    close_all_but(channel);
    serve(channel);
    _exit(0);
}

/// Reads what is there without waiting.
void listen_to(Worker& worker) {
    char buffer[4096];
    for (ssize_t got; (got = read(worker.output, buffer, sizeof buffer)) > 0;)
        for (const char c : std::string_view(buffer, static_cast<size_t>(got))) {
            constexpr size_t longest = 400;
            if (c != '\n' && worker.partial_line.size() < longest)
                worker.partial_line += c;
            else if (c == '\n' && !worker.partial_line.empty())
                worker.last_line = std::exchange(worker.partial_line, {});
        }
}

std::string signal_name(int number) {
    if (const char* name = sigabbrev_np(number)) return fmt::format("SIG{}", name);
    if (number >= SIGRTMIN && number <= SIGRTMAX) return fmt::format("SIGRTMIN+{}", number - SIGRTMIN);
    return fmt::format("signal {}", number);
}

std::string cause_of_death(Worker& worker, int status) {
    listen_to(worker);
    const std::string& words = worker.partial_line.empty() ? worker.last_line : worker.partial_line;
    std::string cause = WIFSIGNALED(status) ? signal_name(WTERMSIG(status))
                                            : fmt::format("its process left with status {}", WEXITSTATUS(status));
    return words.empty() ? cause : cause + ": " + words;
}

/// A channel that closes tells of a death a moment early. The signal of a process that has to be killed here is ours.
std::string await_death(Worker& worker) {
    const bool ended = wait_until_ended(worker, std::chrono::seconds(1));
    const int status = kill_and_reap(worker);
    return ended ? cause_of_death(worker, status) : "its process closed the channel to the program and went on";
}

}  // namespace

Worker& Worker::operator=(Worker&& other) noexcept {
    std::swap(pid, other.pid);
    std::swap(channel, other.channel);
    std::swap(output, other.output);
    last_line.swap(other.last_line);
    partial_line.swap(other.partial_line);
    std::swap(has_replied, other.has_replied);
    return *this;
}

Worker::~Worker() {
    if (pid > 0) kill_and_reap(*this);
    close_all(*this);
}

Worker start_worker(const Serve& serve) {
    int channel[2], output[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0)
        throw Error(fmt::format("cannot start a worker: socketpair: {}", std::strerror(errno)));
    if (pipe2(output, O_CLOEXEC) != 0) {
        const int reason = errno;
        close(channel[0]);
        close(channel[1]);
        throw Error(fmt::format("cannot start a worker: pipe: {}", std::strerror(reason)));
    }
    // Tables are megabytes: the fewer turns they take, the better. Where the system allows less, that is what there is.
    constexpr int channel_bytes = 4 << 20;
    for (const int end : channel) setsockopt(end, SOL_SOCKET, SO_SNDBUF, &channel_bytes, sizeof channel_bytes);
    const pid_t parent = getpid();
    Worker worker;
    worker.channel = channel[0];
    worker.output = output[0];
    worker.pid = fork();
    if (worker.pid == 0) live_as_worker(serve, channel[1], output[1], parent);
    const int reason = errno;
    if (worker.pid > 0) setpgid(worker.pid, worker.pid);  // both do it: whoever comes first
    close(channel[1]);
    close(output[1]);
    if (worker.pid < 0) throw Error(fmt::format("cannot start a worker: fork: {}", std::strerror(reason)));
    fcntl(worker.output, F_SETFL, O_NONBLOCK);
    return worker;
}

void dismiss(Worker& worker) {
    if (worker.pid <= 0) return;
    shutdown(worker.channel, SHUT_WR);
    constexpr auto timeout = std::chrono::seconds(2);
    for (const auto until = Clock::now() + timeout; Clock::now() < until && !has_ended(worker.pid);) {
        listen_to(worker);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    kill_and_reap(worker);
}

void ask(Pending& pending, const Request& request, std::chrono::milliseconds timeout) {
    pending.worker.last_line.clear();
    pending.worker.partial_line.clear();
    pending.request = request;
    pending.sent = Clock::now();
    pending.deadline = pending.sent + timeout;
    // A worker that is gone already shows in end_of.
    send_request(pending.worker.channel, pending.request);
}

size_t wait_for_any(std::span<Pending> pending, std::chrono::milliseconds at_most) {
    std::vector<pollfd> files;
    for (const Pending& one : pending) {
        files.push_back({one.worker.channel, POLLIN, 0});
        files.push_back({one.worker.output, POLLIN, 0});
    }
    // How soon a death is seen where a child of the worker's keeps the channel open.
    constexpr auto heartbeat = std::chrono::milliseconds(50);
    for (auto until = Clock::now() + at_most;;) {
        const auto now = Clock::now();
        auto next = std::min(until, now + heartbeat);
        for (size_t i = 0; i < pending.size(); ++i) {
            if (pending[i].deadline <= now || has_ended(pending[i].worker.pid)) return i;
            next = std::min(next, pending[i].deadline);
        }
        if (now >= until) return pending.size();
        const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - now).count();
        if (poll(files.data(), files.size(), static_cast<int>(wait)) < 0) return pending.size();
        for (size_t i = 0; i < pending.size(); ++i) {
            if (files[2 * i + 1].revents & POLLIN)
                listen_to(pending[i].worker);
            else if (files[2 * i + 1].revents)
                files[2 * i + 1].fd = -1;  // closed by a dying worker; the channel tells when it is gone
            if (files[2 * i].revents) return i;
        }
    }
}

Ending end_of(Pending& pending) {
    Worker& worker = pending.worker;
    Ending ending;
    std::string why;
    switch (receive_reply(worker.channel, worker.pid, pending.deadline, pending.request, ending.reply, why)) {
        case ReplyState::whole: {
            ending.end = End::replied;
            worker.has_replied = true;
            const auto* failure = std::get_if<Failure>(&ending.reply);
            if (!failure || failure->kind == Failure::Kind::refused) return ending;
            dismiss(worker);
            break;
        }
        case ReplyState::late: {
            const std::chrono::duration<double> waited = pending.deadline - pending.sent;
            ending = {End::timed_out, {}, fmt::format("no reply within {:.3g} s", waited.count())};
            kill_and_reap(worker);
            break;
        }
        case ReplyState::closed:
            ending.reason = await_death(worker);
            break;
        case ReplyState::malformed:
            kill_and_reap(worker);
            ending.reason = "malformed reply: " + why;
    }
    close_all(worker);
    return ending;
}

void Pool::prepare(size_t count) {
    // Behind those that are there: they may have opened a driver already.
    while (idle.size() < count) idle.insert(idle.begin(), start_worker(serve));
}

Worker Pool::take() {
    while (!idle.empty()) {
        Worker worker = std::move(idle.back());
        idle.pop_back();
        // One that died in the meantime, or says something without being asked, would spoil the next request.
        pollfd channel = {worker.channel, POLLIN, 0};
        if (poll(&channel, 1, 0) == 0 && !has_ended(worker.pid)) return worker;
    }
    return start_worker(serve);
}

void Pool::give_back(Worker&& worker) {
    if (worker.pid > 0) idle.push_back(std::move(worker));
}

Ending Pool::ask_and_wait(const Request& request) {
    Pending pending;
    pending.worker = take();
    worker::ask(pending, request, timeout);
    while (wait_for_any({&pending, 1}, timeout) != 0) {
    }
    Ending ending = end_of(pending);
    give_back(std::move(pending.worker));
    return ending;
}

Pool::~Pool() {
    for (const Worker& worker : idle) shutdown(worker.channel, SHUT_WR);  // so that all clean up at once
    for (Worker& worker : idle) dismiss(worker);
}

}  // namespace tilewise::probe::worker
