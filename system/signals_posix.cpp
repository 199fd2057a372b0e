#include "system/signals.h"
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

namespace tilewise::system {

namespace {

using Handler = void (*)();
constexpr std::array ends = {SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, ends.size()> before = {};
std::atomic<Handler> at_interrupt = nullptr, at_end = nullptr;
static_assert(std::atomic<Handler>::is_always_lock_free, "a signal handler reads them");

void interrupt(int signal) {
    at_interrupt.load()();
    for (size_t i = 0; i < ends.size(); i++)
        if (ends[i] == signal) sigaction(signal, &before[i], nullptr);
}

void end(int signal) {
    at_end.load()();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

}  // namespace

void handle_next_interrupt(void (*handler)()) {
    at_interrupt = handler;
    for (size_t i = 0; i < ends.size(); i++) {
        struct sigaction now = {};
        if (sigaction(ends[i], nullptr, &now) != 0 || now.sa_handler == SIG_IGN || now.sa_handler == interrupt)
            continue;
        before[i] = now;
        now = {};
        now.sa_handler = interrupt;
        sigaction(ends[i], &now, nullptr);
    }
}

void handle_end(void (*handler)()) {
    at_end = handler;
    for (const int signal : ends) {
        struct sigaction now = {};
        if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) continue;
        now = {};
        now.sa_handler = end;
        sigaction(signal, &now, nullptr);
    }
}

void let_writes_fail() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace tilewise::system
