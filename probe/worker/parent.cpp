#include "probe/worker/parent.h"
#include "patterns/model/error.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tilewise::probe {

namespace {

void close_all(Worker& worker) {
    for (int* file : {&worker.channel, &worker.chatter})
        if (*file >= 0) close(std::exchange(*file, -1));
}

/// Its wait status.
int kill_and_reap(Worker& worker) {
    int status = 0;
    kill(worker.pid, SIGKILL);
    while (waitpid(worker.pid, &status, 0) < 0 && errno == EINTR) {
    }
    worker.pid = -1;
    return status;
}

[[noreturn]] void live_as_worker(const Serve& serve, int channel, int chatter, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    // Ctrl-C is the program's to answer; and no handler that it (or a test) installed for faults may run here.
    std::signal(SIGINT, SIG_IGN);
    for (const int fault : {SIGTERM, SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) std::signal(fault, SIG_DFL);
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(chatter, STDOUT_FILENO);
    dup2(chatter, STDERR_FILENO);
    serve(channel);
    _exit(0);
}

/// Reads what is there without waiting.
void listen_to(Worker& worker) {
    char buffer[4096];
    for (ssize_t got; (got = read(worker.chatter, buffer, sizeof buffer)) > 0;)
        for (const char c : std::string_view(buffer, static_cast<size_t>(got))) {
            constexpr size_t longest = 400;
            if (c != '\n' && worker.partial_line.size() < longest)
                worker.partial_line += c;
            else if (c == '\n' && !worker.partial_line.empty())
                worker.last_line = std::exchange(worker.partial_line, {});
        }
}

std::string cause_of_death(Worker& worker, int status) {
    listen_to(worker);
    const std::string& words = worker.partial_line.empty() ? worker.last_line : worker.partial_line;
    std::string cause = WIFSIGNALED(status) ? fmt::format("SIG{}", sigabbrev_np(WTERMSIG(status)))
                                            : fmt::format("its process left with status {}", WEXITSTATUS(status));
    return words.empty() ? cause : cause + ": " + words;
}

}  // namespace

Worker& Worker::operator=(Worker&& other) noexcept {
    std::swap(pid, other.pid);
    std::swap(channel, other.channel);
    std::swap(chatter, other.chatter);
    last_line.swap(other.last_line);
    partial_line.swap(other.partial_line);
    return *this;
}

Worker::~Worker() {
    if (pid > 0) kill_and_reap(*this);
    close_all(*this);
}

Worker start_worker(const Serve& serve) {
    int channel[2], chatter[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0)
        throw Error(fmt::format("cannot start a worker: socketpair: {}", std::strerror(errno)));
    if (pipe2(chatter, O_CLOEXEC) != 0) {
        const int reason = errno;
        close(channel[0]);
        close(channel[1]);
        throw Error(fmt::format("cannot start a worker: pipe: {}", std::strerror(reason)));
    }
    const pid_t parent = getpid();
    Worker worker;
    worker.channel = channel[0];
    worker.chatter = chatter[0];
    worker.pid = fork();
    if (worker.pid == 0) live_as_worker(serve, channel[1], chatter[1], parent);
    const int reason = errno;
    close(channel[1]);
    close(chatter[1]);
    if (worker.pid < 0) throw Error(fmt::format("cannot start a worker: fork: {}", std::strerror(reason)));
    fcntl(worker.chatter, F_SETFL, O_NONBLOCK);
    return worker;
}

void dismiss(Worker& worker) {
    if (worker.pid <= 0) return;
    send_message(worker.channel, {});
    constexpr auto patience = std::chrono::seconds(2);
    for (const auto until = Clock::now() + patience; Clock::now() < until;) {
        listen_to(worker);
        if (waitpid(worker.pid, nullptr, WNOHANG) == worker.pid) {
            worker.pid = -1;
            break;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

void ask(Question& question, const Message& message, std::chrono::milliseconds limit) {
    question.worker.last_line.clear();
    question.worker.partial_line.clear();
    question.asked = Clock::now();
    question.deadline = question.asked + limit;
    // A worker that is gone already shows in end_of.
    send_message(question.worker.channel, message);
}

size_t wait_for_any(std::span<Question> questions, std::chrono::milliseconds at_most) {
    std::vector<pollfd> files;
    for (const Question& question : questions) {
        files.push_back({question.worker.channel, POLLIN, 0});
        files.push_back({question.worker.chatter, POLLIN, 0});
    }
    for (auto until = Clock::now() + at_most;;) {
        const auto now = Clock::now();
        auto next = until;
        for (size_t i = 0; i < questions.size(); ++i) {
            if (questions[i].deadline <= now) return i;
            next = std::min(next, questions[i].deadline);
        }
        if (now >= until) return questions.size();
        const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - now).count();
        if (poll(files.data(), files.size(), static_cast<int>(wait)) < 0) return questions.size();
        for (size_t i = 0; i < questions.size(); ++i) {
            if (files[2 * i + 1].revents & POLLIN)
                listen_to(questions[i].worker);
            else if (files[2 * i + 1].revents)
                files[2 * i + 1].fd = -1;  // closed by a dying worker; the channel tells when it is gone
            if (files[2 * i].revents) return i;
        }
    }
}

Ending end_of(Question& question) {
    Worker& worker = question.worker;
    pollfd channel = {worker.channel, POLLIN, 0};
    Ending ending;
    if (poll(&channel, 1, 0) == 0) {
        const std::chrono::duration<double> waited = question.deadline - question.asked;
        ending = {End::late, {}, fmt::format("no answer within {:.3g} s", waited.count())};
        kill_and_reap(worker);
    } else if (receive_message(worker.channel, ending.answer)) {
        ending.end = End::answered;
        return ending;
    } else {
        // The channel closes a moment before the process is gone: wait for its own end, not ours.
        int status = 0;
        const auto until = Clock::now() + std::chrono::seconds(1);
        while (waitpid(worker.pid, &status, WNOHANG) == 0 && Clock::now() < until)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (Clock::now() >= until) status = kill_and_reap(worker);
        worker.pid = -1;
        ending.reason = cause_of_death(worker, status);
    }
    close_all(worker);
    return ending;
}

std::string why_no_answer(const Ending& ending) {
    if (ending.end != End::answered) return ending.reason;
    for (const char* kind : {"lost", "error"})
        if (ending.answer.header.contains(kind)) return ending.answer.header.at(kind);
    return {};
}

Worker Pool::take() {
    if (idle.empty()) return start_worker(serve);
    Worker worker = std::move(idle.back());
    idle.pop_back();
    return worker;
}

Ending Pool::ask_and_wait(const Message& message) {
    Question question;
    question.worker = take();
    ask(question, message, time_limit);
    while (wait_for_any({&question, 1}, time_limit) != 0) {
    }
    Ending ending = end_of(question);
    if (ending.end == End::answered && !ending.answer.header.contains("lost"))
        idle.push_back(std::move(question.worker));
    return ending;
}

Pool::~Pool() {
    for (Worker& worker : idle) dismiss(worker);
}

}  // namespace tilewise::probe
