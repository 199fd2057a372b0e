#include "db/facts/pattern_use.h"
#include "patterns/model/error.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise::db {

namespace {

constexpr std::string_view key_columns = "device, driver, pattern, provenance, usage, route";
constexpr std::string_view columns = "observations, first_time, first_observation, last_time, formats, extents";

void add(PatternUse& to, const PatternUse& more) {
    to.first = to.observations == 0 ? more.first : std::min(to.first, more.first);
    to.observations += more.observations;
    to.last_time = std::max(to.last_time, more.last_time);
    to.formats.insert(more.formats.begin(), more.formats.end());
    to.extents.insert(more.extents.begin(), more.extents.end());
}

PatternUse read_use(const Statement& row, int column) {
    PatternUse use;
    use.observations = static_cast<uint64_t>(row.integer(column));
    use.first = {row.text(column + 1), row.integer(column + 2)};
    use.last_time = row.text(column + 3);
    each_format(row.text_view(column + 4), [&](std::string_view format) { use.formats.emplace(format); });
    for (const std::array<uint32_t, 3>& extent : extents_of(row.text_view(column + 5))) use.extents.insert(extent);
    return use;
}

std::string list_of(const std::set<std::array<uint32_t, 3>>& extents) {
    std::string list;
    for (const auto& [width, height, depth] : extents)
        list += fmt::format("{}{}x{}x{}", list.empty() ? "" : ",", width, height, depth);
    return list;
}

}  // namespace

std::vector<std::array<uint32_t, 3>> extents_of(std::string_view list) {
    std::vector<std::array<uint32_t, 3>> extents;
    const char* at = list.data();
    const char* end = at + list.size();
    while (at < end) {
        std::array<uint32_t, 3>& extent = extents.emplace_back();
        for (size_t axis = 0; axis < 3; axis++) {
            const auto [stop, error] = std::from_chars(at, end, extent[axis]);
            const bool is_followed = axis < 2 ? stop < end && *stop == 'x' : stop == end || *stop == ',';
            if (error != std::errc() || !is_followed)
                throw Error(fmt::format("extents: \"{}\" is not a list of extents", list));
            at = stop == end ? end : stop + 1;
        }
    }
    return extents;
}

void count_use(PatternUses& uses, const Origin& origin, const ObservationFact& fact, const std::string& pattern,
               int64_t row) {
    if (pattern.empty()) return;
    PatternUse& use = uses[{origin.device, origin.driver, pattern, fact.provenance, fact.usage, fact.route}];
    const Sighting seen = {fact.time, row};
    use.first = use.observations == 0 ? seen : std::min(use.first, seen);
    use.observations += 1;
    use.last_time = std::max(use.last_time, fact.time);
    use.formats.insert(fact.format);
    use.extents.insert(fact.extent_px);
}

void add_uses(Database& db, const PatternUses& uses) {
    static const std::string find =
        fmt::format("SELECT {} FROM pattern_use WHERE ({}) = (?, ?, ?, ?, ?, ?)", columns, key_columns);
    static const std::string put = fmt::format(
        "INSERT INTO pattern_use ({0}, {1}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT ({0}) DO UPDATE SET ({1}) = (?7, ?8, ?9, ?10, ?11, ?12)",
        key_columns, columns);
    for (const auto& [key, more] : uses) {
        const auto& [device, driver, pattern, provenance, usage, route] = key;
        Statement& known = prepared(db, find).bind(device, driver, pattern, provenance, usage, route);
        PatternUse use = known.step() ? read_use(known, 0) : PatternUse{};
        known.reset();
        add(use, more);
        prepared(db, put)
            .bind(device, driver, pattern, provenance, usage, route, use.observations, use.first.first,
                  use.first.second, use.last_time, fmt::format("{}", fmt::join(use.formats, "\n")),
                  list_of(use.extents))
            .run();
    }
}

PatternUses stored_uses(const Database& db) {
    Statement rows(db.sqlite, fmt::format("SELECT id, {}, {} FROM pattern_use", key_columns, columns));
    PatternUses uses;
    while (rows.step()) {
        try {
            uses[{rows.integer(1), rows.integer(2), rows.text(3), rows.text(4), rows.text(5), rows.text(6)}] =
                read_use(rows, 7);
        } catch (const Error& error) {
            throw Error(fmt::format("pattern_use {} cannot be read: {}", rows.integer(0), error.what()));
        }
    }
    return uses;
}

}  // namespace tilewise::db
