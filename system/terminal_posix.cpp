#include "system/terminal.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tilewise::system {

bool is_terminal(Output output) { return isatty(static_cast<int>(output)) == 1; }

std::optional<size_t> terminal_columns(Output output) {
    winsize size = {};
    if (!is_terminal(output) || ioctl(static_cast<int>(output), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return {};
    return size.ws_col;
}

bool terminal_has_colors() {
    const char* terminal = std::getenv("TERM");
    return terminal && std::string_view(terminal) != "dumb";
}

void prepare_standard_streams() {}

bool reader_went_away(int error) { return error == EPIPE; }

void print_to_stderr(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

}  // namespace tilewise::system
