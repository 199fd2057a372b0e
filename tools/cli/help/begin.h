// What comes before any command: how to begin, and how errors and colors are shown.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace tilewise {

/// What the program is for, and the first commands to try.
std::string how_to_begin();

/// Adds --color.
void add_color_option(CLI::App& app);

/// Whether --json or -j is among the arguments.
bool asks_for_json(const std::vector<std::string>& arguments);

/// One line: {"error": "..", "exit_code": 2}.
std::string error_json(std::string_view message, int code);

}  // namespace tilewise
