// The file: what is refused, what survives.
#include "db/facts/disagreement.h"
#include "db/facts/figure.h"
#include "db/facts/image_rule.h"
#include "db/facts/kept_pattern.h"
#include "db/facts/lane_order.h"
#include "db/facts/launch_order.h"
#include "db/facts/pattern_mode.h"
#include "db/facts/trial.h"
#include "db/facts/tuning.h"
#include "db/facts/usage_sizes.h"
#include "db/facts/validation.h"
#include "db/query/check.h"
#include "db/query/query.h"
#include "db/sqlite/open.h"
#include "db/sqlite/schema.h"
#include "patterns/model/error.h"
#include "tests/support/db_sample.h"
#include "tests/support/later_schema.h"
#include "tests/support/paths.h"
#include <csignal>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace tilewise;
using namespace tilewise::db;

namespace {

std::string refusal(const std::filesystem::path& path, Access access) {
    try {
        open_database(path, access, {});
    } catch (const Error& error) {
        std::string said = error.what();
        CHECK(said.find(path.string()) != std::string::npos);
        CHECK(said.find('\n') == std::string::npos);
        return said;
    }
    return "opened";
}

Connection raw(const std::filesystem::path& path) {
    sqlite3* handle = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &handle) == SQLITE_OK);
    return Connection(handle);
}

/// Copies tests/data/db_schema_N.db, which the version of then wrote, with a fact of each kind that it knew.
void copy_of_schema(int64_t schema, const std::filesystem::path& to) {
    const std::string name = fmt::format("tests/data/db_schema_{}.db", schema);
    std::filesystem::copy_file(std::filesystem::path(source_dir()) / name, to,
                               std::filesystem::copy_options::overwrite_existing);
}

ObservationFact numbered(uint32_t number) {
    ObservationFact fact = sample::observed(sample::gob_of_16(), "2025-03-01T12:00:00Z");
    fact.extent_px = {number + 1, 7, 1};
    return fact;
}

void add_numbered(Database& database, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; ++i) add_observation(database, sample::h100(), sample::nvidia_580(), numbered(i));
}

uint64_t stored(const std::filesystem::path& path) {
    const Database database = open_database(path, Access::read_only);
    CHECK(check_database(database).faults.empty());
    return database_stats(database).observations;
}

// Runs work in a process of its own; its exit code, or minus the signal that ended it.
int in_child(const auto& work) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        // _exit: the test program's own clean-up (temporary folders among it) is the parent's.
        try {
            _exit(work());
        } catch (const std::exception& error) {
            (void)!write(STDERR_FILENO, error.what(), std::string(error.what()).size());
            _exit(99);
        }
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("a new database is made with its folders, and only when something is to be written") {
    const sample::Folder folder;
    const std::filesystem::path path = folder / "not/yet/there.db";
    CHECK(refusal(path, Access::read_only) ==
          "no database at " + path.string() + ": run `tilewise probe`, or name another with --db");
    CHECK_FALSE(std::filesystem::exists(folder / "not"));
    { const Database database = sample::empty_database(path); }
    CHECK(stored(path) == 0);
    // No write-ahead log stays behind, neither of a writer nor of a reader.
    CHECK(std::distance(std::filesystem::directory_iterator(path.parent_path()), {}) == 1);
}

TEST_CASE("a new database beside the log of one that is gone has nothing of that") {
    const sample::Folder folder;
    const std::filesystem::path path = folder / "t.db";
    const std::filesystem::path log = path.string() + "-wal";
    {
        Database old = open_database(path, Access::read_write);
        Statement(old.sqlite, "CREATE TABLE of_the_old_file (x)").step();
        std::filesystem::copy(log, folder / "kept");
    }
    std::filesystem::remove(path);
    std::filesystem::copy(folder / "kept", log, std::filesystem::copy_options::overwrite_existing);
    CHECK(std::filesystem::file_size(log) > 0);
    const Database fresh = open_database(path, Access::read_write);
    CHECK(check_database(fresh).faults.empty());
    Statement table(fresh.sqlite, "SELECT 1 FROM sqlite_master WHERE name = 'of_the_old_file'");
    CHECK(!table.step());
}

TEST_CASE("the place of the database follows TILEWISE_DB, XDG_DATA_HOME and HOME") {
    CHECK(in_child([] {
              const auto is = [](const char* path) { return default_path() == path; };
              setenv("HOME", "/home/u", 1);
              unsetenv("XDG_DATA_HOME");
              unsetenv("TILEWISE_DB");
              if (!is("/home/u/.local/share/tilewise/tilewise.db")) return 1;
              setenv("XDG_DATA_HOME", "relative", 1);  // which the XDG specification has ignored
              if (!is("/home/u/.local/share/tilewise/tilewise.db")) return 4;
              unsetenv("HOME");
              if (default_path()) return 5;
              setenv("XDG_DATA_HOME", "/data", 1);
              if (!is("/data/tilewise/tilewise.db")) return 2;
              setenv("TILEWISE_DB", "here.db", 1);
              return is("here.db") ? 0 : 3;
          }) == 0);
}

TEST_CASE("a file that is no database of ours is refused, and stays as it is") {
    const sample::Folder folder;
    const auto path = folder / "other";
    for (const Access access : {Access::read_only, Access::read_write}) {
        sample::write_file(path, "x,y,byte_offset\n0,0,0\n");
        CHECK(refusal(path, access) == path.string() + ": is not a database: name another file with --db");
        CHECK(sample::file_bytes(path) == "x,y,byte_offset\n0,0,0\n");

        std::filesystem::remove(path);
        execute(raw(path), "CREATE TABLE bookmark (url TEXT)");
        const std::string before = sample::file_bytes(path);
        CHECK(refusal(path, access) ==
              path.string() + ": is a database of another program: name another file with --db");
        CHECK(sample::file_bytes(path) == before);

        std::filesystem::remove(path);
        execute(raw(path), "PRAGMA application_id = 12345");
        CHECK(refusal(path, access) ==
              path.string() + ": is a database of another program: name another file with --db");
        std::filesystem::remove(path);
    }
    CHECK(refusal(folder.path, Access::read_write) == folder.path.string() + ": is a folder: name a file with --db");
    sample::write_file(path, "");
    CHECK(refusal(path, Access::read_only).find("is empty") != std::string::npos);
    CHECK(refusal(path, Access::read_write) == "opened");  // an empty file is as good as none
    CHECK(refusal("/dev/null", Access::read_write) ==
          "/dev/null: is not a file that can be read: name another with --db");
    CHECK(refusal(path / "below.db", Access::read_write).find("cannot be created") != std::string::npos);
}

TEST_CASE("a database of a newer tilewise is refused, and stays as it is") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    { const Database database = sample::empty_database(path); }
    const int64_t known = schema_after(schema_steps());
    execute(raw(path), fmt::format("PRAGMA user_version = {}", known + 1).c_str());
    const std::string before = sample::file_bytes(path);
    for (const Access access : {Access::read_only, Access::read_write})
        CHECK(refusal(path, access) ==
              fmt::format("{}: was written by a newer tilewise (schema {}, this one knows {}): update tilewise",
                          path.string(), known + 1, known));
    CHECK(sample::file_bytes(path) == before);
}

TEST_CASE("a database of before the first schema is refused with the way out, and stays as it is") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    // A file that the version before wrote, and the oldest number that there can be.
    for (const int64_t version : {base_schema - 1, int64_t{1}}) {
        copy_of_schema(base_schema - 1, path);
        if (version != base_schema - 1) execute(raw(path), fmt::format("PRAGMA user_version = {}", version).c_str());
        const std::string before = sample::file_bytes(path);
        for (const Access access : {Access::read_only, Access::read_write}) {
            CHECK(
                refusal(path, access) ==
                fmt::format("{}: was written by an older tilewise (schema {}, this one reads {} and later): export it "
                            "with the version that wrote it (`tilewise --db FILE db export BUNDLE`), then `tilewise db "
                            "import BUNDLE` into a new database",
                            path.string(), version, base_schema));
            CHECK(sample::file_bytes(path) == before);
            CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 1);
        }
    }
}

TEST_CASE("an older database is brought to the newest schema with all that is in it, or left alone") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    {
        Database database = sample::empty_database(path);
        add_numbered(database, 0, 5);
    }
    const std::span<const char* const> known = schema_steps();
    const std::vector<const char*> newer = later_steps();
    const int64_t next = schema_after(newer);

    std::vector<const char*> broken = newer;
    broken.push_back("ALTER TABLE no_such_table ADD COLUMN a TEXT");
    CHECK_THROWS_AS(migrate(raw(path), broken), Error);
    CHECK(schema_version(raw(path)) == next - 1);
    CHECK(stored(path) == 5);

    migrate(raw(path), newer);
    const Connection connection = raw(path);
    CHECK(schema_version(connection) == next);
    Statement rows(connection, "SELECT count(*) FROM observation WHERE note = 'none'");
    REQUIRE(rows.step());
    CHECK(rows.integer(0) == 5);
    migrate(connection, newer);  // nothing to do
    CHECK_THROWS_AS(migrate(connection, known), Error);
}

TEST_CASE("a file that was migrated has the schema of one that is new") {
    const sample::Folder folder;
    const auto old = folder / "old.db", fresh = folder / "fresh.db";
    copy_of_schema(base_schema, old);
    const std::vector<const char*> steps = later_steps();
    const Database migrated = open_database(old, Access::read_write, {}, steps);
    const Database made = open_database(fresh, Access::read_write, {}, steps);
    CHECK(schema_text(migrated.sqlite) == schema_text(made.sqlite));
    CHECK(schema_version(migrated.sqlite) == schema_after(steps));
    CHECK(schema_version(made.sqlite) == schema_after(steps));
    CHECK(check_database(migrated).faults.empty());
    CHECK(find_observations(migrated, {.result = "exact"}).size() == 2);
    CHECK(find_disagreements(migrated).size() == 1);
}

TEST_CASE("modes that another version stored are not believed, and are stored anew by whoever writes") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    const auto add = [&] {
        Database database = sample::empty_database(path);
        add_numbered(database, 0, 1);
    };
    const auto stored_names = [&] {
        std::vector<std::string> names;
        const Connection connection = raw(path);
        Statement rows(connection, "SELECT name FROM pattern_mode");
        while (rows.step()) names.push_back(rows.text(0));
        return names;
    };
    const std::vector<std::string> computed = {mode_of(sample::gob_of_16().pattern).name};
    const auto is_found_by = [](const Database& database, const char* mode) {
        return !find_patterns(database, {.mode = mode}).empty();
    };
    add();
    CHECK(stored_names() == computed);
    for (const char* change : {"UPDATE pattern_mode SET naming = 'another', name = 'Tile4'", "DELETE FROM pattern_mode",
                               "UPDATE pattern_mode SET naming = ''"}) {
        CAPTURE(change);
        execute(raw(path), change);
        {
            const Database reader = open_database(path, Access::read_only, {});
            CHECK(is_found_by(reader, "block-linear"));
            CHECK_FALSE(is_found_by(reader, "Tile4"));
        }
        add();
        CHECK(stored_names() == computed);
    }
    // This version's are believed: that is what they are stored for.
    execute(raw(path), "UPDATE pattern_mode SET name = 'Tile4'");
    const Database reader = open_database(path, Access::read_only, {});
    CHECK(is_found_by(reader, "Tile4"));
    CHECK_FALSE(is_found_by(reader, "block-linear"));
}

TEST_CASE("a file of an older schema gets the modes of its patterns, for readers too") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    copy_of_schema(base_schema, path);
    execute(raw(path), "DELETE FROM pattern_mode");
    { const Database reader = open_database(path, Access::read_only, {}, later_steps()); }
    const Connection connection = raw(path);
    Statement rows(
        connection,
        "SELECT count(*), sum(mode_size = '16 GOBs high') FROM v_pattern WHERE mode <> '' OR mode_size <> ''");
    REQUIRE(rows.step());
    CHECK(rows.integer(0) == 2);
    CHECK(rows.integer(1) == 1);
}

TEST_CASE("two threads find the same faults in a file as one does in memory") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    {
        Database database = sample::empty_database(path);
        add_numbered(database, 0, 60);
    }
    execute(raw(path),
            "UPDATE observation SET width = 4096 WHERE id = 7; PRAGMA foreign_keys = OFF; "
            "INSERT INTO pattern_use SELECT 99, 5, 5, pattern, provenance, usage, route, 1, '', 0, '', '', '' "
            "FROM pattern_use");
    const Database file = open_database(path, Access::read_only, {});
    Database memory = open_catalog({});
    sqlite3_backup* copy = sqlite3_backup_init(memory.sqlite.get(), "main", file.sqlite.get(), "main");
    REQUIRE(copy != nullptr);
    CHECK(sqlite3_backup_step(copy, -1) == SQLITE_DONE);
    sqlite3_backup_finish(copy);
    CHECK(open_again(file).has_value());
    CHECK_FALSE(open_again(memory).has_value());
    const std::vector<std::string> faults = check_database(file).faults;
    REQUIRE(faults.size() == 3);
    CHECK(faults[0].starts_with("pattern_use 99 refers to a "));
    CHECK(faults[1].starts_with("pattern_use 99 refers to a "));
    CHECK(faults[2] == "observation 7: was changed after it was stored");
    CHECK(check_database(memory).faults == faults);
}

// One such file is added when the schema changes; none is ever made anew.
TEST_CASE("a file of each schema, as the version of then wrote it, opens with its facts") {
    for (int64_t schema = base_schema; schema <= schema_after(schema_steps()); ++schema) {
        CAPTURE(schema);
        const sample::Folder folder;
        const auto path = folder / "a.db";
        copy_of_schema(schema, path);
        CHECK(schema_version(raw(path)) == schema);
        const Database database = open_database(path, Access::read_write, {});
        CHECK(schema_version(database.sqlite) == schema_after(schema_steps()));
        CHECK(schema_text(database.sqlite) == embedded_schema());
        CHECK(check_database(database).faults.empty());
        const std::vector<ObservationRow> rows = find_observations(database, {.result = "exact"});
        REQUIRE(rows.size() == 2);
        CHECK(rows[0].device == sample::h100());
        CHECK(rows[0].driver == sample::nvidia_580());
        CHECK(rows[0].fact.layout == sample::gob_of_16());
        CHECK(rows[1].fact.layout->pattern == sample::navi21().pattern);
        CHECK(rows[0].fact.flags == "alias,mutable-format");
        CHECK(rows[0].fact.bytes == 262144);
        CHECK(rows[0].fact.alignment == 1024);
        CHECK(find_observations(database, {.result = "out-of-memory"}).size() == 1);
        const std::vector<ObservationRow> sparse = find_observations(database, {.format = "R8_UNORM"});
        REQUIRE(sparse.size() == 1);
        CHECK(sparse[0].fact.sparse == sample::sparse_of_r8());
        CHECK(find_disagreements(database).size() == 1);
        CHECK(find_facts<LaunchOrderFact>(database).size() == 1);
        CHECK(find_facts<ImageRuleFact>(database).size() == 1);
        CHECK(find_facts<ValidationFact>(database).size() == 1);
        CHECK(find_facts<UsageSizesFact>(database).size() == (schema >= 16 ? 1 : 0));
        CHECK(kept_patterns(database).size() == (schema >= 17 ? 1 : 0));
        CHECK(find_trials(database, "4cb075ff254a5b04").size() == (schema >= 18 ? 1 : 0));
        CHECK(find_facts<TuningFact>(database).size() == 1);
        CHECK(find_facts<FigureFact>(database).size() == 1);
        REQUIRE(find_facts<LaneOrderFact>(database).size() == 1);
        CHECK(is_identity(*find_facts<LaneOrderFact>(database)[0].fact.matrix));
    }
}

TEST_CASE("a damaged file is refused or its damage is found, never a crash and never silence") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    {
        Database database = sample::empty_database(path);
        add_numbered(database, 0, 60);
    }
    const std::string whole = sample::file_bytes(path);
    const auto found = [&](const std::string& bytes) {
        sample::write_file(path, bytes);
        try {
            return !check_database(open_database(path, Access::read_only)).faults.empty();
        } catch (const Error&) {
            return true;
        }
    };
    CHECK_FALSE(found(whole));
    for (size_t size = 4096; size < whole.size(); size += 4096) CHECK(found(whole.substr(0, size)));
    for (size_t page = 0; page < whole.size(); page += 4096) {
        std::string bytes = whole;
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(page), 4096, '\xa5');
        CHECK(found(bytes));
    }
}

TEST_CASE("check finds what SQLite cannot know to be wrong") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    const auto faults_after = [&](const char* sql) {
        std::filesystem::remove(path);
        {
            Database database = sample::empty_database(path);
            add_numbered(database, 0, 2);
        }
        execute(raw(path), sql);
        return check_database(open_database(path, Access::read_only)).faults;
    };
    CHECK(faults_after("SELECT 1").empty());
    std::vector<std::string> faults =
        faults_after("UPDATE pattern SET layout = json_set(layout, '$.equation[2]', 'y0', '$.equation[4]', 'x0')");
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].find("its layout has the pattern") != std::string::npos);
    faults = faults_after("UPDATE observation SET layout = '{}' WHERE id = 2");
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].starts_with("observation 2: its layout cannot be read: "));
    faults = faults_after("UPDATE observation SET width = 4096 WHERE id = 1");
    CHECK(faults == std::vector<std::string>{"observation 1: was changed after it was stored"});
    faults = faults_after("PRAGMA foreign_keys = OFF; DELETE FROM driver");
    CHECK(faults == std::vector<std::string>{"observation 1 refers to a driver that is not there",
                                             "observation 2 refers to a driver that is not there",
                                             "pattern_use 1 refers to a driver that is not there"});
    faults = faults_after("UPDATE pattern_use SET observations = 7");
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].ends_with(" by device 1 with driver 1: were changed, and are not those of its observations"));
    CHECK(faults_after("DELETE FROM pattern_use") == faults);
    CHECK(faults_after("UPDATE pattern_use SET extents = '1x1x1'") == faults);
    CHECK(faults_after("UPDATE pattern_use SET extents = '1x1'") ==
          std::vector<std::string>{"pattern_use 1 cannot be read: extents: \"1x1\" is not a list of extents"});
    CHECK(faults_after("UPDATE pattern_use SET formats = formats || char(10) || formats").empty());
    const std::string block = pattern_id(sample::gob_of_16().pattern);
    for (const char* change : {"name = 'Tile4'", "size = ''", "modifier = 'LINEAR'"}) {
        CAPTURE(change);
        CHECK(faults_after((std::string("UPDATE pattern_mode SET ") + change).c_str()) ==
              std::vector<std::string>{"pattern " + block +
                                       ": its stored mode was changed, and is not that of its equation"});
    }
    // Not this version's: it counts for nothing.
    CHECK(faults_after("UPDATE pattern_mode SET name = 'Tile4', naming = 'an older one'").empty());
}

TEST_CASE("a full database keeps what was there and says so") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    Database database = sample::empty_database(path);
    add_numbered(database, 0, 3);
    Statement(database.sqlite, "PRAGMA max_page_count = 1").run();  // as large as it is, and no page more
    std::string said;
    uint32_t added = 3;
    try {
        for (;; ++added) add_observation(database, sample::h100(), sample::nvidia_580(), numbered(added));
    } catch (const Error& error) {
        said = error.what();
    }
    CHECK(said == path.string() + ": the disk is full, this write was not kept: make room and run it again");
    CHECK(database_stats(database).observations == added);
    Statement(database.sqlite, "PRAGMA max_page_count = 100000").run();
    add_numbered(database, added, added + 1);  // the connection goes on
    CHECK(stored(path) == added + 1);
}

TEST_CASE("a disk that takes no more bytes costs the write that met it, no other") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    { const Database database = sample::empty_database(path); }
    const int written = in_child([&] {
        std::signal(SIGXFSZ, SIG_IGN);
        Database database = open_database(path, Access::read_write, {});
        add_numbered(database, 0, 3);
        const rlimit limit = {400 * 1024, 400 * 1024};
        setrlimit(RLIMIT_FSIZE, &limit);
        for (uint32_t i = 3; i < 250; ++i) {
            try {
                add_numbered(database, i, i + 1);
            } catch (const Error& error) {
                const bool names_it =
                    std::string(error.what()).starts_with(path.string() + ": cannot be read or written (");
                return names_it ? static_cast<int>(i) : 0;
            }
        }
        return 0;
    });
    CHECK(written > 3);
    CHECK(stored(path) == static_cast<uint64_t>(written));
}

TEST_CASE("a process that is killed in the middle of a write leaves the earlier state") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    { const Database database = sample::empty_database(path); }
    const int ended = in_child([&] {
        Database database = open_database(path, Access::read_write, {});
        add_numbered(database, 0, 10);
        Transaction transaction(database.sqlite);
        execute(database.sqlite, "PRAGMA cache_size = 5; PRAGMA cache_spill = 1");  // so that pages go out early
        add_numbered(database, 10, 2000);
        if (std::filesystem::file_size(path.string() + "-wal") < 200'000) return 1;
        return raise(SIGKILL);
    });
    CHECK(ended == -SIGKILL);
    CHECK(stored(path) == 10);
    Database database = open_database(path, Access::read_write, {});
    add_numbered(database, 10, 12);
    CHECK(database_stats(database).observations == 12);
}

TEST_CASE("processes that write at the same time, from the creation on, lose nothing") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    const int failures = in_child([&] {
        std::vector<pid_t> writers;
        for (uint32_t writer = 0; writer < 4; ++writer) {
            const pid_t child = fork();
            if (child == 0) {
                try {
                    Database database = open_database(path, Access::read_write, {});
                    add_numbered(database, writer * 50, writer * 50 + 60);  // ten of them are the next writer's, too
                } catch (const std::exception& error) {
                    (void)!write(STDERR_FILENO, error.what(), std::string(error.what()).size());
                    _exit(1);
                }
                _exit(0);
            }
            writers.push_back(child);
        }
        int failed = 0;
        for (const pid_t writer : writers) {
            int status = 0;
            waitpid(writer, &status, 0);
            failed += status != 0;
        }
        return failed;
    });
    CHECK(failures == 0);
    CHECK(stored(path) == 210);
    CHECK(database_stats(open_database(path, Access::read_only)).patterns == 1);
}

TEST_CASE("a database is read where nothing can be written, and refuses writers there") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    {
        Database database = sample::empty_database(path);
        add_numbered(database, 0, 3);
    }
    std::filesystem::permissions(path, std::filesystem::perms(0444));
    std::filesystem::permissions(folder.path, std::filesystem::perms(0555));
    const int code = in_child([&] {
        if (geteuid() == 0 && setuid(65534) != 0) return 1;  // root may write everywhere
        if (database_stats(open_database(path, Access::read_only)).observations != 3) return 2;
        try {
            open_database(path, Access::read_write, {});
            return 3;
        } catch (const Error& error) {
            const bool good = std::string(error.what()).starts_with(path.string() + ": is read-only: make it");
            return good ? 0 : 4;
        }
    });
    std::filesystem::permissions(folder.path, std::filesystem::perms(0755));
    CHECK(code == 0);
}

TEST_CASE("a reader adds no fact") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    { const Database database = sample::empty_database(path); }
    Database database = open_database(path, Access::read_only);
    CHECK_THROWS_AS(add_numbered(database, 0, 1), Error);
}

TEST_CASE("an inner transaction that fails takes only its own writes back") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    Database database = sample::empty_database(path);
    Transaction outer(database.sqlite);
    add_numbered(database, 0, 2);
    {
        const Transaction inner(database.sqlite);
        add_numbered(database, 2, 5);
    }
    outer.commit();
    CHECK(database_stats(database).observations == 2);
}
