#include "tools/cli/help/manual.h"
#include "tools/cli/help/formatter.h"
#include "tools/cli/help/suggest.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace tilewise {

namespace {

/// Text for roff: hyphens that can be copied, no escapes and no requests.
std::string roff(const std::string& text) {
    std::string out;
    bool begins_line = true;
    for (const char c : text) {
        if (begins_line && (c == '.' || c == '\'')) out += "\\&";
        begins_line = c == '\n';
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else if (c == ',')
            out += ",\\:";  // lists without spaces may be broken here
        else
            out += c;
    }
    return out;
}

std::string words_of(const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    return parent ? words_of(*parent) + " " + command.get_name() : command.get_name();
}

std::string page_name(std::string words) {
    for (char& c : words)
        if (c == ' ') c = '-';
    return words;
}

std::string options_text(const CLI::App& command) {
    std::string text;
    for (const CLI::Option* option : command.get_options()) {
        if (option->get_positional()) continue;
        text += fmt::format(".TP\n.B {}\n{}\n", roff(option_usage(*option)), roff(option->get_description()));
        if (!option->get_default_str().empty()) text += fmt::format("Default: {}.\n", roff(option->get_default_str()));
    }
    return text;
}

}  // namespace

std::string manual_page(const CLI::App& program, const CLI::App& command) {
    const std::string words = words_of(command), name = page_name(words);
    std::string text =
        fmt::format(".TH {} 1 \"\" \"tilewise {}\" \"User Commands\"\n.ad l\n.nh\n", roff(name), TILEWISE_VERSION);
    text += fmt::format(".SH NAME\n{} \\- {}\n", roff(name), roff(command.get_description()));
    text += fmt::format(".SH SYNOPSIS\n.B {}\n[\\fIOPTION\\fR]...", roff(words));
    std::string positionals;
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_positional()) continue;
        text += fmt::format(" \\fI{}\\fR", roff(option->get_name(true)));
        positionals += fmt::format(".TP\n.I {}\n{}\n", roff(option->get_name(true)), roff(option->get_description()));
    }
    const auto commands = commands_of(command);
    text += commands.empty() ? "\n" : " \\fICOMMAND\\fR\n";
    if (!commands.empty()) {
        text += ".SH COMMANDS\n";
        for (const CLI::App* one : commands)
            text += fmt::format(".TP\n.B {}\n{}\n", roff(one->get_name()), roff(one->get_description()));
    }
    text += ".SH OPTIONS\n" + positionals + options_text(command);
    if (&command != &program) text += options_text(program);
    if (!command.get_footer().empty()) text += ".SH EXAMPLES\n.nf\n" + roff(command.get_footer()) + "\n.fi\n";
    text += ".SH EXIT STATUS\n0 if the work is done, 1 if it could not be done, 2 if the command line is wrong.\n";
    if (&command != &program) text += fmt::format(".SH SEE ALSO\n.BR {} (1)\n", roff(program.get_name()));
    return text;
}

}  // namespace tilewise
