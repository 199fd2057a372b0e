#include "db/facts/observation.h"
#include "db/facts/json.h"
#include "db/facts/pattern.h"
#include "db/facts/pattern_use.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/image_layout.h"
#include "patterns/model/json_limits.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/layout_text.h"
#include "patterns/model/one_to_one.h"

namespace tilewise::db {

namespace {

/// Returns the elements along each axis of the probed subresource, which must have a layout.
Coord elements_of(const ObservationFact& fact) {
    return tilewise::elements_of(level_extent_px(fact.extent_px, fact.level), fact.layout->pattern.element,
                                 fact.samples);
}

/// `so_far` is the identity of the device and driver; `pattern` is the id of the layout's pattern.
std::string identity_of(Identity so_far, const ObservationFact& fact, const std::string& pattern) {
    so_far.add_members(fact);
    // Not the layout's JSON: the hash must not depend on how a number is printed.
    if (fact.layout) {
        const Layout& layout = *fact.layout;
        so_far.add(fmt::format("{} {} {} {} {} {}", pattern, layout.pattern.element.width,
                               layout.pattern.element.height, fmt::join(layout.stride, " "), layout.constant,
                               layout.base));
    }
    return so_far.hash();
}

}  // namespace

void require_consistent(const ObservationFact& fact) {
    // Sides, levels and layers become loop limits where images are assembled.
    if (std::ranges::max(fact.extent_px) > max_image_side_px)
        throw Error(fmt::format("extent: {} is larger than any image can be", extent_text(fact.extent_px)));
    if (fact.levels > max_image_levels) throw Error(fmt::format("levels: {} of an image", fact.levels));
    if (fact.layers > max_image_layers) throw Error(fmt::format("layers: {} of an image", fact.layers));
    if (fact.samples > max_image_samples) throw Error(fmt::format("samples: {} a texel", fact.samples));
    if (fact.level >= fact.levels) throw Error(fmt::format("level: {} of {}", fact.level, fact.levels));
    if (fact.result == "exact" && fact.mismatches != 0)
        throw Error(fmt::format("mismatches: {} with the result \"exact\"", fact.mismatches));
    if (fact.layer >= fact.layers) throw Error(fmt::format("layer: {} of {}", fact.layer, fact.layers));
    if (fact.layout.has_value() != (fact.result == "exact"))
        throw Error(fmt::format("layout: {} with the result \"{}\"", fact.layout ? "must not be there" : "is missing",
                                fact.result));
    // The size of a plane depends on its format, which is not known here.
    if (fact.layout && !fact.aspect.starts_with("plane"))
        if (const char* why = why_not_one_to_one(*fact.layout, elements_of(fact)))
            throw Error(fmt::format("layout: in an image of {}, {}", extent_text(fact.extent_px), why));
}

Identity identity_of(const DeviceFact& device, const DriverFact& driver) {
    Identity identity;
    identity.add_members(device);
    identity.add_members(driver);
    return identity;
}

ReadyObservation made_ready(const Identity& so_far, ObservationFact fact, std::string pattern) {
    ReadyObservation ready = {.fact = std::move(fact), .pattern = std::move(pattern), .identity = {}, .placement = {}};
    ready.identity = identity_of(so_far, ready.fact, ready.pattern);
    if (ready.fact.layout) ready.placement = placement_text(*ready.fact.layout);
    return ready;
}

Added add_ready_observation(Database& db, const Origin& origin, const ReadyObservation& ready) {
    static const std::string insert =
        insert_sql<ObservationFact>({"identity", "device", "driver", "pattern", "layout"}) +
        " ON CONFLICT (identity) DO NOTHING";
    std::optional<std::string> pattern;
    if (ready.fact.layout) pattern = ready.pattern;
    bind_fact(prepared(db, insert), ready.fact, ready.identity, origin.device, origin.driver, pattern, ready.placement)
        .run();
    Added added;
    added.pattern = ready.pattern;
    added.new_observation = changed_rows(db.sqlite) != 0;
    added.observation =
        added.new_observation
            ? last_row(db.sqlite)
            : prepared(db, "SELECT id FROM observation WHERE identity = ?").bind(ready.identity).only_integer().value();
    return added;
}

namespace {

/// Does not store the use of the pattern, which is counted in `uses`.
Added add_counted(Database& db, const DeviceFact& device, const DriverFact& driver, const ObservationFact& fact_given,
                  PatternUses& uses) {
    const DeviceFact on = canonical(device);
    const DriverFact with = canonical(driver);
    ObservationFact fact = canonical(fact_given);
    std::string pattern = fact.layout ? pattern_id(fact.layout->pattern) : "";
    const bool new_pattern = fact.layout && add_pattern(db, pattern, fact.layout->pattern);
    const Origin origin = find_or_add_origin(db, on, with);
    const ReadyObservation ready = made_ready(identity_of(on, with), std::move(fact), std::move(pattern));
    Added added = add_ready_observation(db, origin, ready);
    if (added.new_observation) count_use(uses, origin, ready.fact, ready.pattern, added.observation);
    added.new_pattern = new_pattern;
    added.new_device = origin.new_device;
    added.new_driver = origin.new_driver;
    return added;
}

}  // namespace

Added add_observation_within(Database& db, const DeviceFact& device, const DriverFact& driver,
                             const ObservationFact& fact) {
    PatternUses uses;
    Added added = add_counted(db, device, driver, fact, uses);
    add_uses(db, uses);
    return added;
}

std::vector<Added> add_observations(Database& db, const DeviceFact& device, const DriverFact& driver,
                                    std::span<const ObservationFact> facts) {
    Transaction transaction(db.sqlite);
    PatternUses uses;
    std::vector<Added> added;
    for (const ObservationFact& fact : facts) added.push_back(add_counted(db, device, driver, fact, uses));
    add_uses(db, uses);
    transaction.commit();
    return added;
}

Added add_observation(Database& db, const DeviceFact& device, const DriverFact& driver, const ObservationFact& fact) {
    return add_observations(db, device, driver, std::span(&fact, 1)).front();
}

std::string identity_of(const DeviceFact& device, const DriverFact& driver, const ObservationFact& fact,
                        const std::string& pattern) {
    return identity_of(identity_of(device, driver), fact, pattern);
}

std::string select_observations(std::string_view others) {
    return select_sql<ObservationFact>(fmt::format(", pattern, layout{}", others));
}

ObservationReader::ObservationReader(const Database& db)
    : path_(db.path),
      by_row_(db.sqlite, fmt::format("{}WHERE observation.id = ?", select_observations())),
      layout_of_(db.sqlite, "SELECT layout FROM pattern WHERE id = ?") {}

const Pattern& ObservationReader::pattern(const std::string& id) {
    const auto [place, is_new] = known_.try_emplace(id);
    PatternReading& known = place->second;
    if (is_new) {
        try {
            if (!layout_of_.bind(id).step()) throw Error("there is no pattern " + id);
            known.pattern = layout_from_text(layout_of_.text(0), "pattern " + id).pattern;
        } catch (const Error& error) {
            known.why_not = error.what();
        }
        layout_of_.reset();
    }
    if (!known.pattern) throw Error(known.why_not);
    return *known.pattern;
}

ObservationRow ObservationReader::read(const Statement& row, int& column) {
    Stored<ObservationFact> stored = read_stored<ObservationFact>(row, column);
    const std::string id = row.text(column++);
    const int placement = column++;
    if (row.is_null(placement)) return {stored.row, stored.device, stored.driver, stored.fact, id};
    try {
        const Pattern& known = pattern(id);
        Layout layout = layout_from_json(parse_json(row.text_view(placement), "layout"), known);
        // Everything else in the pattern comes from the known one.
        if (layout.pattern.order != known.order)
            throw Error(fmt::format("it has the pattern {}, not {}", pattern_id(layout.pattern), id));
        stored.fact.layout = std::move(layout);
    } catch (const Error& error) {
        throw Error(fmt::format("observation {}: its layout cannot be read: {}", stored.row, error.what()));
    }
    return {stored.row, std::move(stored.device), std::move(stored.driver), std::move(stored.fact), id};
}

ObservationRow ObservationReader::read(const Statement& row) {
    int column = 0;
    return read(row, column);
}

ObservationRow ObservationReader::at(int64_t row) {
    if (!by_row_.bind(row).step()) throw Error(fmt::format("{}: has no observation {}", path_, row));
    ObservationRow found = read(by_row_);
    by_row_.reset();
    return found;
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

}  // namespace tilewise::db
