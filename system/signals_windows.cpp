#include "system/console_windows.h"
#include "system/signals.h"
#include "system/wide.h"
#include <atomic>
#include <cstdlib>

namespace tilewise::system {

namespace {

using Handler = void (*)();
std::atomic<Handler> at_interrupt = nullptr, at_end = nullptr;

/// It runs on a thread of its own, which Windows starts for the event.
BOOL WINAPI end_or_interrupt(DWORD event) {
    if (const Handler handler = at_interrupt.exchange(nullptr)) {
        handler();
    } else {
        if (const Handler end = at_end.load()) end();
        restore_console();
        constexpr int interrupted = 130;  // as elsewhere: 128 and the number of SIGINT
        std::_Exit(interrupted);
    }
    // A window that closes gives its programs a few seconds from here, and ends them when this returns.
    constexpr DWORD few_seconds_ms = 5000;
    if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) Sleep(few_seconds_ms);
    return TRUE;
}

void catch_all() {
    static const bool caught = SetConsoleCtrlHandler(end_or_interrupt, TRUE) != 0;
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
