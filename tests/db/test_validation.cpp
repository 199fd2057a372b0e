// Measurements of kernels as facts: kept once, carried in bundles, checked.
#include "db/bundle/bundle.h"
#include "db/facts/json.h"
#include "db/facts/validation.h"
#include "db/query/check.h"
#include "db/query/query.h"
#include "db/sqlite/schema.h"
#include "patterns/model/error.h"
#include "tests/support/db_sample.h"
#include <algorithm>
#include <doctest/doctest.h>
#include <functional>

using namespace tilewise;
using namespace tilewise::db;

namespace {

ValidationFact learned_r8() {
    ValidationFact fact;
    fact.kernel = "box";
    fact.method = "direct";
    fact.order = "learned";
    fact.format = "R32G32B32A32_SFLOAT";
    fact.pattern = "0123456789abcdef";
    fact.extent = {4096, 4096};
    fact.radius = 8;
    fact.shape = {16, 16};
    fact.invocations = 256;
    fact.memory_type = 1;
    fact.samples = 41;
    fact.discarded = 2;
    fact.median_ms = 4.698;
    fact.interval_ms = {4.69, 4.71};
    fact.ratio = 1.979;
    fact.ratio_interval = {1.97, 1.99};
    fact.verdict = "faster";
    fact.floor_ms = 0.182;
    fact.time = "2025-03-01T12:00:00.000Z";
    fact.tool_version = "0.1.0";
    return fact;
}

/// One sample: no interval, and nothing to compare with.
ValidationFact copied_once() {
    ValidationFact fact;
    fact.kernel = "copy";
    fact.format = "R8G8B8A8_UNORM";
    fact.samples = 1;
    fact.median_ms = 0.25;
    fact.time = "2025-03-01T12:00:01.000Z";
    return fact;
}

ValidationFact in_tiles() {
    ValidationFact fact = learned_r8();
    fact.group_order = "tiles of 2x4";
    return fact;
}

Database with_validations(const std::filesystem::path& path) {
    Database database = sample::empty_database(path);
    CHECK(add_fact(database, sample::h100(), sample::nvidia_580(), learned_r8()).new_device);
    CHECK(add_fact(database, sample::h100(), sample::nvidia_580(), copied_once()).is_new);
    return database;
}

}  // namespace

TEST_CASE("a measurement comes back as it was stored, and is stored once") {
    const sample::Folder folder;
    Database database = with_validations(folder / "a.db");
    CHECK_FALSE(add_fact(database, sample::h100(), sample::nvidia_580(), learned_r8()).is_new);
    const std::vector<ValidationRow> rows = find_facts<ValidationFact>(database);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].fact == learned_r8());
    CHECK(rows[0].device == sample::h100());
    CHECK(rows[0].driver == sample::nvidia_580());
    CHECK(rows[1].fact == copied_once());
    CHECK(database_stats(database).validations == 2);
    CHECK(check_database(database).faults.empty());
    ValidationFact later = learned_r8();
    later.time = "2025-03-02T12:00:00.000Z";
    CHECK(add_fact(database, sample::h100(), sample::nvidia_580(), later).is_new);
}

TEST_CASE("what is unknown of a measurement is null in JSON") {
    CHECK(to_json(copied_once())["interval_ms"].is_null());
    CHECK(to_json(copied_once())["ratio"].is_null());
    CHECK(to_json(learned_r8())["ratio"] == 1.979);
    CHECK(to_json(learned_r8())["interval_ms"][1] == 4.71);
}

TEST_CASE("what no measurement can be is refused by the member's name") {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "a.db");
    const auto said = [&](const std::function<void(ValidationFact&)>& change) {
        ValidationFact fact = learned_r8();
        change(fact);
        try {
            add_fact(database, sample::h100(), sample::nvidia_580(), fact);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("stored");
    };
    CHECK(said([](ValidationFact& f) { f.kernel = ""; }) == "kernel: is missing");
    CHECK(said([](ValidationFact& f) { f.samples = 0; }) == "samples: must be a positive integer");
    CHECK(said([](ValidationFact& f) { f.median_ms = 5; }) == "interval_ms: must hold the median");
    CHECK(said([](ValidationFact& f) { f.median_ms = 0.0 / 0.0; }) == "median_ms: must be a positive number");
    CHECK(said([](ValidationFact& f) { f.shape = {16, 0}; }) == "shape: must be two positive integers");
    CHECK(said([](ValidationFact& f) { f.verdict = "better"; }).starts_with("verdict: \"better\" is not one of"));
    CHECK(find_facts<ValidationFact>(database).empty());
}

TEST_CASE("a bundle carries measurements, and importing it again adds nothing") {
    const sample::Folder folder;
    const Database source = with_validations(folder / "source.db");
    const std::string bundle = export_bundle(source);
    Database target = sample::empty_database(folder / "target.db");
    const Imported first = import_bundle(target, bundle, "team.json");
    CHECK(first.devices == 1);
    CHECK(first.validations == 2);
    CHECK(export_bundle(target) == bundle);
    CHECK(import_bundle(target, bundle, "team.json").validations == 0);
    nlohmann::json json = nlohmann::json::parse(bundle);
    json["validations"][0]["interval_ms"] = 4;
    CHECK_THROWS_WITH_AS(import_bundle(target, json.dump(), "team.json"),
                         "team.json: validations[0].interval_ms: must be two numbers", Error);
    CHECK(nlohmann::json::parse(export_bundle(source, {.vendor = "AMD"})).contains("validations") == false);
}

TEST_CASE("a measurement that was changed in the file is a fault, named") {
    const sample::Folder folder;
    const Database database = with_validations(folder / "a.db");
    execute(database.sqlite, "UPDATE validation SET interval_high_ms = 4.695 WHERE id = 1");
    CHECK(check_database(database).faults ==
          std::vector<std::string>{"validation 1: interval_ms: must hold the median"});
}

TEST_CASE("a validation in blocks is another one than as launched, and its bundle is not read by older versions") {
    const sample::Folder folder;
    Database database = with_validations(folder / "a.db");
    using Json = nlohmann::json;
    CHECK(Json::parse(export_bundle(database)).at("version") == 1);
    CHECK(add_fact(database, sample::h100(), sample::nvidia_580(), in_tiles()).is_new);
    CHECK_FALSE(add_fact(database, sample::h100(), sample::nvidia_580(), in_tiles()).is_new);
    const std::string bundle = export_bundle(database);
    CHECK(Json::parse(bundle).at("version") == 5);
    Database other = sample::empty_database(folder / "b.db");
    import_bundle(other, bundle, "a.json");
    const auto rows = find_facts<ValidationFact>(other);
    CHECK(rows.size() == 3);
    CHECK(std::ranges::count_if(rows, [](const auto& row) { return row.fact == in_tiles(); }) == 1);
    ValidationFact wrong = in_tiles();
    wrong.group_order = "tiles of 0x4";
    CHECK_THROWS_AS(add_fact(database, sample::h100(), sample::nvidia_580(), wrong), Error);
}
