// Help as wide as the terminal: all options of a command, or the usual ones.
#pragma once
#include <CLI/App.hpp>
#include <CLI/FormatterFwd.hpp>
#include <string>

namespace tilewise {

/// The mode Normal is the whole help (--help), All the short one (-h): what the parser calls "help all" is asked less
/// often.
class HelpFormatter : public CLI::FormatterBase {
public:
    std::string make_help(const CLI::App* command, std::string name, CLI::AppFormatMode mode) const override;
};

/// Characters of a line of help: the terminal's; where there is none, 100.
size_t help_width();

/// "--gpu NAME" as help and man pages write it: with all its names, and what it takes.
std::string option_usage(const CLI::Option& option);

}  // namespace tilewise
