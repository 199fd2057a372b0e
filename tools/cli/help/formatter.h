// Formats help for the terminal's width: all options of a command, or the usual ones.
#pragma once
#include <CLI/App.hpp>
#include <CLI/FormatterFwd.hpp>
#include <string>

namespace tilewise {

/// In the mode Normal it makes the full help (--help), in the mode All the short one (-h), because what the parser
/// calls "help all" is needed less often.
class HelpFormatter : public CLI::FormatterBase {
public:
    std::string make_help(const CLI::App* command, std::string name, CLI::AppFormatMode mode) const override;
};

/// The characters in a line of help: the terminal's width; 100 if there is no terminal.
size_t help_width();

/// "--gpu NAME" as in help and man pages: all names of the option, and its value.
std::string option_usage(const CLI::Option& option);

}  // namespace tilewise
