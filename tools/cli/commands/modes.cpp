// tilewise modes: which modes (families of patterns) were seen, which are defined by a text, and which the user keeps.
#include "db/facts/kept_pattern.h"
#include "patterns/model/mode_words.h"
#include "patterns/model/text.h"
#include "patterns/modes/defined_modes.h"
#include "patterns/picture/picture.h"
#include "tools/answers/add_once.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/gpu/known_gpus.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/options/filter_options.h"
#include "tools/cli/options/open.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/texts/assumptions.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>

namespace tilewise {

namespace {

struct SeenMode {
    std::vector<std::string> patterns, sizes, modifiers, chips;
};

std::map<std::string, SeenMode> seen_modes(const std::vector<db::PatternSummary>& patterns, const std::string& words) {
    std::map<std::string, SeenMode> modes;
    ChipNames chips_of;
    for (const db::PatternSummary& pattern : patterns) {
        const Mode mode = mode_of(pattern.layout.pattern);
        if (mode.name.empty() || (!words.empty() && !is_called(mode, words))) continue;
        SeenMode& seen = modes[mode.name];
        seen.patterns.push_back(pattern.id);
        if (!mode.size.empty()) add_once(seen.sizes, mode.size);
        if (!mode.modifier.empty()) add_once(seen.modifiers, mode.modifier);
        for (const db::DeviceUse& use : pattern.devices) add_once(seen.chips, chips_of.of(use));
    }
    return modes;
}

bool has_words_of(const std::string& text, const std::vector<std::string>& words) {
    const std::string whole = to_lower(text);
    return std::ranges::all_of(words,
                               [&](const std::string& word) { return whole.find(to_lower(word)) != whole.npos; });
}

void list_modes(const Question& question, const std::vector<std::string>& words, const Globals& globals) {
    const db::Database database = open_to_read(globals);
    const Scope asked = ask(database, question, GpuAnswer::all);
    tell_gpu(asked);
    const std::map<std::string, SeenMode> modes =
        seen_modes(db::find_patterns(database, asked.filter), fmt::format("{}", fmt::join(words, " ")));
    std::vector<DefinedMode> defined;
    if (!names_origin(question))
        for (const DefinedMode& mode : defined_modes())
            if (has_words_of(mode.name + " " + mode.meaning, words)) defined.push_back(mode);
    std::vector<db::KeptPattern> kept;
    if (!names_origin(question))
        for (db::KeptPattern& pattern : db::kept_patterns(database))
            if (has_words_of(pattern.name, words)) kept.push_back(std::move(pattern));
    if (modes.empty() && defined.empty() && kept.empty())
        throw Error("no mode's name has all these words; tilewise modes lists all modes");
    if (globals.json) {
        nlohmann::ordered_json json = {{"modes", nlohmann::ordered_json::array()},
                                       {"defined", nlohmann::ordered_json::array()},
                                       {"kept", nlohmann::ordered_json::array()}};
        if (asked.gpu) json["gpu"] = to_json(*asked.gpu);
        for (const auto& [name, mode] : modes)
            json["modes"].push_back({{"name", name},
                                     {"sizes", mode.sizes},
                                     {"modifiers", mode.modifiers},
                                     {"patterns", mode.patterns},
                                     {"chips", mode.chips}});
        for (const DefinedMode& mode : defined)
            json["defined"].push_back({{"name", mode.name},
                                       {"parameters", mode.parameters},
                                       {"meaning", mode.meaning},
                                       {"source", mode.source}});
        for (const db::KeptPattern& pattern : kept)
            json["kept"].push_back({{"name", pattern.name},
                                    {"title", pattern_title(pattern.layout.pattern)},
                                    {"source", pattern.source},
                                    {"origin", pattern.origin},
                                    {"time", pattern.time}});
        return print_json(json);
    }
    bool is_first = true;
    const auto print_part = [&](const char* head, const std::vector<Row>& rows) {
        if (rows.size() == 1) return;
        if (head) print_text(fmt::format("{}{}:\n", is_first ? "" : "\n", head));
        print_table(rows, head ? 2 : 0);
        is_first = false;
    };
    std::vector<Row> rows = {{"mode", "patterns", "chips"}};
    for (const auto& [name, mode] : modes)
        rows.push_back({name, std::to_string(mode.patterns.size()), some_of(mode.chips, 6)});
    print_part(nullptr, rows);
    rows = {{"mode", "meaning", "parameters", "by"}};
    for (const DefinedMode& mode : defined) rows.push_back({mode.name, mode.meaning, mode.parameters, mode.source});
    print_part("by their definition, without a GPU (--mode NAME --param KEY=VALUE)", rows);
    rows = {{"pattern", "what it is", "from", "kept"}};
    for (const db::KeptPattern& pattern : kept)
        rows.push_back({pattern.name, pattern_title(pattern.layout.pattern),
                        fmt::format("{} {}", pattern.source, pattern.origin), pattern.time});
    print_part("kept in this database (--pattern NAME)", rows);
}

}  // namespace

void add_modes_command(CLI::App& app, const Globals& globals) {
    auto* command =
        app.add_subcommand("modes", "list the modes (families of tiles) that were seen or that documents define");
    auto options = std::make_shared<Question>();
    auto words = std::make_shared<std::vector<std::string>>();
    command->add_option("words", *words, "words of a mode's name or DRM modifier: 64KB_R_X, Tile4, block");
    add_gpu_option(*command, "-g,--gpu", options->gpu, "a product, chip, PCI id or architecture");
    command->add_option("--driver", options->driver, "part of a driver's name or version");
    command->callback([options, words, &globals] {
        list_modes(*options, split(fmt::format("{}", fmt::join(*words, " ")), ' '), globals);
    });
}

}  // namespace tilewise
