#include "db/database.h"
#include "db/facts/facts.h"
#include "db/facts/rows.h"
#include "patterns/model/error.h"
#include "patterns/picture/picture.h"
#include <chrono>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sqlite3.h>

namespace tilewise::db {

// Prepared once a connection: preparing them takes longer than running them.
struct Inserts {
    explicit Inserts(const Connection& sqlite);
    Statement find_device, add_device, find_driver, add_driver, find_pattern, add_pattern, find_observation,
        add_observation;
};

Inserts::Inserts(const Connection& sqlite)
    : find_device(sqlite,
                  "SELECT id FROM device WHERE vendor_id = ? AND device_id = ? AND name = ? AND type = ? AND uuid = ?"),
      add_device(sqlite, "INSERT INTO device (vendor_id, device_id, name, type, uuid) VALUES (?, ?, ?, ?, ?)"),
      find_driver(sqlite,
                  "SELECT id FROM driver WHERE name = ? AND info = ? AND driver_id = ? AND version = ? "
                  "AND api_version = ? AND uuid = ? AND pipeline_uuid = ? AND tiling_layout_uuid = ?"),
      add_driver(sqlite,
                 "INSERT INTO driver (name, info, driver_id, version, api_version, uuid, pipeline_uuid, "
                 "tiling_layout_uuid) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
      find_pattern(sqlite, "SELECT 1 FROM pattern WHERE id = ?"),
      add_pattern(sqlite, "INSERT INTO pattern VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      find_observation(sqlite, "SELECT id FROM observation WHERE identity = ?"),
      add_observation(sqlite,
                      "INSERT INTO observation (identity, device, driver, format, usage, image_type, width, height, "
                      "depth, levels, layers, samples, level, layer, aspect, route, memory_type, memory_flags, result, "
                      "reason, pattern, layout, elements, mismatches, time, tool_version, provenance) "
                      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)") {}

namespace {

struct Row {
    int64_t id = 0;
    bool is_new = false;
};

// Both statements take the same parameters.
template <typename... Values>
Row find_or_add(const Connection& sqlite, Statement& find, Statement& add, const Values&... values) {
    if (const std::optional<int64_t> row = find.bind(values...).only_integer()) return {*row, false};
    add.bind(values...).run();
    return {sqlite3_last_insert_rowid(sqlite.get()), true};
}

bool add_pattern(Inserts& inserts, const std::string& id, const Pattern& pattern) {
    if (inserts.find_pattern.bind(id).only_integer()) return false;
    const Layout bare = bare_layout(pattern);
    const std::string text = layout_text(bare);
    if (const std::string again = pattern_id(layout_from_text(text).pattern); again != id)
        throw Error(
            fmt::format("pattern {} becomes {} when it is read back: not stored; please report this", id, again));
    inserts.add_pattern
        .bind(id, pattern.element.bytes, pattern.tile[axis_x], pattern.tile[axis_y], pattern.tile[axis_z],
              pattern.tile[axis_s], pattern.tile_bytes, pattern_title(bare.pattern), text)
        .run();
    return true;
}

}  // namespace

Origin find_or_add_origin(Database& db, const DeviceFact& device, const DriverFact& driver) {
    if (!db.inserts) db.inserts = std::make_shared<Inserts>(db.sqlite);
    Inserts& inserts = *db.inserts;
    const Row device_row = find_or_add(db.sqlite, inserts.find_device, inserts.add_device, device.vendor_id,
                                       device.device_id, device.name, device.type, device.uuid);
    const Row driver_row =
        find_or_add(db.sqlite, inserts.find_driver, inserts.add_driver, driver.name, driver.info, driver.id,
                    driver.version, driver.api_version, driver.uuid, driver.pipeline_uuid, driver.tiling_layout_uuid);
    return {device_row.id, driver_row.id, device_row.is_new, driver_row.is_new};
}

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

    if (!db.inserts) db.inserts = std::make_shared<Inserts>(db.sqlite);
    Inserts& inserts = *db.inserts;
    Transaction transaction(db.sqlite);
    if (const std::optional<int64_t> known = inserts.find_observation.bind(identity).only_integer()) {
        added.observation = *known;
        return added;
    }
    const Origin origin = find_or_add_origin(db, device, driver);
    added.new_device = origin.new_device;
    added.new_driver = origin.new_driver;
    std::optional<std::string> pattern, layout;
    if (fact.layout) {
        added.new_pattern = add_pattern(inserts, added.pattern, fact.layout->pattern);
        pattern = added.pattern;
        layout = layout_text(*fact.layout);
    }
    inserts.add_observation
        .bind(identity, origin.device, origin.driver, fact.format, fact.usage, fact.image_type, fact.extent[0],
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
