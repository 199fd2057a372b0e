// tilewise query: which patterns are known, and which devices share them.
#include "db/query/query.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/names.h"
#include "probe/formats/formats.h"
#include "probe/formats/names.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/gpu/known_gpus.h"
#include "tools/answers/image/alike_format.h"
#include "tools/answers/image/said_pattern.h"
#include "tools/answers/pattern/choose_pattern.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/options/filter_options.h"
#include "tools/cli/options/open.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/texts/assumptions.h"
#include "tools/cli/texts/modifier_text.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>

namespace tilewise {

namespace {

/// The names of these uses, each once.
template <typename NameOf>
std::vector<std::string> names_of(const std::vector<db::DeviceUse>& uses, const NameOf& name_of,
                                  std::vector<std::string> names = {}) {
    for (const db::DeviceUse& use : uses)
        if (std::string name = name_of(use); !name.empty() && std::ranges::find(names, name) == names.end())
            names.push_back(std::move(name));
    return names;
}

std::string device_name(const db::DeviceUse& use) { return use.device->name; }
std::string driver_name(const db::DeviceUse& use) { return driver_text(*use.driver); }

/// Patterns by mode: patterns of one mode belong to images of different sizes.
std::map<std::string, std::vector<const db::PatternSummary*>> by_mode(const std::vector<db::PatternSummary>& patterns) {
    std::map<std::string, std::vector<const db::PatternSummary*>> modes;
    for (const db::PatternSummary& pattern : patterns)
        if (const std::string name = mode_of(pattern.layout.pattern).name; !name.empty())
            modes[name].push_back(&pattern);
    return modes;
}

nlohmann::ordered_json patterns_json(const std::vector<db::PatternSummary>& patterns) {
    nlohmann::ordered_json json = {{"patterns", nlohmann::ordered_json::array()},
                                   {"modes", nlohmann::ordered_json::array()}};
    for (const db::PatternSummary& pattern : patterns) {
        json["patterns"].push_back(db::to_json(pattern));
        json["patterns"].back()["mode"] = to_json(mode_of(pattern.layout.pattern));
    }
    for (const auto& [name, members] : by_mode(patterns)) {
        nlohmann::ordered_json ids = nlohmann::ordered_json::array();
        for (const db::PatternSummary* pattern : members) ids.push_back(pattern->id);
        json["modes"].push_back({{"name", name}, {"patterns", ids}});
    }
    return json;
}

void print_modes(const std::vector<db::PatternSummary>& patterns) {
    constexpr size_t short_id = 8;
    std::vector<Row> rows;
    for (const auto& [name, members] : by_mode(patterns)) {
        std::vector<std::string> ids;
        for (const db::PatternSummary* pattern : members) ids.push_back(pattern->id.substr(0, short_id));
        rows.push_back({name, some_of(ids, 6)});
    }
    print_text("\nmodes:\n");
    print_columns(rows, 2);
}

/// Prints which chips share a pattern, including those that do not match the filter.
void print_shared(const std::vector<db::PatternSummary>& patterns) {
    ChipNames chips_of;
    std::vector<Row> shared;
    for (const db::PatternSummary& pattern : patterns) {
        const auto chip = [&](const db::DeviceUse& use) { return chips_of.of(use); };
        const std::vector<std::string> chips = names_of(pattern.also_devices, chip, names_of(pattern.devices, chip));
        if (chips.size() > 1) shared.push_back({pattern.id, some_of(chips, patterns.size() == 1 ? chips.size() : 12)});
    }
    if (shared.empty()) return;
    print_text("\nshared by several chips:\n");
    print_columns(shared, 2);
}

void print_gpu(const FoundGpu& gpu) {
    const db::NamedGpu& named = *gpu.named;
    std::vector<std::string> chips = named.other_chips;
    if (!named.chip.name.empty()) chips.insert(chips.begin(), named.chip.name);
    print_line(fmt::format("{}: {}{}{}, by {}; {}", gpu.asked, fmt::join(chips, " or "), chips.empty() ? "" : ", ",
                           named.chip.architecture, named.list,
                           gpu.assumed.empty() ? "probed" : "assumed from " + gpu.rests_on));
}

/// A field as in RFC 4180: quoted if it contains a comma, a quote or a line break.
std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == text.npos) return text;
    std::string field = "\"";
    for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
    return field + "\"";
}

/// Prints a line for each pattern; several values share one field, separated by "; ".
void print_csv(const std::vector<db::PatternSummary>& patterns) {
    print_text("pattern,title,mode,size,devices,drivers,formats,extents,observations\n");
    for (const db::PatternSummary& pattern : patterns) {
        const Mode mode = mode_of(pattern.layout.pattern);
        std::vector<std::string> extents;
        for (const Extent_px& extent : pattern.extents) extents.push_back(extent_text(extent));
        const auto list = [](const std::vector<std::string>& texts) {
            return fmt::format("{}", fmt::join(texts, "; "));
        };
        std::vector<std::string> fields;
        for (const std::string& text :
             {pattern.id, pattern.title, mode.name, mode.size, list(names_of(pattern.devices, device_name)),
              list(names_of(pattern.devices, driver_name)), list(pattern.formats), list(extents),
              std::to_string(pattern.observations)})
            fields.push_back(csv_field(text));
        print_text(fmt::format("{}\n", fmt::join(fields, ",")));
    }
}

void query_patterns(const Question& question, const std::string& pattern_prefix, bool as_csv, const Globals& globals) {
    if (as_csv && globals.json) throw UsageError("--csv and --json are two ways to print one answer: leave one out");
    if (question.modifier && !question.mode.empty())
        throw UsageError("--modifier and --mode are two ways to say the same thing: leave one out");
    const db::Database database = open_to_read(globals);
    Scope asked = ask(database, question, GpuAnswer::all);
    const auto kept = db::find_kept_pattern(database, pattern_prefix);
    if (!pattern_prefix.empty())
        asked.filter.pattern = kept ? pattern_id(kept->layout.pattern) : db::resolve_pattern(database, pattern_prefix);
    tell_gpu(asked);
    const db::Filter& filter = asked.filter;
    std::vector<db::PatternSummary> patterns = db::find_patterns(database, filter);
    // Without an extent, a pattern's layout is for an image of no particular size.
    if (filter.extent) {
        const std::vector<db::ObservationRow> rows = db::find_observations(database, filter);
        for (db::PatternSummary& pattern : patterns)
            if (const db::ObservationRow* image = plainest_image(rows, pattern.id))
                pattern.layout = *image->fact.layout;
    }
    if (patterns.empty() && !kept && !(question.modifier && question.format.why_unknown.empty())) {
        require_known(question.format);  // an unknown name is wrong usage here, as in every command
        if (!question.usage.empty()) probe::usage_named(question.usage);
        if (Scope of_alike = asked; !take_alike_format(database, of_alike, question.format).empty())
            throw Error(fmt::format("nobody has probed {} there: ask for {}, whose elements have the same size",
                                    question.format.name, of_alike.filter.format));
        throw Error(why_not_observed(database, filter) +
                    (filter.extent ? "; tilewise layout answers for images of other sizes" : ""));
    }
    if (globals.json) {
        nlohmann::ordered_json json;
        if (question.modifier) json["modifier"] = to_json(decode_modifier(*question.modifier));
        if (asked.gpu) json["gpu"] = to_json(*asked.gpu);
        json.update(patterns_json(patterns));
        print_json(json);
    }
    const bool is_text = !globals.json && !as_csv;
    if (question.modifier && is_text) print_modifier(decode_modifier(*question.modifier));
    if (question.modifier && patterns.empty()) {
        // The meaning of the number is an answer, whether anybody has probed such an image or not.
        print_note("No image with this modifier's pattern was read that matches the other options.");
        return;
    }
    if (question.modifier && is_text) print_text("\n");
    if (kept && is_text)
        print_line(fmt::format("{}, {}", pattern_id(kept->layout.pattern), pattern_kept(*kept).evidence));
    if (patterns.empty()) return print_note("No image with this pattern was read.");
    if (as_csv) return print_csv(patterns);
    if (globals.json) return;
    if (asked.gpu && asked.gpu->named) print_gpu(*asked.gpu);
    std::vector<Row> rows = {{"pattern", "", "devices", "drivers", "formats", "extents", "observations"}};
    for (const db::PatternSummary& pattern : patterns)
        rows.push_back({pattern.id, pattern.title, some_of(names_of(pattern.devices, device_name), 2),
                        some_of(names_of(pattern.devices, driver_name), 2), some_of(pattern.formats, 2),
                        some_of(pattern.extents, 2, [](const Extent_px& e) { return extent_text(e); }),
                        std::to_string(pattern.observations)});
    print_table(rows);
    print_modes(patterns);
    print_shared(patterns);
}

}  // namespace

void add_query_command(CLI::App& app, const Globals& globals) {
    auto* command = app.add_subcommand("query", "list the known patterns by device, driver, format, extent and usage");
    auto options = std::make_shared<Question>();
    auto pattern = std::make_shared<std::string>();
    add_filter_options(*command, *options);
    command->remove_option(command->get_option("--param"));  // only definitions have parameters, and none is observed
    command->add_option("--pattern", *pattern, "a pattern's id or a prefix of it: lists all chips that share it");
    auto as_csv = std::make_shared<bool>(false);
    command->add_flag("--csv", *as_csv, "print CSV (RFC 4180), with every list in full");
    command->callback([options, pattern, as_csv, &globals] { query_patterns(*options, *pattern, *as_csv, globals); });
}

}  // namespace tilewise
