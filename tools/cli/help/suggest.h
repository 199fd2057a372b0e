// Suggests what was meant by a command or option that does not exist.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace tilewise {

/// The subcommands of the program or of a command, whether chosen or not.
std::vector<const CLI::App*> commands_of(const CLI::App& app);

/// The chosen commands, from the program downwards: "db export"; empty if none was chosen.
std::string chosen_command(const CLI::App& app);

/// Names the surplus words of the command line, what may have been meant, and where to read more: one line.
std::string explain_extras(const CLI::App& app);

/// Whether the command line has an option that does not exist.
bool has_unknown_option(const CLI::App& app);

/// Says that the program, or a command, has no such subcommand, and what may have been meant.
std::string explain_command(const CLI::App& app, const std::string& typed);

/// The option parser's error message, in the wording of this program's other messages.
std::string explain_parse_error(std::string_view of_parser);

}  // namespace tilewise
