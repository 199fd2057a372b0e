#include "tools/runs/interrupt.h"
#include <array>
#include <csignal>
#include <cstddef>

namespace tilewise {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

namespace {

constexpr std::array ends = {SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, ends.size()> before = {};

void interrupt(int signal) {
    interrupted = true;
    for (size_t i = 0; i < ends.size(); i++)
        if (ends[i] == signal) sigaction(signal, &before[i], nullptr);
}

}  // namespace

void stop_on_signals() {
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

}  // namespace tilewise
