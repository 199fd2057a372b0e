#include "db/database.h"
#include "db/facts.h"
#include "patterns/error.h"
#include "patterns/picture.h"
#include <chrono>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sqlite3.h>

namespace tilewise::db {

namespace {

// Inserts unless the same is there; the row of the one or the other. `insert` and `find` take the same parameters.
template <typename... Values>
std::pair<int64_t, bool> insert_or_find(const Connection& sqlite, const char* insert, const char* find,
                                        const Values&... values) {
    Statement existing(sqlite, find);
    if (existing.bind(values...).step()) return {existing.integer(0), false};
    Statement(sqlite, insert).bind(values...).run();
    return {sqlite3_last_insert_rowid(sqlite.get()), true};
}

std::pair<int64_t, bool> add_device(const Connection& sqlite, const DeviceFact& fact) {
    return insert_or_find(
        sqlite, "INSERT INTO device (vendor_id, device_id, name, type, uuid) VALUES (?, ?, ?, ?, ?)",
        "SELECT id FROM device WHERE vendor_id = ? AND device_id = ? AND name = ? AND type = ? AND uuid = ?",
        fact.vendor_id, fact.device_id, fact.name, fact.type, fact.uuid);
}

std::pair<int64_t, bool> add_driver(const Connection& sqlite, const DriverFact& fact) {
    return insert_or_find(
        sqlite,
        "INSERT INTO driver (name, info, driver_id, version, api_version, uuid, pipeline_uuid, tiling_layout_uuid) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        "SELECT id FROM driver WHERE name = ? AND info = ? AND driver_id = ? AND version = ? AND api_version = ? "
        "AND uuid = ? AND pipeline_uuid = ? AND tiling_layout_uuid = ?",
        fact.name, fact.info, fact.id, fact.version, fact.api_version, fact.uuid, fact.pipeline_uuid,
        fact.tiling_layout_uuid);
}

bool add_pattern(const Connection& sqlite, const std::string& id, const Pattern& pattern) {
    const Layout bare = bare_layout(pattern);
    const std::string text = layout_text(bare);
    if (const std::string again = pattern_id(layout_from_text(text).pattern); again != id)
        throw Error(
            fmt::format("pattern {} becomes {} when it is read back: not stored; please report this", id, again));
    Statement(sqlite, "INSERT INTO pattern VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
        .bind(id, pattern.element.bytes, pattern.tile[axis_x], pattern.tile[axis_y], pattern.tile[axis_z],
              pattern.tile[axis_s], pattern.tile_bytes, pattern_title(bare.pattern), text)
        .run();
    return sqlite3_changes(sqlite.get()) != 0;
}

}  // namespace

std::string utc_now() {
    using namespace std::chrono;
    const auto now = floor<milliseconds>(system_clock::now());
    const auto seconds_part = floor<seconds>(now);
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(system_clock::to_time_t(seconds_part)),
                       (now - seconds_part).count());
}

Added add_observation(Database& db, const DeviceFact& device_given, const DriverFact& driver_given,
                      const ObservationFact& fact_given) {
    const DeviceFact device = canonical(device_given);
    const DriverFact driver = canonical(driver_given);
    const ObservationFact fact = canonical(fact_given);
    const std::string identity = identity_of(device, driver, fact);

    Added added;
    if (fact.layout) added.pattern = pattern_id(fact.layout->pattern);

    Transaction transaction(db.sqlite);
    Statement existing(db.sqlite, "SELECT id FROM observation WHERE identity = ?");
    if (existing.bind(identity).step()) {
        added.observation = existing.integer(0);
        return added;
    }
    const auto [device_row, new_device] = add_device(db.sqlite, device);
    const auto [driver_row, new_driver] = add_driver(db.sqlite, driver);
    added.new_device = new_device;
    added.new_driver = new_driver;
    std::optional<std::string> pattern, layout;
    if (fact.layout) {
        added.new_pattern = add_pattern(db.sqlite, added.pattern, fact.layout->pattern);
        pattern = added.pattern;
        layout = layout_text(*fact.layout);
    }
    Statement(
        db.sqlite,
        "INSERT INTO observation (identity, device, driver, format, usage, image_type, width, height, depth, levels, "
        "layers, samples, level, layer, aspect, route, memory_type, memory_flags, result, reason, pattern, layout, "
        "elements, mismatches, time, tool_version, provenance) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(identity, device_row, driver_row, fact.format, fact.usage, fact.image_type, fact.extent[0],
              fact.extent[1], fact.extent[2], fact.levels, fact.layers, fact.samples, fact.level, fact.layer,
              fact.aspect, fact.route, fact.memory_type, fact.memory_flags, fact.result, fact.reason, pattern, layout,
              fact.elements, fact.mismatches, fact.time, fact.tool_version, fact.provenance)
        .run();
    added.observation = sqlite3_last_insert_rowid(db.sqlite.get());
    added.new_observation = true;
    transaction.commit();
    return added;
}

bool add_disagreement(Database& db, const DisagreementFact& fact) {
    Transaction transaction(db.sqlite);
    Statement(db.sqlite,
              "INSERT INTO disagreement (first, second, differing, x, y, z, s, first_offset, second_offset, text) "
              "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (first, second) DO NOTHING")
        .bind(fact.first, fact.second, fact.differing, fact.element[axis_x], fact.element[axis_y], fact.element[axis_z],
              fact.element[axis_s], fact.first_offset, fact.second_offset, fact.text)
        .run();
    const bool is_new = sqlite3_changes(db.sqlite.get()) != 0;
    transaction.commit();
    return is_new;
}

}  // namespace tilewise::db
