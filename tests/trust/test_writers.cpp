// Eight processes that write into one database: whatever each was told is kept, is kept.
#include "db/query/check.h"
#include "db/sqlite/sqlite.h"
#include "patterns/model/error.h"
#include "tests/support/db_sample.h"
#include "tests/support/soak.h"
#include <algorithm>
#include <chrono>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <set>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace tilewise;
using namespace tilewise::db;

namespace {

using Clock = std::chrono::steady_clock;
constexpr uint32_t processes = 8;

ObservationFact of_process(uint32_t process, uint32_t number) {
    ObservationFact fact = sample::observed(sample::gob_of_16(), "2025-03-01T12:00:00.000Z");
    fact.extent_px = {process + 1, number + 1, 1};
    return fact;
}

struct Wrote {
    uint32_t acknowledged = 0, refused = 0;
    double longest_wait = 0;  ///< seconds, for one observation
};

Wrote write_until(Clock::time_point end, const std::filesystem::path& path, uint32_t process) {
    Wrote wrote;
    Database database = open_database(path, Access::read_write, {});
    while (Clock::now() < end) {
        const auto start = Clock::now();
        try {
            add_observation(database, sample::h100(), sample::nvidia_580(), of_process(process, wrote.acknowledged));
            ++wrote.acknowledged;
        } catch (const Error&) {
            ++wrote.refused;
        }
        wrote.longest_wait = std::max(wrote.longest_wait, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return wrote;
}

struct Child {
    pid_t id;
    int report;
};

Child start_writer(Clock::time_point end, const std::filesystem::path& path, uint32_t process) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t id = fork();
    REQUIRE(id >= 0);
    if (id == 0) {
        Wrote wrote;
        try {
            wrote = write_until(end, path, process);
        } catch (...) {
            _exit(1);
        }
        _exit(write(ends[1], &wrote, sizeof wrote) == sizeof wrote ? 0 : 1);
    }
    close(ends[1]);
    return {id, ends[0]};
}

Wrote report_of(const Child& child) {
    Wrote wrote;
    CHECK(read(child.report, &wrote, sizeof wrote) == sizeof wrote);
    close(child.report);
    int status = 0;
    REQUIRE(waitpid(child.id, &status, 0) == child.id);
    CHECK(status == 0);
    return wrote;
}

}  // namespace

TEST_CASE("eight processes write into one database, and every observation that was acknowledged is there") {
    const sample::Folder folder;
    const auto path = folder / "a.db";
    const auto seconds = std::chrono::seconds(soaking() ? 60 : 2);
    std::vector<Child> children;
    for (uint32_t i = 0; i < processes; ++i) children.push_back(start_writer(Clock::now() + seconds, path, i));
    std::vector<Wrote> reports;
    for (const Child& child : children) reports.push_back(report_of(child));

    const Database database = open_database(path, Access::read_only, {});
    CHECK(check_database(database).faults.empty());
    std::set<std::pair<int64_t, int64_t>> kept;
    Statement rows(database.sqlite, "SELECT width, height FROM observation");
    while (rows.step()) kept.emplace(rows.integer(0), rows.integer(1));
    uint64_t acknowledged = 0, lost = 0, refused = 0;
    double longest_wait = 0;
    for (uint32_t i = 0; i < processes; ++i) {
        for (uint32_t number = 0; number < reports[i].acknowledged; ++number)
            lost += !kept.contains({i + 1, number + 1});
        CHECK(reports[i].acknowledged > 0);
        acknowledged += reports[i].acknowledged;
        refused += reports[i].refused;
        longest_wait = std::max(longest_wait, reports[i].longest_wait);
    }
    CHECK(lost == 0);
    if (soaking())
        fmt::print(
            "figures: {} processes, {} s: {} observations acknowledged, {} lost, {} refused as busy, longest wait "
            "{:.2f} s\n",
            processes, seconds.count(), acknowledged, lost, refused, longest_wait);
}
