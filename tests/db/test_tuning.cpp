// What tune found, as facts: kept once, carried in bundles, checked.
#include "db/bundle/bundle.h"
#include "db/facts/json.h"
#include "db/facts/tuning.h"
#include "db/query/check.h"
#include "db/query/query.h"
#include "db/sqlite/schema.h"
#include "patterns/model/error.h"
#include "tests/support/db_sample.h"
#include <doctest/doctest.h>
#include <functional>

using namespace tilewise;
using namespace tilewise::db;

namespace {

Database with_tunings(const std::filesystem::path& path) {
    Database database = sample::empty_database(path);
    CHECK(add_fact(database, sample::h100(), sample::nvidia_580(), sample::tuned_box()).new_device);
    TuningFact alone = sample::tuned_box();
    alone.kernel = "average";
    alone.method = "groupshared";
    alone.radius = 0;
    alone.shape = {8, 128};  // eight boxes
    alone.columns = "x0 y0 x1 y1 x2 y2 y3";
    alone.group_order = "linear";
    alone.interval_ms = alone.over_row_interval = alone.over_morton_interval = alone.over_derived_interval =
        alone.over_best_interval = {0, 0};
    alone.over_row = alone.over_morton = alone.over_derived = alone.over_best = 0;
    alone.time = "2026-11-23T19:00:01.000Z";
    CHECK(add_fact(database, sample::h100(), sample::nvidia_580(), alone).is_new);
    return database;
}

}  // namespace

TEST_CASE("a tune result comes back as it was stored, and is stored once") {
    const sample::Folder folder;
    Database database = with_tunings(folder / "a.db");
    CHECK_FALSE(add_fact(database, sample::h100(), sample::nvidia_580(), sample::tuned_box()).is_new);
    const std::vector<TuningRow> rows = find_facts<TuningFact>(database);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].fact == sample::tuned_box());
    CHECK(rows[0].device == sample::h100());
    CHECK(rows[0].driver == sample::nvidia_580());
    CHECK(database_stats(database).tunings == 2);
    CHECK(check_database(database).faults.empty());
    CHECK(to_json(rows[1].fact)["over_row"].is_null());
    CHECK(to_json(rows[0].fact)["over_row_interval"][1] == 2.06);
    TuningFact later = sample::tuned_box();
    later.time = "2026-11-24T12:00:00.000Z";
    CHECK(add_fact(database, sample::h100(), sample::nvidia_580(), later).is_new);
}

TEST_CASE("a figure may be an end of its interval") {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "a.db");
    TuningFact exact = sample::tuned_box();
    exact.interval_ms = {exact.median_ms, exact.median_ms};
    CHECK(add_fact(database, sample::h100(), sample::nvidia_580(), exact).is_new);
}

TEST_CASE("what no tune result can be is refused by the member's name") {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "a.db");
    const auto said = [&](const std::function<void(TuningFact&)>& change) {
        TuningFact fact = sample::tuned_box();
        change(fact);
        try {
            add_fact(database, sample::h100(), sample::nvidia_580(), fact);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("stored");
    };
    CHECK(said([](TuningFact& f) { f.kernel = ""; }) == "kernel: is missing");
    CHECK(said([](TuningFact& f) { f.order = "derived"; }).starts_with("order: \"derived\" is not one of"));
    CHECK(said([](TuningFact& f) { f.columns = "y0 x0 y0 y2 y3 y4 x1"; }) ==
          "columns: y0 follows from the columns before it");
    CHECK(said([](TuningFact& f) { f.columns = "y0 x0 y1 y2 y3 y4 q1"; }) ==
          "columns: \"q1\" is not a coordinate bit such as x0");
    CHECK(said([](TuningFact& f) { f.columns = "y0 y2"; }) == "columns: has 2 columns for the 3 bits of 1x8");
    CHECK(said([](TuningFact& f) { f.columns = "x0  y0"; }) == "columns: must be as tilewise writes it");
    CHECK(said([](TuningFact& f) { f.columns = "x40"; }) == "columns: x40 is beyond 16 bits");
    CHECK(said([](TuningFact& f) {
              f.shape = {4, 16};
          }) == "shape: 4x16 is no multiple of 4x32, the box of the columns");
    CHECK(said([](TuningFact& f) {
              f.group_order = "spiral";
          }).starts_with("group_order: \"spiral\" is not an order of"));
    CHECK(said([](TuningFact& f) { f.group_order = "strips of 08"; }).starts_with("group_order: "));
    CHECK(said([](TuningFact& f) { f.median_ms = 5; }) == "interval_ms: must hold its figure, 5");
    CHECK(said([](TuningFact& f) { f.over_row = 3; }) == "over_row_interval: must hold its figure, 3");
    CHECK(said([](TuningFact& f) { f.candidates = 0; }) == "candidates: must be a positive integer");
    CHECK(find_facts<TuningFact>(database).empty());
}

TEST_CASE("a bundle carries tune results, and importing it again adds nothing") {
    const sample::Folder folder;
    const Database source = with_tunings(folder / "source.db");
    const std::string bundle = export_bundle(source);
    CHECK(nlohmann::json::parse(bundle)["version"] == 3);  // an older program says that it is too old
    Database target = sample::empty_database(folder / "target.db");
    const Imported first = import_bundle(target, bundle, "team.json");
    CHECK(first.devices == 1);
    CHECK(first.tunings == 2);
    CHECK(export_bundle(target) == bundle);
    CHECK(import_bundle(target, bundle, "team.json").tunings == 0);
    nlohmann::json json = nlohmann::json::parse(bundle);
    json["tunings"][0]["columns"] = "x0 x0";
    CHECK_THROWS_WITH_AS(import_bundle(target, json.dump(), "team.json"),
                         "team.json: tunings[0]: columns: x0 follows from the columns before it", Error);
    CHECK(nlohmann::json::parse(export_bundle(source, {.vendor = "AMD"})).contains("tunings") == false);
}

TEST_CASE("a tune result that was changed in the file is a fault, named") {
    const auto faults = [](const char* change) {
        const sample::Folder folder;
        const Database database = with_tunings(folder / "a.db");
        execute(database.sqlite, change);
        return check_database(database).faults;
    };
    using Faults = std::vector<std::string>;
    CHECK(faults("UPDATE tuning SET columns = 'y0 x0 y1 y2 y3 y4 y4' WHERE id = 1") ==
          Faults{"tune result 1: columns: y4 follows from the columns before it"});
    CHECK(faults("UPDATE tuning SET group_order = 'strips of 0' WHERE id = 1")
              .at(0)
              .starts_with("tune result 1: group_order: \"strips of 0\" is not an order of workgroups"));
    CHECK(faults("UPDATE tuning SET interval_low_ms = 0.411 WHERE id = 1") ==
          Faults{"tune result 1: interval_ms: must hold its figure, 0.41"});
}
