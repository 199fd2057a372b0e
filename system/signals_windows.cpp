#include "system/console_windows.h"
#include "system/signals.h"
#include "system/wide.h"
#include <atomic>
#include <csignal>
#include <cstdlib>

namespace tilewise::system {

namespace {

using Handler = void (*)();
std::atomic<Handler> at_interrupt = nullptr, at_end = nullptr;

/// Ctrl-C comes on a thread of its own.
void end_or_interrupt(int signal) {
    std::signal(signal, end_or_interrupt);
    if (const Handler handler = at_interrupt.exchange(nullptr)) return handler();
    if (const Handler handler = at_end.load()) handler();
    restore_console();
    constexpr int interrupted = 130;  // as elsewhere: 128 and the number of SIGINT
    std::_Exit(interrupted);
}

/// A window that closes gives its programs a few seconds from here.
BOOL WINAPI on_closing(DWORD event) {
    if (event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT) return FALSE;
    end_or_interrupt(SIGINT);
    Sleep(5000);
    return TRUE;
}

void catch_all() {
    static const bool caught = [] {
        for (const int signal : {SIGINT, SIGBREAK, SIGTERM})
            if (std::signal(signal, end_or_interrupt) == SIG_IGN) std::signal(signal, SIG_IGN);
        return SetConsoleCtrlHandler(on_closing, TRUE) != 0;
    }();
    static_cast<void>(caught);
}

}  // namespace

void handle_next_interrupt(void (*handler)()) {
    at_interrupt = handler;
    catch_all();
}

void handle_end(void (*handler)()) {
    at_end = handler;
    catch_all();
}

void let_writes_fail() {}  // they do

}  // namespace tilewise::system
