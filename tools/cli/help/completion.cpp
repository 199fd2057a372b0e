#include "tools/cli/help/completion.h"
#include "patterns/model/error.h"
#include "tools/cli/help/suggest.h"
#include "tools/cli/terminal/shell_word.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace tilewise {

namespace {

struct Item {
    std::string word, description;
    bool takes_value = false;
};

/// A command, such as "db export", and what may follow it: commands and options. The program itself has no words.
struct Place {
    std::string words;
    std::vector<Item> commands, options;
};

/// The words that name a command at that place.
std::string words_of(const Place& place, const Item& command) {
    return place.words.empty() ? command.word : place.words + " " + command.word;
}

std::vector<Item> options_of(const CLI::App& app) {
    std::vector<Item> items;
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames())
            items.push_back({"--" + name, option->get_description(), option->get_items_expected_max() > 0});
    return items;
}

void add_places(const CLI::App& app, const std::string& words, const std::vector<Item>& inherited,
                std::vector<Place>& places) {
    Place place = {words, {}, options_of(app)};
    for (const Item& item : inherited)
        if (std::ranges::find(place.options, item.word, &Item::word) == place.options.end())
            place.options.push_back(item);
    const auto commands = commands_of(app);
    for (const CLI::App* command : commands)
        place.commands.push_back({command->get_name(), command->get_description()});
    places.push_back(place);
    for (const CLI::App* command : commands)
        add_places(*command, words_of(place, {command->get_name(), ""}), place.options, places);
}

/// The pattern that matches "command/option" in bash and zsh.
std::string pattern_of(const CompletedValues& list) {
    std::vector<std::string> patterns;
    for (const std::string& option : list.options)
        patterns.push_back(option.find('/') == option.npos ? "*/" + option : option);
    return fmt::format("{}", fmt::join(patterns, "|"));
}

std::string quoted_words(const std::vector<std::string>& words, const char* between) {
    std::string text;
    for (const std::string& word : words) text += between + quoted(word);
    return text;
}

/// The lines that find out which command was typed: a word counts if it names a command after the words before it.
std::string case_of_words(const std::vector<Place>& places) {
    std::string text;
    for (const Place& place : places)
        for (const Item& command : place.commands)
            text += fmt::format("            {}) command={} ;;\n", quoted(place.words + "/" + command.word),
                                quoted(words_of(place, command)));
    return text;
}

std::string bash_script(const std::vector<Place>& places, const std::vector<CompletedValues>& values) {
    std::string text =
        "# bash completion for tilewise; from: tilewise completion bash\n"
        "_tilewise() {\n"
        "    local word typed command='' items='' current=${COMP_WORDS[COMP_CWORD]} "
        "before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "    local -a values=()\n"
        "    COMPREPLY=()\n"
        "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
        "        case \"$command/$word\" in\n" +
        case_of_words(places) +
        "        esac\n"
        "    done\n"
        "    case \"$command\" in\n";
    std::string valued;
    // On a shell's command line, a name with spaces is quoted, or its spaces are: the comparison ignores quoting.
    std::string listed_values = "    case \"$command/$before\" in\n";
    for (const CompletedValues& list : values)
        listed_values += fmt::format("        {}) values=({} ) ;;\n", pattern_of(list), quoted_words(list.words, " "));
    listed_values +=
        "    esac\n"
        "    if [ ${#values[@]} -gt 0 ]; then\n"
        "        typed=${current//\\\\/}; typed=${typed#[\\\"\\\']}\n"
        "        for word in \"${values[@]}\"; do\n"
        "            [ \"${word:0:${#typed}}\" = \"$typed\" ] && COMPREPLY+=(\"$word\")\n"
        "        done\n"
        "        return\n"
        "    fi\n";
    for (const Place& place : places) {
        text += fmt::format("        {}) items='", quoted(place.words));
        for (const auto* items : {&place.commands, &place.options})
            for (const Item& item : *items) {
                text += item.word + " ";
                if (item.takes_value) valued += (valued.empty() ? "" : "|") + quoted(place.words + "/" + item.word);
            }
        text += "' ;;\n";
    }
    text += "    esac\n" + listed_values + "    case \"$command/$before\" in\n        " + valued +
            ") COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n    esac\n"
            "    COMPREPLY=($(compgen -W \"$items\" -- \"$current\"))\n"
            "    [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$current\"))\n"
            "}\n"
            "complete -o filenames -F _tilewise tilewise\n";
    return text;
}

std::string zsh_script(const std::vector<Place>& places, const std::vector<CompletedValues>& values) {
    std::string text =
        "#compdef tilewise\n# zsh completion for tilewise; from: tilewise completion zsh\n"
        "_tilewise() {\n"
        "    local word command=''\n"
        "    local -a commands options values\n"
        "    for word in \"${(@)words[2,CURRENT-1]}\"; do\n"
        "        case \"$command/$word\" in\n" +
        case_of_words(places) +
        "        esac\n"
        "    done\n"
        "    case \"$command\" in\n";
    const auto described = [](const std::vector<Item>& items) {
        std::string list;
        for (const Item& item : items) list += " " + quoted(item.word + ":" + item.description);
        return list;
    };
    for (const Place& place : places)
        text += fmt::format("        {}) commands=({} ) options=({} ) ;;\n", quoted(place.words),
                            described(place.commands), described(place.options));
    text += "    esac\n    case \"$command/${words[CURRENT-1]}\" in\n";
    for (const CompletedValues& list : values)
        text += fmt::format("        {}) values=({} ) ;;\n", pattern_of(list), quoted_words(list.words, " "));
    text +=
        "    esac\n"
        "    if (( ${#values} )); then compadd -a values; return; fi\n"
        "    (( ${#commands} )) && _describe command commands\n"
        "    _describe -o option options\n"
        "    (( ${#commands} )) || _files\n"
        "}\n"
        "if [ \"$funcstack[1]\" = _tilewise ]; then _tilewise \"$@\"; else compdef _tilewise tilewise; fi\n";
    return text;
}

std::string fish_script(const std::vector<Place>& places, const std::vector<CompletedValues>& values) {
    std::string text =
        "# fish completion for tilewise; from: tilewise completion fish\n"
        "function __tilewise_is_at\n"
        "    set -l command ''\n"
        "    for word in (commandline -opc)[2..]\n"
        "        switch \"$command/$word\"\n";
    for (const Place& place : places)
        for (const Item& command : place.commands)
            text += fmt::format("            case {}\n                set command {}\n",
                                quoted(place.words + "/" + command.word), quoted(words_of(place, command)));
    text += "        end\n    end\n    test \"$command\" = \"$argv[1]\"\nend\n";
    for (const CompletedValues& list : values)
        text += fmt::format("function __tilewise_{}\n    printf '%s\\n'{}\nend\n", list.name,
                            quoted_words(list.words, " "));
    const auto values_of = [&](const std::string& command, const std::string& option) -> std::string {
        for (const CompletedValues& list : values)
            if (std::ranges::count(list.options, option) + std::ranges::count(list.options, command + "/" + option) > 0)
                return fmt::format(" -x -a '(__tilewise_{})'", list.name);
        return " -r";
    };
    for (const Place& place : places) {
        const std::string here = quoted(fmt::format("__tilewise_is_at \"{}\"", place.words));
        for (const Item& command : place.commands)
            text += fmt::format("complete -c tilewise -f -n {} -a {} -d {}\n", here, command.word,
                                quoted(command.description));
        for (const Item& option : place.options)
            text +=
                fmt::format("complete -c tilewise -n {} -l {}{} -d {}\n", here, option.word.substr(2),
                            option.takes_value ? values_of(place.words, option.word) : "", quoted(option.description));
    }
    return text;
}

}  // namespace

std::string completion_script(const CLI::App& app, std::string_view shell, const std::vector<CompletedValues>& values) {
    std::vector<Place> places;
    add_places(app, "", {}, places);
    // Arguments of commands, where these have no option.
    for (Place& place : places) {
        if (place.words == "help" || place.words == "man") place.commands = places.front().commands;
        if (place.words == "completion") place.commands = {{"bash", ""}, {"zsh", ""}, {"fish", ""}};
    }
    if (shell == "bash") return bash_script(places, values);
    if (shell == "zsh") return zsh_script(places, values);
    if (shell == "fish") return fish_script(places, values);
    throw UsageError(fmt::format("there is no completion for {}; choose bash, zsh or fish", shell));
}

}  // namespace tilewise
