#include "system/console_windows.h"
#include "system/terminal.h"
#include "system/wide.h"
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <io.h>

namespace tilewise::system {

namespace {

HANDLE handle_of(Output output) { return GetStdHandle(output == Output::out ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE); }

/// What the console had before; none where nothing was changed.
std::atomic<UINT> code_page_before = 0;
struct Changed {
    HANDLE console;
    DWORD before;
};
std::array<std::atomic<const Changed*>, 2> changed_modes = {};

/// Whether the console reads escape sequences; from then on it does.
bool takes_escapes(Output output) {
    DWORD mode = 0;
    const HANDLE console = handle_of(output);
    if (!GetConsoleMode(console, &mode)) return false;
    if ((mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0) return true;
    if (!SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING)) return false;
    static std::array<Changed, 2> changed;
    const size_t i = output == Output::out ? 0 : 1;
    changed[i] = {console, mode};
    changed_modes[i] = &changed[i];
    return true;
}

}  // namespace

void restore_console() {
    if (const UINT page = code_page_before.exchange(0)) SetConsoleOutputCP(page);
    for (std::atomic<const Changed*>& slot : changed_modes)
        if (const Changed* changed = slot.exchange(nullptr)) SetConsoleMode(changed->console, changed->before);
}

bool is_terminal(Output output) {
    DWORD mode = 0;
    return GetConsoleMode(handle_of(output), &mode) != 0;
}

std::optional<size_t> terminal_columns(Output output) {
    CONSOLE_SCREEN_BUFFER_INFO info = {};
    if (!GetConsoleScreenBufferInfo(handle_of(output), &info)) return {};
    const int columns = info.srWindow.Right - info.srWindow.Left + 1;
    return columns > 0 ? std::optional<size_t>(static_cast<size_t>(columns)) : std::nullopt;
}

bool terminal_has_colors() { return takes_escapes(Output::out); }

void prepare_standard_streams() {
    for (std::FILE* stream : {stdin, stdout, stderr}) _setmode(_fileno(stream), _O_BINARY);
    // What has no buffer is written byte by byte, and a console takes a part of a character for a wrong one.
    constexpr size_t buffer_bytes = 1 << 16;
    if (is_terminal(Output::out)) std::setvbuf(stdout, nullptr, _IOFBF, buffer_bytes);
    if (is_terminal(Output::out) || is_terminal(Output::err)) {
        code_page_before = GetConsoleOutputCP();
        SetConsoleOutputCP(CP_UTF8);
        std::atexit(restore_console);
    }
    takes_escapes(Output::err);  // the line of progress is rewritten by them
}

bool reader_went_away(int error) {
    // errno knows one of the three errors that a pipe without a reader gives.
    const bool is_unknown = error == EINVAL;
    return error == EPIPE || (is_unknown && (_doserrno == ERROR_NO_DATA || _doserrno == ERROR_PIPE_NOT_CONNECTED));
}

void print_to_stderr(std::string_view text) {
    _write(_fileno(stderr), text.data(), static_cast<unsigned>(text.size()));
}

}  // namespace tilewise::system
