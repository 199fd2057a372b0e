// A disk that fails at every moment in turn: what was acknowledged is there, what was not is there whole or not at all.
#include "db/bundle/bundle.h"
#include "db/query/check.h"
#include "patterns/model/error.h"
#include "tests/support/db_sample.h"
#include "tests/support/failing_disk.h"
#include "tests/support/later_schema.h"
#include "tests/support/soak.h"
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <functional>
#include <sqlite3.h>

using namespace tilewise;
using namespace tilewise::db;

namespace {

constexpr const char* time_of_sample = "2025-03-01T12:00:00.000Z";

ObservationFact numbered(uint32_t number) {
    ObservationFact fact = sample::observed(sample::gob_of_16(), time_of_sample);
    fact.extent_px = {number + 1, 7, 1};
    return fact;
}

uint64_t observations(const Database& database) { return database_stats(database).observations; }

struct Work {
    const char* name;
    std::string before;  ///< the database's bytes; empty: there is none
    /// Sets how many observations are acknowledged as each write returns.
    std::function<void(const std::filesystem::path&, uint64_t& acknowledged)> run;
    uint64_t observations_before, observations_after;
    bool all_or_nothing;
    std::vector<const char*> steps = {schema_steps().begin(), schema_steps().end()};
};

struct Figures {
    uint64_t failures = 0, lost = 0, unsound = 0, in_parts = 0, silent = 0;
};

/// What is there after a failure, read on a disk that works again.
void check_survivor(const Work& work, const std::filesystem::path& path, uint64_t acknowledged, Figures& figures) {
    uint64_t kept = 0;
    if (std::filesystem::exists(path) && std::filesystem::file_size(path) != 0) {
        const Database database = open_database(path, Access::read_write, {}, work.steps);
        kept = observations(database);
        const std::vector<std::string> faults = check_database(database).faults;
        figures.unsound += !faults.empty();
    }
    figures.lost += kept < acknowledged;
    figures.in_parts += work.all_or_nothing && kept != work.observations_before && kept != work.observations_after;
    // The work can be done again on it.
    uint64_t again = 0;
    work.run(path, again);
    const Database database = open_database(path, Access::read_only, {}, work.steps);
    figures.lost += observations(database) != work.observations_after;
}

/// Fails every step-th change in turn until the work meets none.
Figures fail_everywhere(const Work& work, int error, FailingDisk::Lasting lasting, uint64_t step) {
    Figures figures;
    FailingDisk disk;
    for (uint64_t n = 1;; n += step) {
        const sample::Folder folder;
        const std::filesystem::path path = folder / "a.db";
        if (!work.before.empty()) sample::write_file(path, work.before);
        uint64_t acknowledged = work.observations_before;
        bool refused = false;
        disk.fail_at(n, error, lasting);
        try {
            work.run(path, acknowledged);
        } catch (const Error& said) {
            refused = true;
            CHECK(std::string(said.what()).find('\n') == std::string::npos);
        }
        const bool failed = disk.has_failed();
        disk.fail_at(0);
        if (!failed) return figures;
        ++figures.failures;
        // What failed and was not said must have made no difference.
        figures.silent += !refused && acknowledged != work.observations_after;
        CAPTURE(n);
        check_survivor(work, path, acknowledged, figures);
    }
}

std::string bytes_of_database(const std::function<void(Database&)>& fill) {
    const sample::Folder folder;
    {
        Database database = sample::empty_database(folder / "a.db");
        fill(database);
    }
    return sample::file_bytes(folder / "a.db");
}

void add_some(Database& database, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; ++i) add_observation(database, sample::h100(), sample::nvidia_580(), numbered(i));
}

Work adding() {
    const auto run = [](const std::filesystem::path& path, uint64_t& acknowledged) {
        Database database = open_database(path, Access::read_write, {});
        for (uint32_t i = 0; i < 4; ++i) {
            add_observation(database, sample::h100(), sample::nvidia_580(), numbered(i));
            acknowledged = i + 1;
        }
    };
    return {"add_observation", "", run, 0, 4, false};
}

Work importing() {
    const std::string before = bytes_of_database([](Database& database) { add_some(database, 0, 3); });
    Database source = open_catalog({});
    add_some(source, 3, soaking() ? 203 : 43);
    const std::string bundle = export_bundle(source);
    const uint64_t after = 3 + observations(source);
    const auto run = [bundle, after](const std::filesystem::path& path, uint64_t& acknowledged) {
        Database database = open_database(path, Access::read_write, {});
        import_bundle(database, bundle, "bundle");
        acknowledged = after;
    };
    return {"import", before, run, 3, after, true};
}

Work migrating() {
    constexpr uint32_t count = 40;
    const std::string before = bytes_of_database([](Database& database) { add_some(database, 0, count); });
    const auto run = [](const std::filesystem::path& path, uint64_t&) {
        open_database(path, Access::read_write, {}, later_steps());
    };
    return {"migrate", before, run, count, count, true, later_steps()};
}

}  // namespace

TEST_CASE("a disk that is full, broken or read-only at any moment loses nothing that was acknowledged") {
    using Lasting = FailingDisk::Lasting;
    for (const Work& work : {adding(), importing(), migrating()}) {
        const std::string name = work.name;
        CAPTURE(name);
        const uint64_t step = soaking() ? 1 : 6;
        Figures sum;
        for (const int error : {SQLITE_FULL, SQLITE_IOERR_WRITE, SQLITE_READONLY})
            for (const Lasting lasting : {Lasting::once, Lasting::from_then_on}) {
                CAPTURE(error);
                const Figures figures = fail_everywhere(work, error, lasting, step);
                CHECK(figures.failures > 0);
                CHECK(figures.lost == 0);
                CHECK(figures.unsound == 0);
                CHECK(figures.in_parts == 0);
                CHECK(figures.silent == 0);
                sum.failures += figures.failures;
                sum.lost += figures.lost;
                sum.unsound += figures.unsound;
            }
        if (soaking())
            fmt::print("figures: {}: {} failures of the disk, {} times an acknowledged observation lost, {} unsound\n",
                       work.name, sum.failures, sum.lost, sum.unsound);
    }
}
