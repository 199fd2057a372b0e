#include "tools/cli/help/formatter.h"
#include "patterns/model/text.h"
#include "tools/cli/help/suggest.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/terminal/table.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

namespace {

constexpr size_t widest_name = 28;  ///< the text of a wider name begins on a line of its own

std::string positional_usage(const CLI::Option& option) {
    const std::string many = option.get_expected_max() > 1 ? "..." : "";
    return option.get_required() ? option.get_name(true) + many : "[" + option.get_name(true) + many + "]";
}

/// Adds a space behind a comma where a line ends, in lists without spaces that are wider than a line.
std::string with_breaks(const std::string& text, size_t width) {
    std::string broken;
    for (const std::string& word : split(text, ' ')) {
        if (!broken.empty()) broken += ' ';
        std::string line;
        for (size_t at = 0; at < word.size();) {
            const size_t end = std::min(word.find(',', at), word.size() - 1) + 1;
            if (!line.empty() && line.size() + end - at > width) {
                broken += line + ' ';
                line.clear();
            }
            line += word.substr(at, end - at);
            at = end;
        }
        broken += line;
    }
    return broken;
}

/// A name, and the text beside it in a column of its own.
std::string described(const std::string& name, const std::string& text) {
    const size_t indent = widest_name + 2;
    const size_t width = help_width() > indent + 20 ? help_width() - indent : 20;
    const std::string lines = wrapped(with_breaks(text, width), width, indent);
    if (name.size() + 2 >= indent) return fmt::format("  {}\n{:{}}{}\n", name, "", indent, lines);
    return fmt::format("  {:{}}{}\n", name, indent - 2, lines);
}

std::string option_text(const CLI::Option& option) {
    std::string text = option.get_description();
    if (option.get_required() && !option.get_positional()) text += " (required)";
    if (!option.get_default_str().empty()) text += fmt::format(" [{}]", option.get_default_str());
    return text;
}

bool is_usual(const CLI::Option& option) {
    return option.get_required() || !option.get_snames().empty() || option.get_positional();
}

std::vector<const CLI::Option*> options_of(const CLI::App& command, bool positional, bool usual_alone) {
    return command.get_options([&](const CLI::Option* option) {
        return option->get_positional() == positional && (!usual_alone || is_usual(*option));
    });
}

/// Shell lines that are too long are continued in the next line.
std::string examples_text(const CLI::App& command) {
    const std::optional<size_t> width = line_width();
    std::string text;
    for (const std::string& line : split_fields(command.get_footer(), '\n'))
        text += (width ? wrapped_command(line, *width) : line) + "\n";
    return text;
}

}  // namespace

size_t help_width() {
    constexpr size_t without_terminal = 100;
    return line_width().value_or(without_terminal);
}

std::string option_usage(const CLI::Option& option) {
    std::string text = option.get_name(false, true);
    for (size_t at = 0; (at = text.find(',', at)) != text.npos; at += 2) text.insert(at + 1, " ");
    if (option.get_items_expected_max() == 0) return text;
    // A type's name, and the range that a validator adds: "UINT:INT in [1 - 64]".
    const std::string type = option.get_type_name();
    const size_t range = type.find(" in [");
    text += " " + type.substr(0, type.find(':'));
    if (range != type.npos) text += type.substr(range);
    return text;
}

std::string HelpFormatter::make_help(const CLI::App* command, std::string name, CLI::AppFormatMode mode) const {
    const bool is_short = mode == CLI::AppFormatMode::All;
    const auto positionals = options_of(*command, true, false);
    const auto all = options_of(*command, false, false);
    std::vector<const CLI::Option*> shown = options_of(*command, false, is_short);
    constexpr size_t few = 8;
    if (all.size() <= few) shown = all;
    std::string usage = "Usage: " + name + (all.empty() ? "" : " [OPTIONS]");
    for (const CLI::Option* positional : positionals) usage += " " + positional_usage(*positional);
    const auto commands = commands_of(*command);
    if (!commands.empty()) usage += " [SUBCOMMAND]";
    std::string text =
        wrapped(command->get_description(), help_width(), 0) + "\n" + wrapped(usage, help_width(), 4) + "\n";
    const auto add_group = [&](const char* title, const std::vector<const CLI::Option*>& options) {
        if (options.empty()) return;
        text += fmt::format("\n{}:\n", title);
        for (const CLI::Option* option : options)
            text += described(option->get_positional() ? option->get_name(true) : option_usage(*option),
                              option_text(*option));
    };
    add_group("Positionals", positionals);
    add_group(shown.size() < all.size() ? "Options (the usual ones)" : "Options", shown);
    if (!commands.empty()) {
        text += "\nSubcommands:\n";
        for (const CLI::App* one : commands) text += described(one->get_name(), one->get_description());
    }
    if (command->get_parent())
        text += "\n" +
                wrapped("For every command: -j, --json; --db FILE; --wide; --quiet; --color WHEN (tilewise --help)",
                        help_width(), 4) +
                "\n";
    if (shown.size() < all.size())
        text +=
            wrapped(fmt::format("All {} options and examples: {} --help", all.size(), name), help_width(), 4) + "\n";
    else if (!command->get_footer().empty())
        text += "\n" + examples_text(*command);
    return text;
}

}  // namespace tilewise
