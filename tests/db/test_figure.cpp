// Figures of how a device runs kernels, as facts: kept once, carried in bundles, checked.
#include "db/bundle/bundle.h"
#include "db/facts/figure.h"
#include "db/facts/json.h"
#include "db/query/check.h"
#include "patterns/model/error.h"
#include "tests/support/db_sample.h"
#include <doctest/doctest.h>
#include <functional>

using namespace tilewise;
using namespace tilewise::db;

namespace {

Database with_figures(const std::filesystem::path& path) {
    Database database = sample::empty_database(path);
    CHECK(add_fact(database, sample::h100(), sample::nvidia_580(), sample::fetches_of_rgba8()).new_device);
    FigureFact bytes = sample::fetches_of_rgba8();
    bytes.name = "first_level_bytes";
    bytes.format = "";
    bytes.value = 196608;
    bytes.interval = {0, 0};
    CHECK(add_fact(database, sample::h100(), sample::nvidia_580(), bytes).is_new);
    return database;
}

}  // namespace

TEST_CASE("a figure comes back as it was stored, is stored once, and the newest counts") {
    const sample::Folder folder;
    Database database = with_figures(folder / "a.db");
    CHECK_FALSE(add_fact(database, sample::h100(), sample::nvidia_580(), sample::fetches_of_rgba8()).is_new);
    CHECK(database_stats(database).figures == 2);
    CHECK(check_database(database).faults.empty());
    FigureFact later = sample::fetches_of_rgba8();
    later.time = "2026-11-25T12:00:00.000Z";
    CHECK(add_fact(database, sample::h100(), sample::nvidia_580(), later).is_new);
    const std::vector<FigureRow> rows = find_facts<FigureFact>(database, sample::h100(), sample::nvidia_580());
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].fact.value == 196608);
    CHECK(to_json(rows[0].fact)["interval"].is_null());
    CHECK(rows[1].fact == sample::fetches_of_rgba8());
    CHECK(rows[2].fact == later);
    const std::vector<FigureFact> newest = newest_figures(database, sample::h100(), sample::nvidia_580());
    REQUIRE(newest.size() == 2);
    CHECK(newest[0].value == 196608);
    CHECK(newest[1] == later);
}

TEST_CASE("what no figure can be is refused by the member's name") {
    const sample::Folder folder;
    Database database = sample::empty_database(folder / "a.db");
    const auto said = [&](const std::function<void(FigureFact&)>& change) {
        FigureFact fact = sample::fetches_of_rgba8();
        change(fact);
        try {
            add_fact(database, sample::h100(), sample::nvidia_580(), fact);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("stored");
    };
    CHECK(said([](FigureFact& f) {
              f.name = "texels_3x3_per_us";
          }).starts_with("name: \"texels_3x3_per_us\" is not one of"));
    CHECK(said([](FigureFact& f) { f.value = 0; }).starts_with("value: "));
    CHECK(said([](FigureFact& f) { f.value = 3e6; }) == "interval: must hold its figure, 3000000");
    CHECK(said([](FigureFact& f) { f.time = "today"; }).starts_with("time: "));
    CHECK(find_facts<FigureFact>(database).empty());
}

TEST_CASE("a bundle carries figures, and importing it again adds nothing") {
    const sample::Folder folder;
    const Database source = with_figures(folder / "source.db");
    const std::string bundle = export_bundle(source);
    CHECK(nlohmann::json::parse(bundle)["version"] == 4);  // an older program says that it is too old
    Database target = sample::empty_database(folder / "target.db");
    CHECK(import_bundle(target, bundle, "team.json").figures == 2);
    CHECK(export_bundle(target) == bundle);
    CHECK(import_bundle(target, bundle, "team.json").figures == 0);
    nlohmann::json json = nlohmann::json::parse(bundle);
    json["figures"][0]["name"] = "speed";
    CHECK_THROWS_WITH_AS(import_bundle(target, json.dump(), "team.json"),
                         doctest::Contains("team.json: figures[0]: name: "), Error);
}

TEST_CASE("a figure that was changed in the file is a fault, named") {
    const sample::Folder folder;
    const Database database = with_figures(folder / "a.db");
    execute(database.sqlite, "UPDATE figure SET interval_low = 1981000 WHERE id = 1");
    CHECK(check_database(database).faults ==
          std::vector<std::string>{"figure 1: interval: must hold its figure, 1980000"});
}
