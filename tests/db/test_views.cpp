// The views of docs/sql.md, as other programs see them.
#include "db/facts/image_rule.h"
#include "db/facts/lane_order.h"
#include "db/facts/launch_order.h"
#include "db/facts/validation.h"
#include "db/query/check.h"
#include "db/query/query.h"
#include "db/sqlite/open.h"
#include "patterns/model/layout_json.h"
#include "tests/support/db_sample.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

using namespace tilewise;
using namespace tilewise::db;

namespace {

/// As SQLite opens a file: the program's own connections have no views.
Connection raw(const std::string& file) {
    sqlite3* handle = nullptr;
    REQUIRE(sqlite3_open(file.c_str(), &handle) == SQLITE_OK);
    return Connection(handle);
}

std::vector<std::string> column(const Connection& connection, const std::string& sql) {
    std::vector<std::string> values;
    Statement rows(connection, sql);
    while (rows.step()) values.push_back(rows.text(0));
    return values;
}

/// A copy of the database in tests/data, which has a fact of each kind.
std::string make_sample(const sample::Folder& folder) {
    const auto path = folder / "sample.db";
    std::filesystem::copy_file(source_dir() + "/tests/data/db_schema_16.db", path);
    return path;
}

bool is_here(const char* program) {
    if (run({"sh", "-c", std::string("command -v ") + program}).code == 0) return true;
    MESSAGE("SKIPPED: no " << program);
    return false;
}

}  // namespace

TEST_CASE("the page lists every view with all its columns, in their order") {
    const sample::Folder folder;
    db::open_database(folder / "t.db", db::Access::read_write);
    const Connection database = raw(folder / "t.db");
    const std::string page = read_text(source_dir() + "/docs/sql.md");
    const std::vector<std::string> views =
        column(database, "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name");
    CHECK(views.size() >= 10);
    for (const std::string& view : views) {
        const auto columns = column(database, fmt::format("SELECT name FROM pragma_table_info('{}')", view));
        const std::string row = fmt::format("| `{}` | {} |", view, fmt::join(columns, ", "));
        CHECK_MESSAGE(page.find(row) != std::string::npos, row);
    }
}

TEST_CASE("the shell of sqlite3 counts in each view what the program knows") {
    if (!is_here("sqlite3")) return;
    const sample::Folder folder;
    const std::string file = make_sample(folder);
    const Database database = open_database(file, Access::read_only, {});
    const Stats stats = database_stats(database);
    // What is not yet in the file itself is beside it.
    CHECK(stats.bytes == std::filesystem::file_size(file) +
                             (std::filesystem::exists(file + "-wal") ? std::filesystem::file_size(file + "-wal") : 0));
    const auto answer = [&](const std::string& sql) {
        const Ended ended = run({"sqlite3", "-readonly", file, sql});
        CHECK(ended.err == "");
        return ended.out;
    };
    const auto counts = [&](const char* view) { return answer(fmt::format("SELECT count(*) FROM {}", view)); };
    const auto is = [](uint64_t number) { return std::to_string(number) + "\n"; };
    CHECK(counts("v_device") == is(stats.devices));
    CHECK(counts("v_driver") == is(stats.drivers));
    CHECK(counts("v_pattern") == is(stats.patterns));
    CHECK(counts("v_observation") == is(stats.observations));
    CHECK(counts("v_disagreement") == is(stats.disagreements));
    CHECK(counts("v_lane_order") == is(stats.lane_orders));
    CHECK(counts("v_launch_order") == is(stats.launch_orders));
    CHECK(counts("v_validation") == is(stats.validations));
    CHECK(counts("v_tuning") == is(stats.tunings));
    CHECK(counts("v_figure") == is(stats.figures));
    CHECK(counts("v_rule") == is(stats.rules));
    CHECK(answer("SELECT device, vendor_id, device_id, driver, driver_info, title FROM v_observation "
                 "WHERE pattern IS NOT NULL AND vendor_id = '0x10de'") ==
          "NVIDIA H100 80GB HBM3|0x10de|0x2330|NVIDIA|580.159.04|16x128 tile of 8192 bytes, 4-byte elements\n");
    CHECK(answer("SELECT sum(observations) FROM v_pattern_use") ==
          answer("SELECT count(*) FROM v_observation WHERE result = 'exact'"));
}

TEST_CASE("the layout of a view has the pattern's equation and the image's strides") {
    const sample::Folder folder;
    const std::string file = make_sample(folder);
    const auto layouts = column(raw(file), "SELECT layout FROM v_observation WHERE result = 'exact' ORDER BY time, id");
    const auto rows = find_observations(open_database(file, Access::read_only, {}), {.result = "exact"});
    REQUIRE(layouts.size() == rows.size());
    for (size_t i = 0; i < rows.size(); i++)
        CHECK(layout_from_json(nlohmann::json::parse(layouts[i])) == rows[i].fact.layout.value());
    CHECK(nlohmann::json::parse(layouts[0])["stride"]["y"] == 19 * 8192);
}

TEST_CASE("Python's sqlite3 reads the views, and cannot write to them") {
    if (!is_here("python3")) return;
    const sample::Folder folder;
    const std::string file = make_sample(folder);
    const std::string script =
        "import sqlite3, sys\n"
        "db = sqlite3.connect(sys.argv[1])\n"
        "db.row_factory = sqlite3.Row\n"
        "for row in db.execute('SELECT DISTINCT device, format FROM v_pattern_use ORDER BY 1'):\n"
        "    print(row['device'], row['format'])\n"
        "try:\n"
        "    db.execute('DELETE FROM v_observation')\n"
        "except sqlite3.OperationalError as error:\n"
        "    print(error)\n";
    const Ended ended = run({"python3", "-c", script, file});
    CHECK(ended.err == "");
    CHECK(ended.out ==
          "AMD Radeon RX 6800 XT (RADV NAVI21) R8G8B8A8_UNORM\n"
          "NVIDIA H100 80GB HBM3 R8G8B8A8_UNORM\n"
          "cannot modify v_observation because it is a view\n");
    CHECK(check_database(open_database(file, Access::read_only, {})).faults.empty());
}

TEST_CASE("a view that somebody changed, added or removed is refused") {
    const sample::Folder folder;
    const auto refusal = [&](const char* sql) {
        const std::string file = make_sample(folder);
        execute(raw(file), sql);
        std::string said = file;
        try {
            open_database(file, Access::read_only, {});
        } catch (const Error& error) {
            said = error.what();
        }
        std::filesystem::remove(file);
        return said.substr(0, said.find(": import")).substr(file.size());
    };
    CHECK(refusal("SELECT 1") == "");
    CHECK(refusal("DROP VIEW v_rule") == ": it lacks the view \"v_rule\"");
    CHECK(refusal("CREATE VIEW v_mine AS SELECT 1") == ": tilewise did not make its view \"v_mine\"");
    CHECK(refusal("DROP VIEW v_device; CREATE VIEW v_device AS SELECT * FROM device") ==
          ": somebody changed its view \"v_device\"");
}
