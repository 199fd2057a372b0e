#include "tools/cli/help/completion.h"
#include "patterns/model/error.h"
#include "tools/cli/help/suggest.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace tilewise {

namespace {

struct Item {
    std::string word, description;
    bool takes_value = false;
};

/// A command by its words, and what may follow it: "db export" and its options. The program itself has none.
struct Place {
    std::string words;
    std::vector<Item> commands, options;
};

/// The words that name a command there.
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

/// In single quotes, for any of the shells.
std::string quoted(std::string text) {
    for (size_t at = 0; (at = text.find('\'', at)) != text.npos; at += 4) text.replace(at, 1, "'\\''");
    return "'" + text + "'";
}

/// The lines that find out which command was typed: of words that name one behind those before, and of no others.
std::string case_of_words(const std::vector<Place>& places) {
    std::string text;
    for (const Place& place : places)
        for (const Item& command : place.commands)
            text += fmt::format("            {}) command={} ;;\n", quoted(place.words + "/" + command.word),
                                quoted(words_of(place, command)));
    return text;
}

std::string bash_script(const std::vector<Place>& places) {
    std::string text =
        "# bash completion for tilewise; from: tilewise completion bash\n"
        "_tilewise() {\n"
        "    local word command='' items='' current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
        "        case \"$command/$word\" in\n" +
        case_of_words(places) +
        "        esac\n"
        "    done\n"
        "    case \"$command\" in\n";
    std::string valued;
    for (const Place& place : places) {
        text += fmt::format("        {}) items='", quoted(place.words));
        for (const auto* items : {&place.commands, &place.options})
            for (const Item& item : *items) {
                text += item.word + " ";
                if (item.takes_value) valued += (valued.empty() ? "" : "|") + quoted(place.words + "/" + item.word);
            }
        text += "' ;;\n";
    }
    text += "    esac\n    case \"$command/$before\" in\n        " + valued +
            ") COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n    esac\n"
            "    COMPREPLY=($(compgen -W \"$items\" -- \"$current\"))\n"
            "    [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$current\"))\n"
            "}\n"
            "complete -o filenames -F _tilewise tilewise\n";
    return text;
}

std::string zsh_script(const std::vector<Place>& places) {
    std::string text =
        "#compdef tilewise\n# zsh completion for tilewise; from: tilewise completion zsh\n"
        "_tilewise() {\n"
        "    local word command=''\n"
        "    local -a commands options\n"
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
    text +=
        "    esac\n"
        "    (( ${#commands} )) && _describe command commands\n"
        "    _describe -o option options\n"
        "    (( ${#commands} )) || _files\n"
        "}\n"
        "if [ \"$funcstack[1]\" = _tilewise ]; then _tilewise \"$@\"; else compdef _tilewise tilewise; fi\n";
    return text;
}

std::string fish_script(const std::vector<Place>& places) {
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
    for (const Place& place : places) {
        const std::string here = quoted(fmt::format("__tilewise_is_at \"{}\"", place.words));
        for (const Item& command : place.commands)
            text += fmt::format("complete -c tilewise -f -n {} -a {} -d {}\n", here, command.word,
                                quoted(command.description));
        for (const Item& option : place.options)
            text += fmt::format("complete -c tilewise -n {} -l {}{} -d {}\n", here, option.word.substr(2),
                                option.takes_value ? " -r" : "", quoted(option.description));
    }
    return text;
}

}  // namespace

std::string completion_script(const CLI::App& app, std::string_view shell) {
    std::vector<Place> places;
    add_places(app, "", {}, places);
    if (shell == "bash") return bash_script(places);
    if (shell == "zsh") return zsh_script(places);
    if (shell == "fish") return fish_script(places);
    throw UsageError(fmt::format("there is no completion for {}; there is for bash, zsh and fish", shell));
}

}  // namespace tilewise
