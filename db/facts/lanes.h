// Facts of a device and driver about invocations: which runs in which lane, and in which order workgroups start.
#pragma once
#include "db/database.h"
#include "patterns/remap/lane_matrix.h"
#include <nlohmann/json.hpp>
#include <vector>

namespace tilewise::db {

/// Which invocation (gl_LocalInvocationIndex) of a workgroup runs in which place: subgroup * size + lane.
struct LaneOrderFact {
    std::array<uint32_t, 3> shape = {1, 1, 1};  ///< of the workgroup
    std::string built_in = "index";  ///< by which the shader finds its texel: "index" (of the invocation) or "id"
    uint32_t subgroup_size = 0;      ///< as seen; 0 where it could not be
    std::optional<LaneMatrix> matrix = {};  ///< none: not linear, or no order at all; the note says which
    std::string note = {};
    std::string time = {};  ///< UTC, as utc_now() writes it: when it was seen first
    std::string tool_version = {};
};

struct StartOrderFact {
    std::array<uint32_t, 2> grid = {1, 1};  ///< workgroups
    std::string visit = "not visible";      ///< row, column, morton: the nearest; mixed: none is near; not visible
    nlohmann::json statistics = nlohmann::json::object();  ///< see docs/lanes.md
    std::string note = {};                                 ///< e.g. why it is not visible
    std::string time = {};
    std::string tool_version = {};
};

struct LaneOrderRow {
    int64_t row = 0;
    DeviceFact device;
    DriverFact driver;
    LaneOrderFact fact;
};
struct StartOrderRow {
    int64_t row = 0;
    DeviceFact device;
    DriverFact driver;
    StartOrderFact fact;
};

struct LaneAdded {
    bool is_new = false;  ///< false: the same order was known already, whatever its time
    bool new_device = false, new_driver = false;
};

/// In one transaction, with the device and the driver if they are new. Throw Error "<member>: <what it must be>".
LaneAdded add_lane_order(Database& db, const DeviceFact& device, const DriverFact& driver, const LaneOrderFact& fact);
LaneAdded add_start_order(Database& db, const DeviceFact& device, const DriverFact& driver, const StartOrderFact& fact);

/// All of them, by device, driver, built-in and shape; start orders newest first.
std::vector<LaneOrderRow> find_lane_orders(const Database& db);
std::vector<StartOrderRow> find_start_orders(const Database& db);
/// Those of one device model with one driver version: two boards, or two installations, differ in their UUIDs alone.
std::vector<LaneOrderRow> find_lane_orders(const Database& db, const DeviceFact& device, const DriverFact& driver);
std::vector<StartOrderRow> find_start_orders(const Database& db, const DeviceFact& device, const DriverFact& driver);

/// Two orders of one workgroup shape and built-in on one device model with one driver version.
struct LaneContradiction {
    LaneOrderRow first, second;
    std::string text;  ///< one line
};
std::vector<LaneContradiction> find_lane_contradictions(const Database& db);

/// "identity", "i1 i0 i2^i3 ..", or the note.
std::string lane_order_text(const LaneOrderFact& fact);

/// The facts alone, without device and driver.
nlohmann::ordered_json to_json(const LaneOrderFact& fact);
nlohmann::ordered_json to_json(const StartOrderFact& fact);

}  // namespace tilewise::db
