// tilewise show: draws one pattern, with the equations and the evidence for it.
#include "db/facts/pattern.h"
#include "db/facts/pattern_mode.h"
#include "db/query/query.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/mode_words.h"
#include "patterns/model/names.h"
#include "patterns/model/text.h"
#include "patterns/picture/picture.h"
#include "patterns/picture/svg.h"
#include "patterns/picture/terminal.h"
#include "patterns/rules/rule_json.h"
#include "patterns/rules/rule_text.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/image/given_image.h"
#include "tools/answers/image/predicted_image.h"
#include "tools/answers/pattern/choose_pattern.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/files/files.h"
#include "tools/cli/files/tile_png.h"
#include "tools/cli/options/filter_options.h"
#include "tools/cli/options/image_options.h"
#include "tools/cli/options/open.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/texts/assumptions.h"
#include "tools/cli/texts/images_text.h"
#include "tools/cli/texts/modifier_text.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>
#include <set>
#include <span>

namespace tilewise {

namespace {

struct ShowOptions {
    std::string svg, png;
    bool rule = false;
    ImageQuestion image;  ///< the image whose pattern is shown
};

/// The same pattern that snippet chooses.
std::string chosen_pattern(const db::Database& database, const db::Filter& filter) {
    const ChosenPattern chosen = choose_pattern(database, filter);
    if (const std::string others = others_text(chosen, filter.extent.has_value()); !others.empty()) print_note(others);
    return chosen.id;
}

/// What a reader must know about a pattern that no whole image has; empty for any other pattern.
std::string small_level_text(const std::vector<db::ObservationRow>& evidence) {
    uint32_t first = UINT32_MAX, last = 0;
    for (const db::ObservationRow& row : evidence) {
        if (!row.fact.layout) continue;
        first = std::min(first, row.fact.level);
        last = std::max(last, row.fact.level);
    }
    if (first == UINT32_MAX || first == 0) return "";
    return fmt::format(
        "Only small levels of mip chains were seen with this pattern ({}): level 0 of an image has another pattern.",
        first == last ? fmt::format("level {}", first) : fmt::format("levels {} to {}", first, last));
}

/// Prints one line for all images that differ only in their extent or subresource.
void print_evidence(const std::vector<db::ObservationRow>& evidence) {
    print_text(fmt::format("\nevidence: {}\n", counted(evidence.size(), "observation")));
    struct Line {
        Row row;
        std::vector<const db::ObservationFact*> facts;
        std::string last_seen;
    };
    std::vector<Line> lines;
    for (const db::ObservationRow& observation : evidence) {
        const db::ObservationFact& fact = observation.fact;
        const Row row = {observation.device.name,
                         driver_text(observation.driver),
                         fact.format,
                         fact.route,
                         fact.memory_type < 0 ? "-" : fmt::format("{} {}", fact.memory_type, fact.memory_flags),
                         fact.provenance,
                         fact.usage};
        auto same = std::ranges::find(lines, row, &Line::row);
        if (same == lines.end()) same = lines.insert(lines.end(), {row, {}, ""});
        same->facts.push_back(&fact);
        same->last_seen = std::max(same->last_seen, fact.time);
    }
    std::vector<Row> rows = {
        {"device", "driver", "format", "images", "route", "memory type", "provenance", "usage", "last seen"}};
    for (Line& line : lines) {
        line.row.insert(line.row.begin() + 3, images_text(line.facts));
        line.row.push_back(line.last_seen);
        rows.push_back(std::move(line.row));
    }
    print_table(rows, 2);
    std::set<std::string> sources;
    for (const db::ObservationRow& observation : evidence)
        if (const std::string& source = observation.fact.reason;
            observation.fact.result == "exact" && !source.empty() && sources.insert(source).second)
            print_line(fmt::format("  {}: {}", observation.fact.provenance, source));
    std::set<std::string> granularities;
    for (const db::ObservationRow& observation : evidence)
        if (const auto& sparse = observation.fact.sparse) granularities.insert(granularity_text(*sparse));
    for (const std::string& granularity : granularities) print_line(fmt::format("  sparse memory: {}", granularity));
}

using Patterns = std::map<std::string, Pattern>;

/// The other patterns of the same mode and element size: other images have them.
Patterns others_of_mode(const db::Database& database, const std::string& id, const Pattern& pattern) {
    const std::string mode = mode_of(pattern).name;
    Patterns others;
    if (mode.empty()) return others;
    for (auto& [other_id, other] : db::patterns_of_bytes(database, pattern.element.bytes))
        if (other_id != id && mode_of(other).name == mode) others.emplace(other_id, other);
    return others;
}

void print_others(const std::string& mode, const Patterns& others) {
    if (others.empty()) return;
    print_line("");
    print_line(mode + ", in other images:");
    std::vector<Row> rows;
    for (const auto& [id, pattern] : others) rows.push_back({id, pattern_title(pattern), mode_of(pattern).size});
    print_columns(rows, 2);
}

bool is_of_kernels(const db::ImageRuleRow& row) {
    return !has_names(row.fact.usage, "color") && !has_names(row.fact.usage, "depth-stencil");
}

/// Joins rules that say the same for different usages; the first of each group stands for all.
std::vector<std::vector<JoinedRules>> join_usages(const std::vector<JoinedRules>& all) {
    std::vector<std::vector<JoinedRules>> joined;
    for (const JoinedRules& versions : all) {
        const auto same = std::ranges::find_if(joined, [&](const std::vector<JoinedRules>& usages) {
            const JoinedRules& first = usages.front();
            return std::ranges::equal(first, versions, [](const db::ImageRuleRow& a, const db::ImageRuleRow& b) {
                return a.device == b.device && a.driver == b.driver && say_the_same_of_usages(a, b);
            });
        });
        if (same == joined.end())
            joined.push_back({versions});
        else
            same->push_back(versions);
    }
    return joined;
}

void print_rules_of_usages(const std::vector<JoinedRules>& usages) {
    const JoinedRules& versions = usages.front();
    const db::ImageRuleRow& first = versions.front();
    std::vector<std::string> drivers;
    for (const db::ImageRuleRow& row : versions) drivers.push_back(driver_text(row.driver));
    print_line(fmt::format("{}, {} ({})", first.device.name, fmt::join(drivers, " and "), first.fact.provenance));
    const std::string flags = first.fact.flags.empty() ? "" : ", " + first.fact.flags;
    print_line(fmt::format("usage {}{}", first.fact.usage, flags));
    for (const db::ImageRuleRow& row : versions)
        if (&row == &first)
            print_line("formats " + row.fact.formats);
        else if (row.fact.formats != first.fact.formats)
            print_line(fmt::format("formats with {}: {}", driver_text(row.driver), row.fact.formats));
    for (const JoinedRules& other : std::span(usages).subspan(1))
        print_line(
            fmt::format("likewise with usage {}{}: {}", other.front().fact.usage, flags, other.front().fact.formats));
    print_text(rule_text(rule_from_json(first.fact.rule)));
    print_line("");
}

bool has_mode(const Rule& rule, const std::string& name) {
    return std::ranges::any_of(rule.modes,
                               [&](const BlockMode& mode) { return is_called(mode_of(mode.pattern), name); });
}

/// Throws Error: the device has rules, but none that meets the conditions.
[[noreturn]] void fail_by_conditions(const db::Filter& filter, const std::string& mode) {
    std::string images = filter.format.empty() ? "such images" : filter.format;
    std::vector<std::string> options;
    if (!filter.format.empty()) options.emplace_back("--format");
    if (!filter.usage.empty()) {
        images += " with the usage " + filter.usage;
        options.emplace_back("--usage");
    }
    if (!mode.empty()) {
        images += " in the mode " + mode;
        options.emplace_back("--mode");
    }
    throw Error(fmt::format("there is no rule for {}; leave out {} to see all rules", printable(images),
                            fmt::join(options, " and ")));
}

/// Shows the device's rules for the format; without a format, for each of its formats. Rules for single samples come
/// first, and among them those for images that kernels sample and store.
void show_rules(const ShowOptions& options, const Globals& globals) {
    const db::Database database = open_to_read(globals);
    Scope asked = ask(database, options.image.about);
    tell_gpu(asked);
    asked.filter.mode.clear();  // a rule may choose a mode that no observed image has
    std::vector<db::ImageRuleRow> rules = find_rules(database, asked.filter);
    const bool any_rule = !rules.empty();
    std::erase_if(rules, [&](const db::ImageRuleRow& row) {
        if (!has_mode(rule_from_json(row.fact.rule), options.image.about.mode)) return true;
        return !has_names(row.fact.formats, asked.filter.format) || !has_names(row.fact.usage, asked.filter.usage);
    });
    if (!any_rule) throw Error("no such rule is known; `tilewise probe --learn` learns a device's rules");
    if (rules.empty()) fail_by_conditions(asked.filter, options.image.about.mode);
    std::ranges::stable_sort(rules, {}, [](const db::ImageRuleRow& row) {
        return std::pair(rule_from_json(row.fact.rule).samples, !is_of_kernels(row));
    });
    const std::vector<JoinedRules> joined = join_versions(rules);
    if (!globals.json) {
        std::ranges::for_each(join_usages(joined), print_rules_of_usages);
        return;
    }
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const JoinedRules& versions : joined) {
        std::vector<std::string> drivers;
        for (const db::ImageRuleRow& row : versions) drivers.push_back(driver_text(row.driver));
        for (const db::ImageRuleRow& row : versions)
            json.push_back({{"device", row.device.name},
                            {"driver", driver_text(row.driver)},
                            {"formats", row.fact.formats},
                            {"usage", row.fact.usage},
                            {"flags", row.fact.flags},
                            {"provenance", row.fact.provenance},
                            {"holds_with", drivers},
                            {"rule", row.fact.rule.value()}});
    }
    print_json(json);
}

/// What is known about a pattern that possibly nobody has seen.
db::PatternSummary summary_of(const db::Database& database, const Layout& layout) {
    const std::string id = pattern_id(layout.pattern);
    const std::vector<db::PatternSummary> known = db::find_patterns(database, {.pattern = id});
    db::PatternSummary summary;
    if (!known.empty()) summary = known.front();
    summary.id = id;
    summary.title = pattern_title(layout.pattern);
    summary.layout = layout;
    return summary;
}

/// Shows a pattern that the question gives itself, and what is known about it nonetheless.
void show_said(const ShowOptions& options, const ImageQuestion& image, const Globals& globals) {
    const SaidPattern& said = *image.said;
    const Layout layout = layout_said_by(image);
    const db::Database database = open_to_read(globals);
    const std::string id = pattern_id(layout.pattern);
    const std::vector<db::ObservationRow> evidence = db::find_observations(database, {.pattern = id});
    const Patterns others = others_of_mode(database, id, layout.pattern);
    if (!options.svg.empty()) write_whole_file(options.svg, tile_svg(layout));
    if (!options.png.empty()) write_tile_png(options.png, layout);
    const std::optional<uint64_t>& modifier = options.image.about.modifier;
    if (globals.json) {
        nlohmann::ordered_json json = db::to_json(summary_of(database, layout));
        json["name"] = pattern_name(layout.pattern);
        json["mode"] = to_json(mode_of(layout.pattern));
        json["same_mode"] = nlohmann::ordered_json::array();
        for (const auto& other : others) json["same_mode"].push_back(other.first);
        if (modifier) json["modifier"] = to_json(decode_modifier(*modifier));
        json["said"] = {{"source", layout_source_name(said.source)}, {"evidence", said.evidence}};
        json["evidence"] = nlohmann::ordered_json::array();
        for (const db::ObservationRow& row : evidence) json["evidence"].push_back(db::to_json(row));
        return print_json(json);
    }
    if (modifier) {
        print_modifier(decode_modifier(*modifier));
        print_text("\n");
    }
    print_line(fmt::format("{}, {}", layout_source_name(said.source), said.evidence));
    print_layout(layout, image.about.extent ? Placed::yes : Placed::no,
                 std::holds_alternative<ModeRequest>(said.is) ? Named::no : Named::yes);
    print_memory_order(layout);
    print_evidence(evidence);
    print_others(mode_of(layout.pattern).name, others);
}

/// Prints the meaning of a modifier's number if no pattern can be shown.
void show_modifier_alone(uint64_t modifier, const std::string& why, const Globals& globals) {
    const DrmModifier decoded = decode_modifier(modifier);
    if (globals.json) return print_json({{"modifier", to_json(decoded)}, {"why_no_pattern", why}});
    print_modifier(decoded);
    print_note(why + ".");
}

void show_pattern(const ShowOptions& options, const Globals& globals) {
    if (options.svg == "-" || options.png == "-")
        throw UsageError("--svg and --png need a file name: the pattern itself goes to standard output");
    if (options.rule) {
        if (!options.image.pattern.empty() || !options.svg.empty() || !options.png.empty())
            throw UsageError("--rule shows a device's rules: it takes no pattern, --svg or --png");
        if (options.image.about.extent)
            throw UsageError("--rule shows what chooses the mode at every extent: leave out --extent");
        return show_rules(options, globals);
    }
    const std::optional<uint64_t>& modifier = options.image.about.modifier;
    const bool is_modifier_alone = modifier && options.image.pattern.empty() && !names_origin(options.image.about);
    if (is_modifier_alone && options.image.about.format.said.empty() && options.image.element_bytes == 0)
        return show_modifier_alone(*modifier, "give --format or --element-bytes to see the pattern", globals);
    if (is_modifier_alone)
        if (const Answer<SaidPattern> said = answer_of([&] { return pattern_of_modifier(*modifier); });
            said.index() == 1 && *modifier != 0)
            return show_modifier_alone(*modifier, std::get<Refusal>(said).why, globals);
    const ImageQuestion image_asked = read_said_question(options.image, globals);
    if (image_asked.said) return show_said(options, image_asked, globals);
    const db::Database database = open_to_read(globals);
    const PatternScope where = ask_pattern(database, options.image);
    const Scope& asked = where.scope;
    db::Filter filter = asked.filter;
    std::optional<FoundImage> unobserved;
    if (!options.image.pattern.empty() && options.image.element_bytes != 0)
        throw UsageError("--element-bytes: a pattern has elements of its own size; leave it out");
    if (!options.image.pattern.empty())
        filter.pattern = db::resolve_pattern(database, options.image.pattern);
    else
        unobserved = find_unobserved(database, filter, image_asked);
    if (unobserved) {
        tell_assumptions(*unobserved);
        filter.pattern = pattern_of(*unobserved, database, filter).id;
        filter.extent.reset();
    } else {
        tell_gpu(asked);
        if (!where.alike.empty()) tell_assumed(where.alike);
        if (take_usual_format(database, filter)) print_note(usual_format_text(filter));
        if (filter.pattern.empty()) filter.pattern = chosen_pattern(database, filter);
    }
    const db::PatternSummary pattern = unobserved ? summary_of(database, unobserved->image.subresources.front().layout)
                                                  : db::pattern_summary(database, filter.pattern);
    const std::vector<db::ObservationRow> evidence = db::find_observations(database, filter);
    if (evidence.empty() && !unobserved) throw Error(db::why_nothing(database, filter));
    const db::ObservationRow* image = plainest_image(evidence, pattern.id);
    const Layout& layout = unobserved ? unobserved->image.subresources.front().layout
                           : image    ? *image->fact.layout
                                      : pattern.layout;
    if (!options.svg.empty()) write_whole_file(options.svg, tile_svg(layout));
    if (!options.png.empty()) write_tile_png(options.png, layout);
    const Patterns others = others_of_mode(database, pattern.id, pattern.layout.pattern);
    if (globals.json) {
        nlohmann::ordered_json json = db::to_json(pattern);
        json["layout"] = to_json(layout);
        json["name"] = pattern_name(pattern.layout.pattern);
        json["mode"] = to_json(mode_of(pattern.layout.pattern));
        json["same_mode"] = nlohmann::ordered_json::array();
        for (const auto& other : others) json["same_mode"].push_back(other.first);
        if (asked.gpu) json["gpu"] = to_json(*asked.gpu);
        if (modifier) json["modifier"] = to_json(decode_modifier(*modifier));
        json["evidence"] = nlohmann::ordered_json::array();
        for (const db::ObservationRow& row : evidence) json["evidence"].push_back(db::to_json(row));
        return print_json(json);
    }
    if (modifier) {
        print_modifier(decode_modifier(*modifier));
        print_text("\n");
    }
    if (unobserved)
        print_line(fmt::format("{}, {}", layout_source_name(unobserved->image.source), unobserved->image.evidence));
    else if (image)
        print_line(fmt::format("as seen on {}, {} {}", image->device.name, format_text(image->fact),
                               extent_text(image->fact.extent_px)));
    if (const std::string small = small_level_text(evidence); !small.empty()) print_line(small);
    print_layout(layout);
    print_memory_order(layout);
    constexpr size_t usual_columns = 80;
    if (has_colors())
        print_bytes("\n" + tile_blocks(draw_tile(layout), static_cast<uint32_t>(line_width().value_or(usual_columns))));
    print_evidence(evidence);
    print_others(mode_of(pattern.layout.pattern).name, others);
}

}  // namespace

void add_show_command(CLI::App& app, const Globals& globals) {
    auto* command = app.add_subcommand("show", "show one pattern: its tile, equations and evidence");
    auto options = std::make_shared<ShowOptions>();
    command->add_option("pattern", options->image.pattern,
                        "a pattern's id or a prefix of it; without it, the options select one");
    add_filter_options(*command, options->image.about);
    add_equation_options(*command, options->image);
    add_assume_option(*command, options->image.assume);
    command->add_option("--svg", options->svg, "draw the tile; colours and numbers follow memory order");
    command->add_option("--png", options->png, "the same drawing as PNG, of the first 16x16 elements");
    command->add_flag("--rule", options->rule,
                      "show how a device lays out images of the format: its modes, and what selects them");
    command->callback([options, &globals] { show_pattern(*options, globals); });
}

}  // namespace tilewise
