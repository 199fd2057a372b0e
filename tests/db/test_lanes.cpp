// Lane orders and launch orders as facts: kept once, carried in bundles, checked, looked up for remaps.
#include "db/bundle/bundle.h"
#include "db/facts/lane_order.h"
#include "db/facts/launch_order.h"
#include "db/query/check.h"
#include "db/query/query.h"
#include "db/sqlite/schema.h"
#include "patterns/model/error.h"
#include "tests/support/db_sample.h"
#include "tools/runs/probe/lane_order.h"
#include <doctest/doctest.h>
#include <functional>

using namespace tilewise;
using namespace tilewise::db;

namespace {

LaneOrderFact lanes(std::array<uint32_t, 3> shape, const std::vector<std::string>& names, const std::string& time) {
    LaneOrderFact fact;
    fact.shape = shape;
    fact.subgroup_size = 32;
    fact.matrix = lanes_from_names(names);
    fact.time = time;
    fact.tool_version = "0.1.0";
    return fact;
}

LaneOrderFact identity_8x8() {
    return lanes({8, 8, 1}, {"i0", "i1", "i2", "i3", "i4", "i5"}, "2025-03-01T12:00:00.000Z");
}

LaneOrderFact swizzled_16x16() {
    return lanes({16, 16, 1}, {"i4", "i5", "i0", "i1", "i2^i4", "i3", "i6", "i7"}, "2025-03-01T12:00:01.000Z");
}

LaunchOrderFact started() {
    LaunchOrderFact fact;
    fact.grid = {60, 68};
    fact.visit = "row";
    fact.statistics = {{"runs", 3}, {"correlation", 0.9987}, {"sm", {{"multiprocessors", 132}}}};
    fact.time = "2025-03-01T12:00:02.000Z";
    return fact;
}

Database with_lanes(const std::filesystem::path& path) {
    Database database = sample::empty_database(path);
    CHECK(add_fact(database, sample::h100(), sample::nvidia_580(), identity_8x8()).new_device);
    CHECK(add_fact(database, sample::h100(), sample::nvidia_580(), swizzled_16x16()).is_new);
    CHECK(add_fact(database, sample::h100(), sample::nvidia_580(), started()).is_new);
    return database;
}

std::string refusal_of_lanes(const std::string& bundle, const std::function<void(nlohmann::json&)>& change) {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "target.db");
    nlohmann::json json = nlohmann::json::parse(bundle);
    change(json);
    std::string said = "imported";
    try {
        import_bundle(database, json.dump(), "team.json");
    } catch (const Error& error) {
        said = error.what();
    }
    CHECK((said == "imported" || database_stats(database).devices == 0));
    return said;
}

}  // namespace

TEST_CASE("a lane order that is seen again is one fact, and another one stands beside it as a contradiction") {
    const sample::Folder folder;
    Database database = with_lanes(folder / "a.db");
    LaneOrderFact again = swizzled_16x16();
    again.time = "2026-01-01T00:00:00.000Z";
    CHECK_FALSE(add_fact(database, sample::h100(), sample::nvidia_580(), again).is_new);
    CHECK(database_stats(database).lane_orders == 2);
    CHECK(database_stats(database).launch_orders == 1);
    CHECK(check_database(database).faults.empty());
    CHECK(check_database(database).lane_contradictions.empty());

    DeviceFact another_board = sample::h100();
    another_board.uuid = "ffffffffffffffffffffffffffffffff";
    LaneOrderFact different = identity_8x8();
    different.subgroup_size = 16;
    CHECK(add_fact(database, another_board, sample::nvidia_580(), different).is_new);
    const auto contradictions = check_database(database).lane_contradictions;
    REQUIRE(contradictions.size() == 1);
    CHECK(contradictions[0].text.starts_with("lane order of 8x8x1 by index on NVIDIA H100 80GB HBM3"));
    different.built_in = "id";
    different.subgroup_size = 8;
    CHECK(add_fact(database, another_board, sample::nvidia_580(), different).is_new);
    CHECK(check_database(database).lane_contradictions.size() == 1);
}

TEST_CASE("facts about lanes that cannot be are refused by name") {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "a.db");
    const auto refused = [&](const std::function<void(LaneOrderFact&)>& change, const char* why) {
        LaneOrderFact fact = identity_8x8();
        change(fact);
        CHECK_THROWS_WITH_AS(add_fact(database, sample::h100(), sample::nvidia_580(), fact), doctest::Contains(why),
                             Error);
    };
    refused([](LaneOrderFact& fact) { fact.shape = {16, 8, 1}; }, "matrix: has 6 rows for 128 invocations");
    refused([](LaneOrderFact& fact) { fact.shape = {0, 8, 1}; }, "shape: ");
    refused([](LaneOrderFact& fact) { fact.matrix.reset(); }, "note: ");
    refused([](LaneOrderFact& fact) { fact.built_in = "other"; }, "built_in: ");
    refused([](LaneOrderFact& fact) { fact.time = "today"; }, "time: ");
    CHECK(database_stats(database).devices == 0);
}

TEST_CASE("a bundle carries lane and launch orders, and importing it again adds nothing") {
    const sample::Folder folder;
    Database source = with_lanes(folder / "source.db");
    LaneOrderFact broken = identity_8x8();
    broken.matrix.reset();
    broken.note = "not linear: invocation 5 runs in place 6";
    broken.built_in = "id";
    add_fact(source, sample::radeon(), sample::radv(), broken);
    const std::string bundle = export_bundle(source);
    Database target = sample::empty_database(folder / "target.db");
    const Imported first = import_bundle(target, bundle, "team.json");
    CHECK(first.devices == 2);
    CHECK(first.lane_orders == 3);
    CHECK(first.launch_orders == 1);
    CHECK(export_bundle(target) == bundle);
    CHECK(check_database(target).faults.empty());
    const Imported again = import_bundle(target, bundle, "team.json");
    CHECK(again.devices + again.lane_orders + again.launch_orders == 0);
    CHECK(find_facts<LaunchOrderFact>(target).at(0).fact.statistics == started().statistics);
}

TEST_CASE("a restricted bundle has the orders of its own devices, and one without any has no such members") {
    const sample::Folder folder;
    Database source = with_lanes(folder / "source.db");
    add_observation(source, sample::radeon(), sample::radv(),
                    sample::observed(sample::navi21(), "2025-03-02T12:00:00.000Z"));
    const auto amd = nlohmann::json::parse(export_bundle(source, {.vendor = "AMD"}));
    CHECK_FALSE(amd.contains("lane_orders"));
    CHECK_FALSE(amd.contains("start_orders"));
    CHECK(amd.at("devices").size() == 1);
    add_observation(source, sample::h100(), sample::nvidia_580(),
                    sample::observed(sample::gob_of_16(), "2025-03-02T12:00:00.000Z"));
    const auto nvidia = nlohmann::json::parse(export_bundle(source, {.vendor = "NVIDIA"}));
    CHECK(nvidia.at("lane_orders").size() == 2);
    CHECK(nvidia.at("start_orders").size() == 1);
}

TEST_CASE("damaged orders in a bundle are refused by their place, and nothing is kept") {
    const sample::Folder folder;
    const std::string bundle = export_bundle(with_lanes(folder / "a.db"));
    using Json = nlohmann::json;
    const auto said = [&](const std::function<void(Json&)>& change) { return refusal_of_lanes(bundle, change); };
    CHECK(said([](Json&) {}) == "imported");
    CHECK(said([](Json& j) { j["lane_orders"][0]["colour"] = 1; }) ==
          "team.json: lane_orders[0].colour: is not a member of this object");
    CHECK(said([](Json& j) { j["lane_orders"][0]["matrix"][0] = "i1"; }) ==
          "team.json: lane_orders[0].matrix: two invocations would have one lane slot");
    CHECK(said([](Json& j) { j["lane_orders"][1]["matrix"] = 3; }).starts_with("team.json: lane_orders[1].matrix: "));
    CHECK(said([](Json& j) { j["lane_orders"][1].erase("matrix"); }) ==
          "team.json: lane_orders[1]: note: must say why there is no matrix");
    CHECK(said([](Json& j) { j["lane_orders"][1]["driver"] = 5; }) ==
          "team.json: lane_orders[1].driver: is 5, but there are 1");
    CHECK(said([](Json& j) { j["start_orders"][0]["statistics"] = 5; }) ==
          "team.json: start_orders[0]: statistics: must be an object");
    CHECK(said([](Json& j) {
              j["start_orders"][0]["visit"] = "spiral";
          }).starts_with("team.json: start_orders[0]: visit: \"spiral\" is not one of"));
    CHECK(said([](Json& j) { j["start_orders"] = 5; }) == "team.json: start_orders: must be an array");
}

TEST_CASE("a matrix that was changed in the file is a fault, named") {
    const sample::Folder folder;
    const Database database = with_lanes(folder / "a.db");
    execute(database.sqlite, "UPDATE lane_order SET matrix = '[\"i0\"]' WHERE id = 1");
    CHECK(check_database(database).faults ==
          std::vector<std::string>{"lane order 1: matrix: has 1 rows for 64 invocations"});
    execute(database.sqlite, "UPDATE lane_order SET matrix = '[\"i0\", \"i0\"]' WHERE id = 1");
    REQUIRE(check_database(database).faults.size() == 1);
    CHECK(check_database(database).faults[0].starts_with("lane order 1 cannot be read: "));
}

TEST_CASE("statistics of any other type or range than docs/lanes.md says are refused by import, and found by check") {
    const sample::Folder folder;
    const std::string bundle = export_bundle(with_lanes(folder / "a.db"));
    using Json = nlohmann::json;
    struct Case {
        const char *statistics, *said;
    };
    const Case cases[] = {
        {R"([])", "statistics: must be an object"},
        {R"({"nearest": 5})", "statistics.nearest: must be row, column or morton"},
        {R"({"nearest": "spiral"})", "statistics.nearest: must be row, column or morton"},
        {R"({"exact": "yes"})", "statistics.exact: must be true or false"},
        {R"({"correlation": {}})", "statistics.correlation: must be a number from -1 to 1"},
        {R"({"adjacent": "all"})", "statistics.adjacent: must be a number from 0 to 1"},
        {R"({"adjacent": 1e300})", "statistics.adjacent: must be a number from 0 to 1"},
        {R"({"runs": -1})", "statistics.runs: must be an integer from 0 to 4294967295"},
        {R"({"displacement": 18446744073709551615})",
         "statistics.displacement: must be an integer from 0 to 4294967295"},
        {R"({"clock": []})", "statistics.clock: must be an object"},
        {R"({"clock": {"first_wave": "many"}})",
         "statistics.clock.first_wave: must be an integer from 0 to 4294967295"},
        {R"({"sm": 3})", "statistics.sm: must be an object"},
        {R"({"sm": {"same_as_left": null}})", "statistics.sm.same_as_left: must be a number from 0 to 1"},
        {R"({"colour": 1})", "statistics.colour: is not a member of this object"},
    };
    const Database database = with_lanes(folder / "b.db");
    for (const Case& one : cases) {
        CAPTURE(one.statistics);
        CHECK(refusal_of_lanes(bundle, [&](Json& j) {
                  j["start_orders"][0]["statistics"] = Json::parse(one.statistics);
              }) == std::string("team.json: start_orders[0]: ") + one.said);
        Statement(database.sqlite, "UPDATE start_order SET statistics = ?").bind(one.statistics).run();
        CHECK(check_database(database).faults == std::vector<std::string>{std::string("launch order 1: ") + one.said});
    }
}
