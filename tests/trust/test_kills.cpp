// kill -9 at random moments: whatever a reader could see before is there after, and the file is sound.
#include "db/bundle/bundle.h"
#include "db/query/check.h"
#include "db/sqlite/schema.h"
#include "tests/support/db_sample.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/raw_database.h"
#include "tests/support/soak.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <random>
#include <set>
#include <sqlite3.h>
#include <thread>

using namespace tilewise;
using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

/// What a reader sees: each observation by its identity, each validation by its row.
std::set<std::string> facts_in(const fs::path& path) {
    std::set<std::string> facts;
    sqlite3* handle = nullptr;
    // Not read-only: such a reader cannot finish what a killed process left half-done.
    int code = sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE, nullptr);
    sqlite3_busy_timeout(handle, 10'000);
    if (code == SQLITE_OK)
        code = sqlite3_exec(
            handle, "SELECT identity FROM observation UNION ALL SELECT id FROM validation",
            [](void* to, int, char** columns, char**) {
                static_cast<std::set<std::string>*>(to)->insert(columns[0]);
                return 0;
            },
            &facts, nullptr);
    // No file yet, or no tables in it.
    CHECK((code == SQLITE_OK || code == SQLITE_CANTOPEN || code == SQLITE_ERROR));
    sqlite3_close(handle);
    return facts;
}

struct Job {
    const char* name;
    std::string before;   ///< the database's bytes; empty: there is none
    Command command;      ///< FILE stands for the database
    bool all_or_nothing;  ///< else facts come one by one
    int kills, kills_soaking;
};

struct KillFigures {
    int kills = 0, under_way = 0, lost = 0, unsound = 0, in_parts = 0, left_running = 0;
};

Command on_file(Command command, const std::string& path) {
    std::ranges::replace(command, std::string("FILE"), path);
    return command;
}

/// Whether the group of a process that is dead is empty soon.
bool leaves_nothing(const Running& running) {
    for (const auto end = Clock::now() + 10s; Clock::now() < end; std::this_thread::sleep_for(5ms))
        if (kill(-running.pid, 0) != 0 && errno == ESRCH) return true;
    kill(-running.pid, SIGKILL);
    return false;
}

void kill_once(const Job& job, const fs::path& path, Clock::duration delay, const std::set<std::string>& complete,
               KillFigures& figures) {
    if (!job.before.empty()) sample::write_file(path, job.before);
    const std::set<std::string> before = job.before.empty() ? std::set<std::string>() : facts_in(path);
    const auto end = Clock::now() + delay;
    const Running running = start(on_file(job.command, path.string()));
    std::set<std::string> seen = before;
    while (Clock::now() < end) {
        if (!job.all_or_nothing) seen.merge(facts_in(path));
        std::this_thread::sleep_for(std::min<Clock::duration>(20ms, std::max<Clock::duration>(end - Clock::now(), 0s)));
    }
    kill(running.pid, SIGKILL);
    figures.under_way += wait_for(running).code == 128 + SIGKILL;
    figures.left_running += !leaves_nothing(running);
    ++figures.kills;

    const std::set<std::string> after = facts_in(path);
    figures.lost += !std::ranges::includes(after, seen);
    figures.in_parts += job.all_or_nothing && after != before && after != complete;
    if (!fs::exists(path) || fs::file_size(path) == 0) return;
    db::Database database = db::open_database(path, db::Access::read_write, {});
    const std::vector<std::string> faults = db::check_database(database).faults;
    figures.unsound += !faults.empty();
}

KillFigures kill_often(const Job& job) {
    KillFigures figures;
    std::set<std::string> complete;
    const auto start = Clock::now();
    {
        const Folder folder;
        const std::string path = folder / "a.db";
        if (!job.before.empty()) sample::write_file(path, job.before);
        const Ended ended = run(on_file(job.command, path));
        CAPTURE(ended.err);
        REQUIRE(ended.code == 0);
        complete = facts_in(path);
    }
    const double whole = std::chrono::duration<double>(Clock::now() - start).count();
    std::mt19937 random(11);
    std::uniform_real_distribution<double> moment(0, 1.05 * whole);
    for (int i = 0; i < (soaking() ? job.kills_soaking : job.kills); ++i) {
        const Folder folder;
        const std::chrono::duration<double> delay(moment(random));
        kill_once(job, folder.path / "a.db", std::chrono::duration_cast<Clock::duration>(delay), complete, figures);
    }
    return figures;
}

std::string with_catalog() {
    const Folder folder;
    { db::open_database(folder.path / "a.db", db::Access::read_write); }
    return read_text(folder.path / "a.db");
}

/// A file that SQLite made, and no version of the program has written to: the steps of the schema and the catalog are to come.
std::string without_tables() {
    const Folder folder;
    db::execute(raw_database(folder.path / "a.db"), "PRAGMA journal_mode = WAL; VACUUM");
    return read_text(folder.path / "a.db");
}

}  // namespace

TEST_CASE("a command that is killed at any moment loses nothing that was committed, and leaves no process") {
    const std::string catalog = source_dir() + "/db/catalog/";
    const std::string database = with_catalog();
    const Folder folder;
    const std::string bundle = folder / "bundle.json", nothing = folder / "nothing.json";
    write_text(nothing, db::export_bundle(db::open_catalog({})));
    {
        db::Database others = db::open_catalog({});
        for (uint32_t i = 0; i < 2000; ++i) {
            db::ObservationFact fact = sample::observed(sample::navi21(), "2025-03-01T12:00:00.000Z");
            fact.extent_px = {i + 1, 7, 1};
            fact.elements = uint64_t{i + 1} * 7;
            db::add_observation(others, sample::radeon(), sample::radv(), fact);
        }
        write_text(bundle, db::export_bundle(others));
    }
    const Job jobs[] = {
        {"import", database, tilewise::tilewise({"--db", "FILE", "db", "import", bundle}), true, 4, 150},
        {"migrate", without_tables(), tilewise::tilewise({"--db", "FILE", "db", "import", nothing}), true, 4, 150},
        {"probe", database,
         tilewise_on("system", {"--db", "FILE", "probe", "--formats", "R8_UNORM,R8G8B8A8_UNORM", "--no-lanes"}), false,
         2, 150},
        {"validate", database,
         tilewise_on("system", {"--db", "FILE", "validate", "--kernel", "box", "--extent", "64x64", "--radius", "1",
                                "--format", "R8G8B8A8_UNORM", "--order", "row,morton", "--time", "0.1"}),
         false, 0, 50},
    };
    for (const Job& job : jobs) {
        if (!soaking() && job.kills == 0) continue;
        const std::string name = job.name;
        CAPTURE(name);
        const KillFigures figures = kill_often(job);
        CHECK(figures.lost == 0);
        CHECK(figures.unsound == 0);
        CHECK(figures.in_parts == 0);
        CHECK(figures.left_running == 0);
        if (soaking())
            fmt::print(
                "figures: {}: {} kills, {} of them before the work was done; {} with committed facts lost, {} unsound, "
                "{} "
                "with processes left\n",
                job.name, figures.kills, figures.under_way, figures.lost, figures.unsound, figures.left_running);
    }
}
