// What is said before a command is: how to begin, and how errors and colours are to be.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace tilewise {

/// What the program is, and the commands to begin with.
std::string how_to_begin();

/// Adds --color.
void add_color_option(CLI::App& app);

/// Whether --json or -j is among the arguments.
bool asks_for_json(const std::vector<std::string>& arguments);

/// One line: {"error": "..", "exit_code": 2}.
std::string error_json(std::string_view message, int code);

}  // namespace tilewise
