#include "db/facts/validation.h"
#include "db/facts/facts.h"
#include "db/facts/rows.h"
#include <fmt/format.h>
#include <sqlite3.h>

namespace tilewise::db {

namespace {

// The same columns for writing and for reading.
constexpr std::string_view columns =
    "kernel, method, kernel_order, format, pattern, width, height, radius, group_width, group_height, invocations, "
    "memory_type, samples, discarded, median_ms, interval_low_ms, interval_high_ms, ratio, ratio_low, ratio_high, "
    "verdict, floor_ms, time, tool_version";

ValidationRow read_validation(const Statement& row) {
    ValidationRow out;
    int column = 0;
    const auto text = [&] { return row.text(column++); };
    const auto number = [&] { return static_cast<uint32_t>(row.integer(column++)); };
    const auto real = [&] { return row.real(column++); };
    out.row = row.integer(column++);
    out.device = read_device(row, column);
    out.driver = read_driver(row, column);
    ValidationFact& fact = out.fact;
    for (std::string* member : {&fact.kernel, &fact.method, &fact.order, &fact.format, &fact.pattern}) *member = text();
    for (uint32_t* member :
         {&fact.extent[0], &fact.extent[1], &fact.radius, &fact.shape[0], &fact.shape[1], &fact.invocations})
        *member = number();
    fact.memory_type = static_cast<int32_t>(row.integer(column++));
    fact.samples = number();
    fact.discarded = number();
    for (double* member : {&fact.median_ms, &fact.interval_ms[0], &fact.interval_ms[1], &fact.ratio,
                           &fact.ratio_interval[0], &fact.ratio_interval[1]})
        *member = real();
    fact.verdict = text();
    fact.floor_ms = real();
    fact.time = text();
    fact.tool_version = text();
    return out;
}

}  // namespace

ValidationAdded add_validation(Database& db, const DeviceFact& device, const DriverFact& driver,
                               const ValidationFact& fact_given) {
    const ValidationFact fact = canonical(fact_given);
    Transaction transaction(db.sqlite);
    const Origin origin = find_or_add_origin(db, canonical(device), canonical(driver));
    Statement(
        db.sqlite,
        fmt::format("INSERT INTO validation (device, driver, {}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                    "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                    columns))
        .bind(origin.device, origin.driver, fact.kernel, fact.method, fact.order, fact.format, fact.pattern,
              fact.extent[0], fact.extent[1], fact.radius, fact.shape[0], fact.shape[1], fact.invocations,
              fact.memory_type, fact.samples, fact.discarded, fact.median_ms, fact.interval_ms[0], fact.interval_ms[1],
              fact.ratio, fact.ratio_interval[0], fact.ratio_interval[1], fact.verdict, fact.floor_ms, fact.time,
              fact.tool_version)
        .run();
    const bool is_new = sqlite3_changes(db.sqlite.get()) != 0;
    transaction.commit();
    return {is_new, origin.new_device, origin.new_driver};
}

std::vector<ValidationRow> find_validations(const Database& db) {
    Statement rows(db.sqlite,
                   fmt::format("SELECT validation.id, vendor_id, device_id, device.name, type, device.uuid, "
                               "driver.name, info, driver_id, version, api_version, driver.uuid, pipeline_uuid, "
                               "tiling_layout_uuid, {} FROM validation JOIN device ON device.id = device "
                               "JOIN driver ON driver.id = driver "
                               "ORDER BY vendor_id, device.name, device_id, device.uuid, driver.name, info, version, "
                               "driver.uuid, time, kernel, format, radius, method, kernel_order, group_width, "
                               "group_height, validation.id",
                               columns));
    std::vector<ValidationRow> list;
    while (rows.step()) list.push_back(read_validation(rows));
    return list;
}

nlohmann::ordered_json to_json(const ValidationFact& fact) {
    using Json = nlohmann::ordered_json;
    const auto interval = [](const std::array<double, 2>& ends) { return ends[1] > 0 ? Json(ends) : Json(nullptr); };
    const auto known = [](double value) { return value > 0 ? Json(value) : Json(nullptr); };
    return {{"kernel", fact.kernel},
            {"method", fact.method},
            {"order", fact.order},
            {"format", fact.format},
            {"pattern", fact.pattern},
            {"extent", fact.extent},
            {"radius", fact.radius},
            {"shape", fact.shape},
            {"invocations", fact.invocations},
            {"memory_type", fact.memory_type},
            {"samples", fact.samples},
            {"discarded", fact.discarded},
            {"median_ms", fact.median_ms},
            {"interval_ms", interval(fact.interval_ms)},
            {"ratio", known(fact.ratio)},
            {"ratio_interval", interval(fact.ratio_interval)},
            {"verdict", fact.verdict},
            {"floor_ms", known(fact.floor_ms)},
            {"time", fact.time},
            {"tool_version", fact.tool_version}};
}

}  // namespace tilewise::db
