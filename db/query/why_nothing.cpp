// For a query that found nothing: which of its conditions is to blame, and what comes closest to it.
#include "db/facts/pattern_mode.h"
#include "db/query/query.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <set>

namespace tilewise::db {

namespace {

std::vector<std::string> nearest(std::vector<std::string> names, const std::string& wanted, size_t max_count = 5) {
    std::ranges::stable_sort(names, {},
                             [&](const std::string& name) { return edit_distance(to_lower(name), to_lower(wanted)); });
    names.resize(std::min(names.size(), max_count));
    return names;
}

/// Sorts existing names so that those with a similar beginning come first: for D24_UNORM_S8_UINT, D16_UNORM before
/// R8_UNORM.
std::vector<std::string> nearest_in_kind(std::vector<std::string> names, const std::string& wanted) {
    const auto alike = [&](const std::string& name) { return std::ranges::mismatch(name, wanted).in1 - name.begin(); };
    std::vector<std::string> near = nearest(std::move(names), wanted, SIZE_MAX);
    std::ranges::stable_sort(near, std::ranges::greater{}, alike);
    near.resize(std::min<size_t>(near.size(), 5));
    return near;
}

std::vector<std::string> modes(const Database& db) {
    std::set<std::string> names;
    for (const auto& [id, mode] : modes_of_patterns(db)) names.insert(mode.name);
    names.erase("");
    return {names.begin(), names.end()};
}

std::vector<std::string> texts_of(Statement& statement) {
    std::vector<std::string> values;
    while (statement.step()) values.push_back(statement.text(0));
    return values;
}

std::vector<std::string> column(const Database& db, std::string_view sql) {
    Statement statement(db.sqlite, sql);
    return texts_of(statement);
}

bool matches_any(const Database& db, const Filter& filter) {
    const Condition condition = condition_of(db, filter);
    Statement statement(db.sqlite, fmt::format("SELECT 1 FROM observation WHERE {} LIMIT 1", condition.sql));
    return bind(statement, condition).step();
}

// The filter asks for something that exists but has no pattern.
std::string only_others(const Database& db, const Filter& filter) {
    const Condition condition = condition_of(db, filter);
    Statement statement(
        db.sqlite,
        fmt::format("SELECT result, count(*), max(reason) FROM observation WHERE {} GROUP BY result", condition.sql));
    bind(statement, condition);
    std::vector<std::string> results;
    while (statement.step()) {
        const std::string reason = statement.text(2);
        results.push_back(fmt::format("{} {}{}", statement.integer(1), statement.text(0),
                                      reason.empty() ? "" : fmt::format(" ({})", reason)));
    }
    return fmt::format("no pattern: what was observed is {}", fmt::join(results, ", "));
}

constexpr const char* extent_sql = "width || 'x' || height || iif(depth = 1, '', 'x' || depth)";

/// A condition that could be replaced if the conditions have no match in common: the first one without which there is a
/// match.
struct Exchangeable {
    const char* plural;
    const char* column_sql;
    std::string wanted;
    Filter rest;  ///< all other conditions
};

std::vector<Exchangeable> exchangeable(const Filter& filter) {
    Filter of_any_format = filter, of_any_extent = filter, of_any_usage = filter;
    of_any_format.format.clear();
    of_any_extent.extent.reset();
    of_any_usage.usage.clear();
    std::vector<Exchangeable> list;
    if (!filter.format.empty()) list.push_back({"formats", "format", filter.format, of_any_format});
    if (filter.extent) list.push_back({"extents", extent_sql, extent_text(*filter.extent), of_any_extent});
    if (!filter.usage.empty()) list.push_back({"usages", "usage", filter.usage, of_any_usage});
    return list;
}

struct NamedCondition {
    Filter alone;
    std::string said;                                  ///< "of the device \"2080 Ti\""
    std::function<std::vector<std::string>()> others;  ///< the existing values
    std::string wanted;
};

std::vector<NamedCondition> wanted_by(const Database& db, const Filter& f) {
    std::vector<NamedCondition> list;
    using NameSource = std::function<std::vector<std::string>()>;
    const auto named = [&db](const char* sql) -> NameSource { return [&db, sql] { return column(db, sql); }; };
    const auto add = [&](const std::string& value, std::string Filter::*member, const char* words,
                         const NameSource& others) {
        if (value.empty()) return;
        NamedCondition condition{
            .alone = {}, .said = fmt::format("{} \"{}\"", words, value), .others = others, .wanted = value};
        condition.alone.*member = value;
        list.push_back(std::move(condition));
    };
    add(f.vendor, &Filter::vendor, "of the vendor", named("SELECT DISTINCT name FROM device ORDER BY name"));
    add(f.device, &Filter::device, "of a device named", named("SELECT DISTINCT name FROM device ORDER BY name"));
    add(f.driver, &Filter::driver, "with a driver named", [&db, f] {
        if (!f.devices) return column(db, "SELECT DISTINCT trim(name || ' ' || info) FROM driver ORDER BY 1");
        std::set<std::string> names;
        for (const DriverFact& driver : drivers_of(db, *f.devices))
            names.insert(driver.info.empty() ? driver.name : driver.name + " " + driver.info);
        return std::vector(names.begin(), names.end());
    });
    add(f.format, &Filter::format, "of the format", named("SELECT DISTINCT format FROM observation ORDER BY 1"));
    // Each usage is a list of names: for a name that was never probed, the existing names are reported.
    add(f.usage, &Filter::usage, "with the usage", [&db] {
        std::set<std::string> names;
        for (const std::string& usage : column(db, "SELECT DISTINCT usage FROM observation"))
            for (std::string& name : split(usage)) names.insert(std::move(name));
        return std::vector(names.begin(), names.end());
    });
    add(f.result, &Filter::result, "with the result", named("SELECT DISTINCT result FROM observation ORDER BY 1"));
    add(f.pattern, &Filter::pattern, "of the pattern", named("SELECT id FROM pattern"));
    add(f.provenance, &Filter::provenance, "with the provenance",
        named("SELECT DISTINCT provenance FROM observation ORDER BY 1"));
    add(f.mode, &Filter::mode, "of the mode", [&db] { return modes(db); });
    if (f.devices) {
        NamedCondition condition{.alone = {},
                                 .said = fmt::format("of the GPU \"{}\"", f.gpu),
                                 .others = named("SELECT DISTINCT name FROM device ORDER BY name"),
                                 .wanted = f.gpu};
        condition.alone.devices = f.devices;
        list.push_back(std::move(condition));
    }
    if (f.extent) {
        NamedCondition condition{
            .alone = {},
            .said = "of the extent " + extent_text(*f.extent),
            .others =
                [&db] {
                    return column(db, fmt::format("SELECT DISTINCT {} FROM observation ORDER BY width, height, depth",
                                                  extent_sql));
                },
            .wanted = extent_text(*f.extent)};
        condition.alone.extent = f.extent;
        list.push_back(std::move(condition));
    }
    return list;
}

}  // namespace

std::string why_nothing(const Database& db, const Filter& filter) {
    if (!matches_any(db, {})) return fmt::format("no observation in {}: run `tilewise probe`", db.path);
    if (matches_any(db, filter)) return only_others(db, filter);
    std::vector<std::string> said;
    for (const NamedCondition& condition : wanted_by(db, filter)) {
        if (!matches_any(db, condition.alone))
            return fmt::format("no observation {}; there are: {}", condition.said,
                               fmt::join(nearest(condition.others(), condition.wanted), ", "));
        said.push_back(condition.said);
    }
    for (const Exchangeable& each : exchangeable(filter)) {
        const Condition condition = condition_of(db, each.rest);
        Statement statement(db.sqlite, fmt::format("SELECT DISTINCT {} FROM observation WHERE {} ORDER BY 1",
                                                   each.column_sql, condition.sql));
        bind(statement, condition);
        if (const std::vector<std::string> others = texts_of(statement); !others.empty())
            return fmt::format("no observation {} together; the nearest {} that were seen so: {}",
                               fmt::join(said, ", "), each.plural,
                               fmt::join(nearest_in_kind(others, each.wanted), ", "));
    }
    return fmt::format(
        "no observation {} together, though each of these conditions alone has some; leave one of them out",
        fmt::join(said, ", "));
}

}  // namespace tilewise::db
