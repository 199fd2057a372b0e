#include "db/facts/lanes.h"
#include "db/facts/facts.h"
#include "db/facts/rows.h"
#include "patterns/model/error.h"
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <sqlite3.h>

namespace tilewise::db {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view select_origin =
    "vendor_id, device_id, device.name, type, device.uuid, "
    "driver.name, info, driver_id, version, api_version, driver.uuid, pipeline_uuid, tiling_layout_uuid, ";

constexpr std::string_view from_lane_orders =
    "width, height, depth, built_in, subgroup_size, matrix, note, time, tool_version "
    "FROM lane_order JOIN device ON device.id = device JOIN driver ON driver.id = driver ";

constexpr std::string_view from_start_orders =
    "width, height, visit, statistics, note, time, tool_version "
    "FROM start_order JOIN device ON device.id = device JOIN driver ON driver.id = driver ";

constexpr std::string_view same_model =
    "WHERE vendor_id = ? AND device_id = ? AND device.name = ? AND driver.name = ? AND info = ? AND version = ? ";

constexpr std::string_view by_origin =
    "ORDER BY vendor_id, device.name, device_id, device.uuid, driver.name, info, version, driver.uuid, ";
constexpr std::string_view then_by_lanes =
    "built_in DESC, width * height * depth, width, height, subgroup_size, matrix, note, lane_order.id";
constexpr std::string_view then_by_starts = "time DESC, visit, statistics, note, start_order.id";

std::optional<std::string> matrix_text(const LaneOrderFact& fact) {
    if (!fact.matrix) return {};
    return nlohmann::json(lane_names(*fact.matrix)).dump();
}

LaneMatrix matrix_from(const std::string& text) {
    return lanes_from_names(nlohmann::json::parse(text).get<std::vector<std::string>>());
}

/// The row before what is wrong with its JSON.
template <typename Read>
auto read_json(const char* what, int64_t row, Read read) {
    try {
        return read();
    } catch (const std::exception& error) {
        throw Error(fmt::format("{} {} cannot be read: {}", what, row, error.what()));
    }
}

LaneOrderRow read_lane_order(const Statement& row) {
    LaneOrderRow out;
    int column = 0;
    out.row = row.integer(column++);
    out.device = read_device(row, column);
    out.driver = read_driver(row, column);
    for (uint32_t& side : out.fact.shape) side = static_cast<uint32_t>(row.integer(column++));
    out.fact.built_in = row.text(column++);
    out.fact.subgroup_size = static_cast<uint32_t>(row.integer(column++));
    if (!row.is_null(column))
        out.fact.matrix = read_json("lane order", out.row, [&] { return matrix_from(row.text(column)); });
    ++column;
    out.fact.note = row.text(column++);
    out.fact.time = row.text(column++);
    out.fact.tool_version = row.text(column++);
    return out;
}

StartOrderRow read_start_order(const Statement& row) {
    StartOrderRow out;
    int column = 0;
    out.row = row.integer(column++);
    out.device = read_device(row, column);
    out.driver = read_driver(row, column);
    for (uint32_t& side : out.fact.grid) side = static_cast<uint32_t>(row.integer(column++));
    out.fact.visit = row.text(column++);
    out.fact.statistics = read_json("start order", out.row, [&] { return nlohmann::json::parse(row.text(column)); });
    ++column;
    out.fact.note = row.text(column++);
    out.fact.time = row.text(column++);
    out.fact.tool_version = row.text(column++);
    return out;
}

std::vector<LaneOrderRow> all_lane_orders(Statement& rows) {
    std::vector<LaneOrderRow> list;
    while (rows.step()) list.push_back(read_lane_order(rows));
    return list;
}

std::vector<StartOrderRow> all_start_orders(Statement& rows) {
    std::vector<StartOrderRow> list;
    while (rows.step()) list.push_back(read_start_order(rows));
    return list;
}

void bind_model(Statement& statement, const DeviceFact& device_given, const DriverFact& driver_given) {
    const DeviceFact device = canonical(device_given);
    const DriverFact driver = canonical(driver_given);
    statement.bind(device.vendor_id, device.device_id, device.name, driver.name, driver.info, driver.version);
}

}  // namespace

LaneAdded add_lane_order(Database& db, const DeviceFact& device, const DriverFact& driver,
                         const LaneOrderFact& fact_given) {
    const LaneOrderFact fact = canonical(fact_given);
    Transaction transaction(db.sqlite);
    const Origin origin = find_or_add_origin(db, canonical(device), canonical(driver));
    Statement(db.sqlite,
              "INSERT INTO lane_order (device, driver, width, height, depth, built_in, subgroup_size, matrix, note, "
              "time, tool_version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
        .bind(origin.device, origin.driver, fact.shape[0], fact.shape[1], fact.shape[2], fact.built_in,
              fact.subgroup_size, matrix_text(fact), fact.note, fact.time, fact.tool_version)
        .run();
    const bool is_new = sqlite3_changes(db.sqlite.get()) != 0;
    transaction.commit();
    return {is_new, origin.new_device, origin.new_driver};
}

LaneAdded add_start_order(Database& db, const DeviceFact& device, const DriverFact& driver,
                          const StartOrderFact& fact_given) {
    const StartOrderFact fact = canonical(fact_given);
    Transaction transaction(db.sqlite);
    const Origin origin = find_or_add_origin(db, canonical(device), canonical(driver));
    Statement(db.sqlite,
              "INSERT INTO start_order (device, driver, width, height, visit, statistics, note, time, tool_version) "
              "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
        .bind(origin.device, origin.driver, fact.grid[0], fact.grid[1], fact.visit, fact.statistics.dump(), fact.note,
              fact.time, fact.tool_version)
        .run();
    const bool is_new = sqlite3_changes(db.sqlite.get()) != 0;
    transaction.commit();
    return {is_new, origin.new_device, origin.new_driver};
}

std::vector<LaneOrderRow> find_lane_orders(const Database& db) {
    Statement rows(db.sqlite, fmt::format("SELECT lane_order.id, {}{}{}{}", select_origin, from_lane_orders, by_origin,
                                          then_by_lanes));
    return all_lane_orders(rows);
}

std::vector<StartOrderRow> find_start_orders(const Database& db) {
    Statement rows(db.sqlite, fmt::format("SELECT start_order.id, {}{}{}{}", select_origin, from_start_orders,
                                          by_origin, then_by_starts));
    return all_start_orders(rows);
}

std::vector<LaneOrderRow> find_lane_orders(const Database& db, const DeviceFact& device, const DriverFact& driver) {
    Statement rows(db.sqlite, fmt::format("SELECT lane_order.id, {}{}{}ORDER BY {}", select_origin, from_lane_orders,
                                          same_model, then_by_lanes));
    bind_model(rows, device, driver);
    return all_lane_orders(rows);
}

std::vector<StartOrderRow> find_start_orders(const Database& db, const DeviceFact& device, const DriverFact& driver) {
    Statement rows(db.sqlite, fmt::format("SELECT start_order.id, {}{}{}ORDER BY {}", select_origin, from_start_orders,
                                          same_model, then_by_starts));
    bind_model(rows, device, driver);
    return all_start_orders(rows);
}

std::vector<LaneContradiction> find_lane_contradictions(const Database& db) {
    std::map<std::string, std::vector<LaneOrderRow>> by_subject;
    for (LaneOrderRow& row : find_lane_orders(db)) {
        const nlohmann::json subject = {row.device.vendor_id, row.device.device_id, row.device.name,   row.driver.name,
                                        row.driver.info,      row.driver.version,   row.fact.built_in, row.fact.shape};
        by_subject[subject.dump()].push_back(std::move(row));
    }
    std::vector<LaneContradiction> list;
    for (const auto& [subject, rows] : by_subject)
        for (size_t second = 0; second < rows.size(); ++second)
            for (size_t first = 0; first < second; ++first) {
                const LaneOrderRow &a = rows[first], &b = rows[second];
                if (a.fact.matrix == b.fact.matrix && a.fact.subgroup_size == b.fact.subgroup_size) continue;
                list.push_back(
                    {a, b,
                     fmt::format("lane order of {} by {} on {}: {} (subgroups of {}) on {}, {} (of {}) on {}",
                                 fmt::join(a.fact.shape, "x"), a.fact.built_in, device_text(a.device, a.driver),
                                 lane_order_text(a.fact), a.fact.subgroup_size, a.fact.time, lane_order_text(b.fact),
                                 b.fact.subgroup_size, b.fact.time)});
            }
    return list;
}

std::string lane_order_text(const LaneOrderFact& fact) {
    if (!fact.matrix) return fact.note;
    return is_identity(*fact.matrix) ? "identity" : fmt::format("{}", fmt::join(lane_names(*fact.matrix), " "));
}

Json to_json(const LaneOrderFact& fact) {
    return {{"shape", fact.shape},
            {"built_in", fact.built_in},
            {"subgroup_size", fact.subgroup_size},
            {"identity", fact.matrix && is_identity(*fact.matrix)},
            {"matrix", fact.matrix ? Json(lane_names(*fact.matrix)) : Json(nullptr)},
            {"note", fact.note},
            {"time", fact.time},
            {"tool_version", fact.tool_version}};
}

Json to_json(const StartOrderFact& fact) {
    return {{"grid", fact.grid}, {"visit", fact.visit}, {"statistics", fact.statistics},
            {"note", fact.note}, {"time", fact.time},   {"tool_version", fact.tool_version}};
}

}  // namespace tilewise::db
