// tilewise show: one pattern, as the field draws it, and what it rests on.
#include "db/query.h"
#include "patterns/error.h"
#include "tools/commands.h"
#include "tools/facts.h"
#include "tools/filter_options.h"
#include "tools/open.h"
#include "tools/print.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>

namespace tilewise {

namespace {

struct ShowOptions {
    std::string pattern;
    FilterOptions filter;
};

/// The pattern of the images that the filter describes, if that is one.
std::string only_pattern(const db::Database& database, const db::Filter& filter) {
    const std::vector<db::PatternSummary> found = db::find_patterns(database, filter);
    if (found.empty()) throw Error(db::why_nothing(database, filter));
    if (found.size() == 1) return found.front().id;
    std::string choices;
    for (const db::PatternSummary& pattern : found)
        choices += fmt::format("{}{} ({})", choices.empty() ? "" : ", ", pattern.id,
                               pattern.extents.empty() ? pattern.title : pattern.extents.front());
    throw UsageError(
        fmt::format("these are {} patterns: {}; show one of them, or add --format or --extent", found.size(), choices));
}

void print_evidence(const std::vector<db::ObservationRow>& evidence) {
    print_text(fmt::format("\nevidence: {} observations\n", evidence.size()));
    std::vector<Row> rows = {
        {"device", "driver", "format", "extent", "usage", "route", "memory type", "time", "provenance"}};
    for (const db::ObservationRow& row : evidence) {
        const db::ObservationFact& fact = row.fact;
        rows.push_back({row.device.name, driver_text(row.driver), fact.format,
                        extent_text({fact.extent[0], fact.extent[1], fact.extent[2], fact.samples}), fact.usage,
                        fact.route,
                        fact.memory_type < 0 ? "-" : fmt::format("{} {}", fact.memory_type, fact.memory_flags),
                        fact.time, fact.provenance});
    }
    print_columns(rows, 2);
}

void show_pattern(const ShowOptions& options, const Globals& globals) {
    db::Filter filter = parse_filter(options.filter);
    const db::Database database = open_to_read(globals);
    filter.pattern =
        options.pattern.empty() ? only_pattern(database, filter) : db::resolve_pattern(database, options.pattern);
    const db::PatternSummary pattern = db::pattern_summary(database, filter.pattern);
    const std::vector<db::ObservationRow> evidence = db::find_observations(database, filter);
    if (globals.json) {
        nlohmann::ordered_json json = db::to_json(pattern);
        json["evidence"] = nlohmann::ordered_json::array();
        for (const db::ObservationRow& row : evidence) json["evidence"].push_back(db::to_json(row));
        return print_json(json);
    }
    print_layout(pattern.layout);
    print_memory_order(pattern.layout);
    print_evidence(evidence);
}

}  // namespace

void add_show_command(CLI::App& app, const Globals& globals) {
    auto* command = app.add_subcommand("show", "one pattern: its tile, equations and evidence");
    auto options = std::make_shared<ShowOptions>();
    command->add_option("pattern", options->pattern, "a pattern's id, or its beginning; else choose by the options");
    add_filter_options(*command, options->filter);
    command->callback([options, &globals] { show_pattern(*options, globals); });
}

}  // namespace tilewise
