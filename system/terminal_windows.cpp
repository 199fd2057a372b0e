#include "system/terminal.h"
#include "system/wide.h"
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <io.h>

namespace tilewise::system {

namespace {

HANDLE handle_of(Output output) { return GetStdHandle(output == Output::out ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE); }

UINT code_page_before = 0;

/// Whether the console reads escape sequences; from then on it does.
bool takes_escapes(Output output) {
    DWORD mode = 0;
    const HANDLE console = handle_of(output);
    if (!GetConsoleMode(console, &mode)) return false;
    return (mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0 ||
           SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

}  // namespace

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
    if (is_terminal(Output::out) || is_terminal(Output::err)) {
        code_page_before = GetConsoleOutputCP();
        SetConsoleOutputCP(CP_UTF8);
        std::atexit([] { SetConsoleOutputCP(code_page_before); });
    }
    takes_escapes(Output::err);  // the line of progress is rewritten by them
}

}  // namespace tilewise::system
