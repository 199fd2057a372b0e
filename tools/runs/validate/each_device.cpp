#include "tools/runs/validate/each_device.h"
#include "patterns/model/error.h"
#include "tools/runs/interrupt.h"
#include "tools/runs/probe/device_threads.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace tilewise {

namespace {

struct Process {
    size_t device = 0;
    pid_t pid = -1;
    int out = -1, err = -1;
    std::string output = {}, line = {};
};

/// In the new process its pid is 0.
Process start(size_t device) {
    std::fflush(stdout);  // what is in the buffer would be written by both
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
        throw Error(fmt::format("cannot start a process: pipe: {}", std::strerror(errno)));
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0) throw Error(fmt::format("cannot start a process: fork: {}", std::strerror(errno)));
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(1);
        setpgid(0, 0);  // Ctrl-C comes once, from the program
        dup2(out[1], STDOUT_FILENO);
        dup2(err[1], STDERR_FILENO);
    }
    for (const int end : {out[1], err[1]}) close(end);
    return {device, pid, out[0], err[0]};
}

/// Reads what is there; false, and the file closed, where there will be no more.
bool read_more(int& file, std::string& text) {
    char buffer[4096];
    const ssize_t got = read(file, buffer, sizeof buffer);
    if (got > 0) text.append(buffer, static_cast<size_t>(got));
    if (got > 0 || (got < 0 && errno == EINTR)) return true;
    close(std::exchange(file, -1));
    return false;
}

void pass_on_lines(const std::string& name, std::string& text, bool is_all,
                   const std::function<void(const std::string&)>& on_line) {
    if (is_all && !text.empty() && !text.ends_with('\n')) text += '\n';
    for (size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1))
        on_line(name + text.substr(0, end));
}

bool end_of(const Process& process) {
    int status = 0;
    while (waitpid(process.pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::optional<size_t> fork_for_each(const std::vector<probe::DeviceInfo>& devices,
                                    const std::function<void(size_t, DeviceRun&&)>& on_end,
                                    const std::function<void(const std::string&)>& on_line) {
    stop_on_signals();
    bool told = false;  // of the Ctrl-C
    for (const std::vector<size_t>& wave : timing_waves(devices)) {
        if (interrupted) break;
        std::vector<Process> running;
        for (const size_t device : wave) {
            running.push_back(start(device));
            if (running.back().pid != 0) continue;
            for (const Process& process : running)
                for (const int file : {process.out, process.err}) close(file);
            return device;
        }
        while (!running.empty()) {
            if (interrupted && !std::exchange(told, true))
                for (const Process& process : running) kill(process.pid, SIGINT);
            std::vector<pollfd> files;
            for (const Process& process : running)
                for (const int file : {process.out, process.err}) files.push_back({file, POLLIN, 0});
            constexpr int heartbeat_ms = 100;  // the signal may come to just before poll
            if (poll(files.data(), files.size(), heartbeat_ms) <= 0) continue;
            for (size_t i = running.size(); i-- > 0;) {
                Process& process = running[i];
                const std::string name = fmt::format("device {}: ", devices[process.device].index);
                if (files[2 * i].revents != 0) read_more(process.out, process.output);
                if (files[2 * i + 1].revents != 0) read_more(process.err, process.line);
                pass_on_lines(name, process.line, process.err < 0, on_line);
                if (process.out >= 0 || process.err >= 0) continue;
                const bool succeeded = end_of(process);
                on_end(process.device, {std::move(process.output), succeeded});
                running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
    }
    return std::nullopt;
}

}  // namespace tilewise
