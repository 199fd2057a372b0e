#include "tools/cli/help/suggest.h"
#include "patterns/model/text.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <regex>

namespace tilewise {

namespace {

const CLI::App& innermost(const CLI::App& app) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    return chosen.empty() ? app : innermost(*chosen.front());
}

/// A suggestion of what may have been meant, and where to read more.
std::string way_out(const std::string& meant, const std::string& more) {
    return meant.empty() ? "; see " + more : fmt::format("; did you mean {}? See {}", meant, more);
}

/// The long option names of a command and of the commands around it: global options may follow a command.
std::vector<std::string> option_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* of = &app; of; of = of->get_parent())
        for (const CLI::Option* option : of->get_options())
            for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

}  // namespace

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string chosen_command(const CLI::App& app) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    if (chosen.empty()) return "";
    const std::string inner = chosen_command(*chosen.front());
    return chosen.front()->get_name() + (inner.empty() ? "" : " " + inner);
}

std::string explain_command(const CLI::App& app, const std::string& typed) {
    std::vector<std::string> names;
    for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
    const bool is_inner = app.get_parent() != nullptr;
    for (const CLI::App* command : commands_of(app))
        for (const CLI::App* inner : commands_of(*command))
            if (inner->get_name() == typed)
                return fmt::format("there is no command {}", typed) +
                       way_out(command->get_name() + " " + typed, "tilewise help " + command->get_name());
    return fmt::format("there is no command {}{}", is_inner ? app.get_name() + " " : "", typed) +
           way_out(nearest_name(names, typed), is_inner ? "tilewise help " + app.get_name() : "tilewise --help");
}

bool has_unknown_option(const CLI::App& app) {
    return std::ranges::any_of(app.remaining(true),
                               [](const std::string& extra) { return extra.size() > 1 && extra.starts_with('-'); });
}

std::string explain_extras(const CLI::App& app) {
    const CLI::App& command = innermost(app);
    const std::string name = chosen_command(app);
    const std::string more = "tilewise " + (name.empty() ? "--help" : "help " + name);
    const bool has_commands = !commands_of(command).empty();
    std::vector<std::string> extras = app.remaining(true);
    // A value without its option says less than the option before it; options of a command that does not exist say
    // nothing.
    std::stable_partition(extras.begin(), extras.end(),
                          [&](const std::string& extra) { return extra.starts_with('-') != has_commands; });
    const std::string extra = extras.empty() ? "" : extras.front(), option = extra.substr(0, extra.find('='));
    if (extra.starts_with('-') && command.get_option_no_throw(option))
        return fmt::format("{} is an option of {}: give it after the command, tilewise {} {} ..", option, name, name,
                           option);
    if (extra.starts_with('-'))
        return fmt::format("{} has no option {}", name.empty() ? "tilewise" : name, extra) +
               way_out(nearest_name(option_names(command), option), more);
    if (has_commands) return explain_command(command, extra);
    for (const char* option_name : {"--gpu", "--device"})
        if (const CLI::Option* gpu = command.get_option_no_throw(option_name); gpu && gpu->count() > 0)
            return fmt::format("{0} does not take \"{1}\"; if it belongs to {2}, use quotes: {2} \"{3} {4}\"", name,
                               extra, option_name, gpu->results().back(), fmt::join(extras, " "));
    return fmt::format("{} does not take \"{}\"", name, extra) + way_out("", more);
}

std::string explain_parse_error(std::string_view of_parser) {
    struct Rewording {
        const char *theirs, *ours;
    };
    // The messages of CLI11 (Error.hpp, Validators.hpp) and of read_plain_numbers(), with the names in them.
    static constexpr Rewording rewordings[] = {
        {"Could not convert: (.+) = (.*)", "$1 $2: not a valid value, or too large"},
        {"The value (.*) is not an allowed value for (.+)", "$2 $1: not a valid value"},
        {"(.+): At Most 1 required but received (.+)", "$1 is given $2 times; give it once"},
        {"(.+): [0-9]+ required .* missing", "$1 needs a value"},
        {"(.+): Value (.*) not in range ([0-9.]+) to ([0-9.]+)", "$1 $2: must be from $3 to $4"},
        {"(.+): Value (.*) not a (whole number.*|number)", "$1 $2: must be a $3"},
        {"(.+): (.*) not in \\{(.*)\\}", "$1 $2: must be one of $3"},
        {"(.+) excludes (.+)", "$1 and $2: leave one out"},
        {"(.+) requires (.+)", "$1 needs $2"},
        {"(.+) was given a disallowed flag override", "$1 takes no value"},
    };
    std::string text(of_parser);
    for (const auto& [theirs, ours] : rewordings)
        if (const std::regex pattern(theirs); std::regex_match(text, pattern))
            return std::regex_replace(text, pattern, ours);
    return text;
}

}  // namespace tilewise
