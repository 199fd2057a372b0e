#include "kernels/shader/confined.h"
#include "patterns/model/error.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <new>
#include <poll.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewise::kernels {

namespace {

constexpr uint64_t more_memory_MiB = 1024, cpu_seconds = 30;
constexpr size_t max_answer = size_t{64} << 20;
/// Against a child that waits for ever; one that works is ended by its share of the core.
constexpr std::chrono::seconds max_wait{300};

// The first byte of an answer.
constexpr char answered = 'a', refused = 'r', out_of_memory = 'm';

void limit_resources() {
    uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const uint64_t held = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    const rlimit memory = {held + (more_memory_MiB << 20), held + (more_memory_MiB << 20)};
    const rlimit time = {cpu_seconds, cpu_seconds + 1}, no_core = {0, 0};
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_CORE, &no_core);
}

[[noreturn]] void live_confined(const std::function<std::string()>& work, int channel) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    limit_resources();
    std::string answer;
    try {
        answer = answered + work();
    } catch (const std::bad_alloc&) {
        answer = out_of_memory;
    } catch (const std::exception& error) {
        answer = refused + std::string(error.what());
    }
    for (std::string_view rest = answer; !rest.empty();) {
        const ssize_t written = write(channel, rest.data(), rest.size());
        if (written < 0 && errno != EINTR) _exit(1);
        rest.remove_prefix(static_cast<size_t>(std::max<ssize_t>(written, 0)));
    }
    _exit(0);
}

/// All that the child says till its end, which is brought about where it says too much or waits for ever.
std::string read_answer(pid_t child, int channel) {
    const auto until = std::chrono::steady_clock::now() + max_wait;
    std::string answer;
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        pollfd ready = {channel, POLLIN, 0};
        if (left.count() <= 0 || answer.size() > max_answer) {
            kill(child, SIGKILL);
            break;
        }
        if (poll(&ready, 1, static_cast<int>(left.count())) <= 0) continue;
        std::array<char, 65536> bytes;
        const ssize_t got = read(channel, bytes.data(), bytes.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        answer.append(bytes.data(), static_cast<size_t>(got));
    }
    return answer;
}

}  // namespace

std::string run_confined(std::string_view subject, const std::function<std::string()>& work) {
    std::array<int, 2> channel = {};
    if (pipe2(channel.data(), O_CLOEXEC) != 0)
        throw Error(fmt::format("cannot start a process: pipe: {}", std::strerror(errno)));
    const pid_t child = fork();
    if (child == 0) live_confined(work, channel[1]);
    const int reason = errno;
    close(channel[1]);
    std::string answer = child < 0 ? "" : read_answer(child, channel[0]);
    close(channel[0]);
    if (child < 0) throw Error(fmt::format("cannot start a process: fork: {}", std::strerror(reason)));
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    const char kind = status == 0 && !answer.empty() ? answer.front() : '\0';
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (kind == answered) return answer.substr(1);
    if (kind == refused) throw Error(answer.substr(1));
    // Libraries that know no exceptions abort.
    if (kind == out_of_memory || signal == SIGABRT)
        throw Error(fmt::format("{}: takes more than {} MiB of memory to compile", subject, more_memory_MiB));
    if (signal == SIGXCPU || signal == SIGKILL)
        throw Error(fmt::format("{}: takes more than {} s to compile", subject, cpu_seconds));
    throw Error(fmt::format("{}: crashes the compiler of shaders", subject));
}

}  // namespace tilewise::kernels
