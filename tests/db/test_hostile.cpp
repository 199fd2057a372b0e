// Files made to harm who opens them: what they say is not done.
#include "db/facts/lane_order.h"
#include "db/facts/launch_order.h"
#include "db/query/check.h"
#include "db/sqlite/guard.h"
#include "db/sqlite/own_files.h"
#include "patterns/model/error.h"
#include "tests/support/db_sample.h"
#include "tests/support/failing_disk.h"
#include "tests/support/later_schema.h"
#include "tests/support/raw_database.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <doctest/doctest.h>
#include <filesystem>
#include <sqlite3.h>
#include <sys/stat.h>

using namespace tilewise;
using namespace tilewise::db;

namespace {

void make_sample(const std::filesystem::path& path) {
    std::filesystem::remove(path);
    Database database = sample::empty_database(path);
    for (uint32_t i = 0; i < 5; ++i) {
        ObservationFact fact = sample::observed(sample::gob_of_16(), "2025-03-01T12:00:00Z");
        fact.extent_px = {i + 1, 7, 1};
        add_observation(database, sample::h100(), sample::nvidia_580(), fact);
    }
}

std::string said_of(const std::filesystem::path& path, Access access,
                    std::span<const char* const> steps = schema_steps()) {
    try {
        open_database(path, access, {}, steps);
    } catch (const Error& error) {
        std::string said = error.what();
        CHECK(said.starts_with(path.string() + ": "));
        CHECK(said.find('\n') == std::string::npos);
        return said.substr(path.string().size() + 2);
    }
    return "opened";
}

int64_t observations_in(const std::filesystem::path& path) {
    const Connection connection = raw_database(path);
    return Statement(connection, "SELECT count(*) FROM observation").only_integer().value();
}

}  // namespace

TEST_CASE("a database with a trigger, a view or a foreign table is refused by its name, and nothing in it runs") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    struct Attack {
        const char *sql, *said;
    };
    const Attack attacks[] = {
        {"CREATE TRIGGER gone AFTER INSERT ON device BEGIN DELETE FROM observation; END",
         "tilewise did not make its trigger \"gone\": import what a trusted copy exports "
         "(`tilewise --db COPY db export FILE`) into a new database"},
        {"CREATE VIEW endless AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
         "tilewise did not make its view \"endless\""},
        {"ALTER TABLE device RENAME TO hidden; CREATE VIEW device AS WITH RECURSIVE c(x) AS "
         "(SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT hidden.* FROM hidden, c",
         "tilewise did not make its "},
        {"ANALYZE",
         "has the table sqlite_stat1, which ANALYZE makes and tilewise does without: drop it with "
         "`sqlite3 FILE 'DROP TABLE sqlite_stat1'`"},
        {"CREATE TABLE more (a TEXT)", "tilewise did not make its table \"more\""},
        {"CREATE INDEX more ON device (name)", "tilewise did not make its index \"more\""},
        {"CREATE VIEW \"a\nb\x1b[2J\" AS SELECT 1", "tilewise did not make its view \"a\\nb\\u001b[2J\""},
        {"ALTER TABLE observation ADD COLUMN note TEXT", "somebody changed its table \"observation\""},
        {"DROP INDEX observation_by_format", "it lacks the index \"observation_by_format\""},
        {"DROP TABLE start_order", "it lacks the index "},
    };
    for (const Attack& attack : attacks) {
        CAPTURE(attack.sql);
        make_sample(path);
        execute(raw_database(path), attack.sql);
        const std::string before = sample::file_bytes(path);
        for (const Access access : {Access::read_only, Access::read_write}) {
            const std::string said = said_of(path, access);
            CAPTURE(said);
            CHECK(said.starts_with(attack.said));
        }
        CHECK(sample::file_bytes(path) == before);
        CHECK(observations_in(path) == 5);
    }
}

TEST_CASE("an old schema is compared with what it was, before it is migrated") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    make_sample(path);
    const std::vector<const char*> steps = later_steps();
    for (const Access access : {Access::read_only, Access::read_write}) {
        execute(raw_database(path), "CREATE TRIGGER gone AFTER INSERT ON meta BEGIN DELETE FROM observation; END");
        CHECK(said_of(path, access, steps).starts_with("tilewise did not make its trigger \"gone\""));
        CHECK(schema_version(raw_database(path)) == schema_after(schema_steps()));
        execute(raw_database(path), "DROP TRIGGER gone");
    }
    CHECK(said_of(path, Access::read_write, steps) == "opened");
    CHECK(schema_version(raw_database(path)) == schema_after(steps));
    execute(raw_database(path), "ALTER TABLE observation DROP COLUMN note");
    CHECK(said_of(path, Access::read_only, steps).starts_with("somebody changed its table \"observation\""));
}

TEST_CASE("a schema number that no tilewise wrote is refused") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    make_sample(path);
    for (const char* version : {"0", "-1", "-2147483648"}) {
        execute(raw_database(path), (std::string("PRAGMA user_version = ") + version).c_str());
        for (const Access access : {Access::read_only, Access::read_write})
            CHECK(said_of(path, access) == std::string("says that its schema is ") + version +
                                               ", so it is damaged: restore a copy, or import an export into a new "
                                               "database");
    }
    CHECK(observations_in(path) == 5);
}

TEST_CASE("a connection to a database runs no trigger and no view, and attaches nothing") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    make_sample(path);
    Database database = open_database(path, Access::read_write, {});
    execute(database.sqlite, "CREATE TRIGGER gone AFTER INSERT ON meta BEGIN DELETE FROM observation; END");
    execute(database.sqlite, "INSERT INTO meta VALUES ('a', 'b')");
    CHECK(database_stats(database).observations == 5);
    execute(database.sqlite, "CREATE VIEW some AS SELECT 1");
    CHECK_THROWS_AS(execute(database.sqlite, "SELECT * FROM some"), Error);
    CHECK_THROWS_AS(execute(database.sqlite, "ATTACH ':memory:' AS other"), Error);
    CHECK_THROWS_AS(execute(database.sqlite, "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema"), Error);
}

TEST_CASE("a query without an end ends with an error that names the file, and the next one runs") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    make_sample(path);
    const Connection connection = raw_database(path);
    static constexpr uint64_t few = 2'000'000;
    guard(connection.get(), few);
    const char* endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
    const std::string limit = path.string() + ": a query did not end within its limit of work";
    for (int i = 0; i < 2; ++i) {
        try {
            Statement(connection, endless).run();
            FAIL("ended");
        } catch (const Error& error) {
            CHECK(std::string(error.what()).starts_with(limit));
        }
        CHECK_THROWS_AS(execute(connection, endless), Error);
        Statement rows(connection, "SELECT count(*) FROM observation");
        for (int run = 0; run < 1000; ++run) CHECK(rows.only_integer() == 5);
    }
    // A limit for the whole statement: many rows, each soon found, are as long.
    Statement rows(connection, "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c");
    CHECK_THROWS_AS(rows.run(), Error);
}

TEST_CASE("a text of many megabytes in a database is refused where it is read") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    make_sample(path);
    execute(raw_database(path), "UPDATE device SET name = replace(hex(zeroblob(9000000)), '0', 'a')");
    const Database database = open_database(path, Access::read_only, {});
    try {
        Statement(database.sqlite, "SELECT name FROM device").run();
        FAIL("read");
    } catch (const Error& error) {
        CHECK(std::string(error.what()).starts_with(path.string() + ": a text in it has more than 16777216 bytes"));
    }
}

TEST_CASE("on a full disk a database is still read, and what is said is about reading") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    make_sample(path);
    FailingDisk disk;
    for (uint64_t n = 1; n < 8; ++n) {
        CAPTURE(n);
        disk.fail_at(n, SQLITE_FULL, FailingDisk::Lasting::from_then_on);
        CHECK(database_stats(open_database(path, Access::read_only, {})).observations == 5);
    }
    disk.fail_at(0);
    CHECK(database_stats(open_database(path, Access::read_only, {})).observations == 5);
}

TEST_CASE("numbers that no member can hold, and JSON without an end, are named by check and by who reads them") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    struct Case {
        std::string sql, said;
    };
    const std::string deep(200'000, '[');
    const Case cases[] = {
        {"UPDATE observation SET memory_type = 4294967297 WHERE id = 2",
         "observation 2 cannot be read: memory_type: 4294967297 is out of range"},
        {"UPDATE observation SET memory_type = 40 WHERE id = 2",
         "observation 2: memory_type: must be the index of a memory type, or -1"},
        {"UPDATE observation SET width = 4294967297 WHERE id = 2",
         "observation 2 cannot be read: extent: 4294967297 is out of range"},
        {"UPDATE observation SET elements = -1 WHERE id = 2",
         "observation 2 cannot be read: elements: -1 is out of range"},
        {"UPDATE observation SET result = 'maybe', pattern = NULL, layout = NULL WHERE id = 2",
         "observation 2: result: \"maybe\" is not one of"},
        {"UPDATE observation SET layout = '" + deep + "' WHERE id = 2", "observation 2: its layout cannot be read: "},
        {"UPDATE pattern SET layout = '" + deep + "'", "pattern "},
        {"INSERT INTO start_order VALUES (1, 1, 1, 4, 4, 'row', '" + deep + "', '', '2025-03-01T12:00:00Z', '')",
         "launch order 1 cannot be read: statistics: "},
        {"INSERT INTO start_order VALUES (1, 1, 1, 4, 4, 'row', '[1]', '', '2025-03-01T12:00:00Z', '')",
         "launch order 1: statistics: must be an object"},
        {"INSERT INTO lane_order VALUES (1, 1, 1, 2, 2, 1, 'id', 4, '{}', '', '2025-03-01T12:00:00Z', '')",
         "lane order 1 cannot be read: matrix: must be a list such as"},
    };
    for (const Case& one : cases) {
        CAPTURE(one.said);
        make_sample(path);
        damage(path, one.sql);
        const std::vector<std::string> faults = check_database(open_database(path, Access::read_only, {})).faults;
        REQUIRE_FALSE(faults.empty());
        CHECK(std::ranges::any_of(faults, [&](const std::string& fault) { return fault.starts_with(one.said); }));
        for (const std::string& fault : faults) CHECK(fault.find("json.exception") == std::string::npos);
    }
}

TEST_CASE("damaged lane orders and launch orders are refused by their rows, or left out one by one") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    {
        Database database = sample::empty_database(path);
        LaunchOrderFact launch;
        launch.visit = "row";
        LaneOrderFact lanes;
        lanes.note = "no order";
        launch.time = lanes.time = "2025-03-01T12:00:00Z";
        for (const uint32_t width : {4U, 5U, 6U}) {
            launch.grid[0] = lanes.shape[0] = width;
            add_fact(database, sample::h100(), sample::nvidia_580(), launch);
            add_fact(database, sample::h100(), sample::nvidia_580(), lanes);
        }
    }
    damage(path,
           "UPDATE start_order SET statistics = '{\"runs\": [1]}' WHERE id = 2; "
           "UPDATE lane_order SET matrix = '[\"i0\", \"i0\"]' WHERE id = 3");
    const Database database = open_database(path, Access::read_only, {});
    std::vector<std::string> said;
    const auto leave_out = [&](const Error& error) { said.emplace_back(error.what()); };
    CHECK(find_facts<LaunchOrderFact>(database, sample::h100(), sample::nvidia_580(), leave_out).size() == 2);
    CHECK(find_facts<LaneOrderFact>(database, sample::h100(), sample::nvidia_580(), leave_out).size() == 2);
    const std::vector<std::string> expected = {
        "launch order 2: statistics.runs: must be an integer from 0 to 4294967295",
        "lane order 3 cannot be read: matrix: two invocations would have one lane slot"};
    CHECK(said == expected);
    CHECK_THROWS_WITH_AS(find_facts<LaunchOrderFact>(database), expected[0].c_str(), Error);
    CHECK_THROWS_WITH_AS(find_facts<LaneOrderFact>(database, sample::h100(), sample::nvidia_580()), expected[1].c_str(),
                         Error);
}

TEST_CASE("a damaged disagreement is named by its row") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    make_sample(path);
    damage(path, "INSERT INTO disagreement VALUES (7, 1, 2, -5, 0, 0, 0, 0, NULL, NULL, 'differ')");
    const std::vector<std::string> faults = check_database(open_database(path, Access::read_only, {})).faults;
    CHECK(std::ranges::count(faults, "disagreement 7 cannot be read: differing: -5 is out of range") == 1);
}

TEST_CASE("a layout that would give two elements of its image one place is refused, and found in a file by check") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    const std::string said =
        "layout: in an image of 300x200, two tiles would overlap: a stride is too small for what lies between";
    {
        Database database = sample::empty_database(path);
        ObservationFact fact = sample::observed(sample::gob_of_16(), "2025-03-01T12:00:00Z");
        add_observation(database, sample::h100(), sample::nvidia_580(), fact);
        fact.layout->stride[axis_y] = 18 * 8192;
        CHECK_THROWS_WITH_AS(add_observation(database, sample::h100(), sample::nvidia_580(), fact), said.c_str(),
                             Error);
        fact.extent_px = {600, 400, 1};
        fact.levels = 2;
        fact.level = 1;
        CHECK_THROWS_AS(add_observation(database, sample::h100(), sample::nvidia_580(), fact), Error);
        fact.level = 2;
        fact.levels = 3;  // 150x100
        CHECK(add_observation(database, sample::h100(), sample::nvidia_580(), fact).new_observation);
        fact.extent_px = {300, 200, 1};
        fact.level = 0;
        fact.levels = 1;
        fact.aspect = "plane1";  // how large it is its format says
        CHECK(add_observation(database, sample::h100(), sample::nvidia_580(), fact).new_observation);
        CHECK(check_database(database).faults.empty());
    }
    damage(path, "UPDATE observation SET layout = json_set(layout, '$.stride.y', 8192) WHERE id = 1");
    const std::vector<std::string> faults = check_database(open_database(path, Access::read_only, {})).faults;
    CHECK(std::ranges::count(faults, "observation 1: " + said) == 1);
}

namespace {

std::string big_endian(uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
    return bytes;
}

/// A journal that SQLite takes for one that a crash left behind, of a database of that many pages; it restores nothing and
/// may end with the name of a super-journal (https://www.sqlite.org/fileformat2.html, section 3; writeSuperJournal() in
/// pager.c).
std::string journal_of(uint32_t pages, uint32_t page_bytes, const std::string& super_journal = "") {
    constexpr uint32_t sector_bytes = 512, lock_byte = 1 << 30;
    const std::string magic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
    std::string journal =
        magic + big_endian(0) + big_endian(1) + big_endian(pages) + big_endian(sector_bytes) + big_endian(page_bytes);
    journal.resize(sector_bytes);
    if (super_journal.empty()) return journal;
    uint32_t sum = 0;
    for (const char c : super_journal) sum += static_cast<uint32_t>(static_cast<signed char>(c));
    return journal + big_endian(lock_byte / page_bytes + 1) + super_journal +
           big_endian(static_cast<uint32_t>(super_journal.size())) + big_endian(sum) + magic;
}

/// A write-ahead log of one page, the first, that makes the database as many pages (fileformat2.html, section 4).
std::string log_of(const std::string& page, uint32_t pages) {
    uint32_t sum[2] = {0, 0};
    const auto add = [&sum](const std::string& bytes) {
        for (size_t i = 0; i + 8 <= bytes.size(); i += 8) {
            uint32_t words[2];
            std::memcpy(words, bytes.data() + i, sizeof(words));
            sum[0] += words[0] + sum[1];
            sum[1] += words[1] + sum[0];
        }
        return big_endian(sum[0]) + big_endian(sum[1]);
    };
    const std::string salts = "saltsalt";
    // The last bit of the magic number says in which order of bytes the sums were taken.
    const uint32_t magic = std::endian::native == std::endian::little ? 0x377f0682 : 0x377f0683;
    std::string log = big_endian(magic) + big_endian(3007000) + big_endian(static_cast<uint32_t>(page.size())) +
                      big_endian(0) + salts;
    log += add(log);
    const std::string frame = big_endian(1) + big_endian(pages);
    add(frame);
    return log + frame + salts + add(page) + page;
}

uint32_t page_bytes_of(const std::filesystem::path& path) {
    return static_cast<uint32_t>(Statement(raw_database(path), "PRAGMA page_size").only_integer().value());
}

/// As raw_database(), by the VFS of the program's own connections.
Connection guarded_database(const std::filesystem::path& path) {
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE, own_files_vfs().c_str());
    Connection connection(handle);
    if (code != SQLITE_OK) throw_sqlite_error(handle, code);
    return connection;
}

constexpr const char* endings[] = {"-journal", "-wal", "-shm"};

}  // namespace

TEST_CASE("a journal that names a file to delete is refused, and the file stays") {
    const sample::Folder folder;
    const auto path = folder / "a.db", victim = folder / "victim.txt", link = folder / "link.db";
    make_sample(path);
    const uint32_t page_bytes = page_bytes_of(path);
    const auto pages = static_cast<uint32_t>(std::filesystem::file_size(path) / page_bytes);
    const std::string journal = journal_of(pages, page_bytes, victim.string());
    std::filesystem::create_symlink(path, link);
    const auto place = [&] {
        sample::write_file(victim, "kept");
        sample::write_file(path.string() + "-journal", journal);
    };

    // That this is what SQLite obeys, without which the rest would show nothing.
    place();
    CHECK(observations_in(path) == 5);
    CHECK_FALSE(std::filesystem::exists(victim));

    for (const auto& opened : {path, link})
        for (const Access access : {Access::read_only, Access::read_write}) {
            CAPTURE(opened.string());
            place();
            CHECK(said_of(opened, access).starts_with("its journal, "));
            CHECK(std::filesystem::exists(victim));
        }
    std::filesystem::remove(path.string() + "-journal");
    CHECK(said_of(path, Access::read_only) == "opened");
}

TEST_CASE("what SQLite does with a journal that was not looked at deletes no other file, either") {
    const sample::Folder folder;
    const auto path = folder / "a.db", victim = folder / "victim.txt";
    make_sample(path);
    const uint32_t page_bytes = page_bytes_of(path);
    const auto pages = static_cast<uint32_t>(std::filesystem::file_size(path) / page_bytes);
    sample::write_file(victim, "kept");
    sample::write_file(path.string() + "-journal", journal_of(pages, page_bytes, victim.string()));
    CHECK_THROWS_AS(Statement(guarded_database(path), "SELECT count(*) FROM observation").step(), Error);
    CHECK(std::filesystem::exists(victim));

    std::filesystem::remove(path.string() + "-journal");
    const Database database = open_database(path, Access::read_only, {});
    sqlite3_vfs* vfs = nullptr;
    REQUIRE(sqlite3_file_control(database.sqlite.get(), "main", SQLITE_FCNTL_VFS_POINTER, &vfs) == SQLITE_OK);
    CHECK(vfs->zName == own_files_vfs());
    CHECK(vfs->xDelete(vfs, victim.c_str(), 0) != SQLITE_OK);
    CHECK(std::filesystem::exists(victim));
}

TEST_CASE("a journal that would make the database larger is refused, and the database stays as it is") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    make_sample(path);
    const auto size = std::filesystem::file_size(path);
    const uint32_t page_bytes = page_bytes_of(path);
    constexpr uint32_t pages = 1 << 18;
    const std::string journal = path.string() + "-journal";
    for (const Access access : {Access::read_only, Access::read_write}) {
        sample::write_file(journal, journal_of(pages, page_bytes));
        CHECK(said_of(path, access).starts_with("its journal, " + journal + ", would make it a file of "));
        CHECK(std::filesystem::file_size(path) == size);
    }
    // That SQLite obeys it.
    CHECK(observations_in(path) == 5);
    CHECK(std::filesystem::file_size(path) == uint64_t{pages} * page_bytes);
}

TEST_CASE("a journal that a crash left is played back as ever") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    make_sample(path);
    const uint32_t page_bytes = page_bytes_of(path);
    const std::string whole = sample::file_bytes(path);
    sample::write_file(path.string() + "-journal",
                       journal_of(static_cast<uint32_t>(whole.size() / page_bytes), page_bytes));
    sample::write_file(path, whole + std::string(page_bytes, 'x'));
    CHECK(said_of(path, Access::read_write) == "opened");
    CHECK(sample::file_bytes(path) == whole);
    CHECK_FALSE(std::filesystem::exists(path.string() + "-journal"));
}

TEST_CASE("pipes and links beside a database are refused by name, without waiting and without a write") {
    const sample::Folder folder;
    const auto path = folder / "a.db", victim = folder / "victim.txt";
    make_sample(path);
    sample::write_file(victim, "kept");
    for (const std::string ending : endings) {
        const std::string beside = path.string() + ending;
        for (const std::string kind : {"pipe", "link", "second name"}) {
            CAPTURE(beside);
            CAPTURE(kind);
            if (kind == "pipe")
                REQUIRE(mkfifo(beside.c_str(), 0600) == 0);
            else if (kind == "link")
                std::filesystem::create_symlink(victim, beside);
            else
                std::filesystem::create_hard_link(victim, beside);
            for (const Access access : {Access::read_only, Access::read_write})
                CHECK(said_of(path, access).starts_with(beside + " is a link, or no plain file"));
            // Where they came after the look at them.
            CHECK_THROWS_AS(Statement(guarded_database(path), "SELECT count(*) FROM observation").step(), Error);
            CHECK(sample::file_bytes(victim) == "kept");
            std::filesystem::remove(beside);
        }
    }
    CHECK(said_of(path, Access::read_write) == "opened");
}

TEST_CASE("a database that is refused stays as it is, and so does its log") {
    const sample::Folder folder;
    const auto path = folder / "a.db", other = folder / "b.db";
    const std::string log = path.string() + "-wal", log_of_other = other.string() + "-wal";
    make_sample(other);
    {
        const Connection writer = raw_database(other);
        execute(writer, "PRAGMA wal_autocheckpoint = 0; CREATE TABLE more (a TEXT)");
        std::filesystem::copy_file(other, path);
        std::filesystem::copy_file(log_of_other, log);
    }
    const std::string before = sample::file_bytes(path), log_before = sample::file_bytes(log);
    REQUIRE_FALSE(log_before.empty());
    for (const Access access : {Access::read_only, Access::read_write}) {
        CHECK(said_of(path, access).starts_with("tilewise did not make its table \"more\""));
        CHECK(sample::file_bytes(path) == before);
        CHECK(sample::file_bytes(log) == log_before);
    }
}

TEST_CASE("a log is written into its database once that is known to be ours, and makes it no larger than both") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    const std::string log = path.string() + "-wal";
    make_sample(path);
    std::string whole = sample::file_bytes(path);
    whole.replace(96, 4, "page");  // the version of SQLite that wrote last, by which the log's page is known
    const std::string page = whole.substr(0, page_bytes_of(path));
    const auto pages = static_cast<uint32_t>(whole.size() / page.size());
    sample::write_file(log, log_of(page, pages));
    CHECK(said_of(path, Access::read_only) == "opened");
    CHECK_FALSE(std::filesystem::exists(log));
    CHECK(sample::file_bytes(path) == whole);

    for (const Access access : {Access::read_only, Access::read_write}) {
        sample::write_file(log, log_of(page, 1 << 30));
        const std::string said = said_of(path, access);
        CAPTURE(said);
        CHECK(std::filesystem::file_size(path) <= whole.size() + (1 << 16) + page.size());
    }
}
