#include "db/facts/observation.h"
#include "db/facts/identity.h"
#include "db/facts/json.h"
#include "db/facts/pattern.h"
#include "patterns/model/bits.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/layout_text.h"
#include "patterns/model/one_to_one.h"
#include <algorithm>

namespace tilewise::db {

namespace {

/// Of the subresource that was probed.
Coord elements_of(const ObservationFact& fact) {
    Coord elements = {fact.extent[0], fact.extent[1], fact.extent[2], fact.samples};
    const Element& element = fact.layout->pattern.element;
    for (const Axis a : {axis_x, axis_y, axis_z})
        elements[a] = fact.level < 32 ? std::max(elements[a] >> fact.level, 1U) : 1;
    elements[axis_x] = static_cast<uint32_t>(ceil_div(elements[axis_x], element.width));
    elements[axis_y] = static_cast<uint32_t>(ceil_div(elements[axis_y], element.height));
    return elements;
}

/// `pattern` is that of the layout.
std::string identity_of(const DeviceFact& device, const DriverFact& driver, const ObservationFact& fact,
                        const std::string& pattern) {
    Identity identity;
    identity.add_members(device);
    identity.add_members(driver);
    identity.add_members(fact);
    // Not the layout's JSON: what this hash covers must not depend on how a number is printed.
    if (fact.layout) {
        const Layout& layout = *fact.layout;
        identity.add(fmt::format("{} {} {} {} {} {}", pattern, layout.pattern.element.width,
                                 layout.pattern.element.height, fmt::join(layout.stride, " "), layout.constant,
                                 layout.base));
    }
    return identity.hash();
}

}  // namespace

void require_consistent(const ObservationFact& fact) {
    if (fact.level >= fact.levels) throw Error(fmt::format("level: {} of {}", fact.level, fact.levels));
    if (fact.result == "exact" && fact.mismatches != 0)
        throw Error(fmt::format("mismatches: {} with the result \"exact\"", fact.mismatches));
    if (fact.layer >= fact.layers) throw Error(fmt::format("layer: {} of {}", fact.layer, fact.layers));
    if (fact.layout.has_value() != (fact.result == "exact"))
        throw Error(fmt::format("layout: {} with the result \"{}\"", fact.layout ? "must not be there" : "is missing",
                                fact.result));
    // How large a plane is its format says, which is not known here.
    if (fact.layout && !fact.aspect.starts_with("plane"))
        if (const char* why = why_not_one_to_one(*fact.layout, elements_of(fact)))
            throw Error(fmt::format("layout: in an image of {}, {}", extent_text(fact.extent), why));
}

Added add_observation_within(Database& db, const DeviceFact& device_given, const DriverFact& driver_given,
                             const ObservationFact& fact_given) {
    static const std::string insert =
        insert_sql<ObservationFact>({"identity", "device", "driver", "pattern", "layout"}) +
        " ON CONFLICT (identity) DO NOTHING";
    const DeviceFact device = canonical(device_given);
    const DriverFact driver = canonical(driver_given);
    const ObservationFact fact = canonical(fact_given);

    Added added;
    const Origin origin = find_or_add_origin(db, device, driver);
    added.new_device = origin.new_device;
    added.new_driver = origin.new_driver;
    std::optional<std::string> pattern, layout;
    if (fact.layout) {
        added.pattern = pattern_id(fact.layout->pattern);
        added.new_pattern = add_pattern(db, added.pattern, fact.layout->pattern);
        pattern = added.pattern;
        layout = layout_text(*fact.layout);
    }
    const std::string identity = identity_of(device, driver, fact, added.pattern);
    bind_fact(prepared(db, insert), fact, identity, origin.device, origin.driver, pattern, layout).run();
    added.new_observation = changed_rows(db.sqlite) != 0;
    added.observation =
        added.new_observation
            ? last_row(db.sqlite)
            : prepared(db, "SELECT id FROM observation WHERE identity = ?").bind(identity).only_integer().value();
    return added;
}

Added add_observation(Database& db, const DeviceFact& device, const DriverFact& driver, const ObservationFact& fact) {
    Transaction transaction(db.sqlite);
    Added added = add_observation_within(db, device, driver, fact);
    transaction.commit();
    return added;
}

std::string identity_of(const DeviceFact& device, const DriverFact& driver, const ObservationFact& fact) {
    return identity_of(device, driver, fact, fact.layout ? pattern_id(fact.layout->pattern) : "");
}

std::string select_observations(std::string_view others) {
    return select_sql<ObservationFact>(fmt::format(", pattern, layout{}", others));
}

ObservationRow read_observation(const Statement& row, int& column) {
    Stored<ObservationFact> stored = read_stored<ObservationFact>(row, column);
    const int pattern = column++, layout = column++;
    if (!row.is_null(layout))
        stored.fact.layout = layout_from_text(row.text(layout), fmt::format("observation {}", stored.row));
    return {stored.row, std::move(stored.device), std::move(stored.driver), std::move(stored.fact), row.text(pattern)};
}

ObservationRow read_observation(const Statement& row) {
    int column = 0;
    return read_observation(row, column);
}

ObservationRow observation_at(const Database& db, int64_t row) {
    Statement statement(db.sqlite, fmt::format("{}WHERE observation.id = ?", select_observations()));
    if (!statement.bind(row).step()) throw Error(fmt::format("{}: has no observation {}", db.path, row));
    return read_observation(statement);
}

nlohmann::ordered_json to_json(const ObservationRow& row) {
    nlohmann::ordered_json json = {{"device", to_json(row.device)}, {"driver", to_json(row.driver)}};
    json.update(members_json(row.fact));
    if (row.fact.layout) {
        json["pattern"] = row.pattern;
        json["layout"] = tilewise::to_json(*row.fact.layout);
    }
    return json;
}

std::string extent_text(const std::array<uint32_t, 3>& extent) {
    return extent[2] == 1 ? fmt::format("{}x{}", extent[0], extent[1]) : fmt::format("{}", fmt::join(extent, "x"));
}

}  // namespace tilewise::db
