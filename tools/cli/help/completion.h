// What a shell needs to complete commands and options: made from the table that the parser has.
#pragma once
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace tilewise {

/// The script for bash, zsh or fish. Throws UsageError for any other shell.
std::string completion_script(const CLI::App& app, std::string_view shell);

}  // namespace tilewise
