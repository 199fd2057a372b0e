// What was meant by a command or option that does not exist.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace tilewise {

/// The commands of the program, or of a command of commands, whether chosen or not.
std::vector<const CLI::App*> commands_of(const CLI::App& app);

/// The commands that were chosen, from the program's down: "db export"; empty where none was.
std::string chosen_command(const CLI::App& app);

/// What the command line has too much, what may have been meant, and where to read more: one line.
std::string explain_extras(const CLI::App& app);

/// Whether it has an option that does not exist.
bool has_unknown_option(const CLI::App& app);

/// That the program, or a command of commands, has no such command, and what may have been meant.
std::string explain_command(const CLI::App& app, const std::string& typed);

/// What the options' parser says is wrong with an option, in the words of this program's other messages.
std::string explain_parse_error(std::string_view of_parser);

}  // namespace tilewise
