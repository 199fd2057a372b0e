#include "patterns/model/parallel.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <doctest/doctest.h>
#include <stdexcept>
#include <thread>
#include <vector>
#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace tilewise;

TEST_CASE("each piece of work is done once, however many there are") {
    for (const size_t count : {0U, 1U, 7U, 1000U}) {
        std::vector<std::atomic<int>> times(count);
        parallel_for(count, [&](size_t i) { ++times[i]; });
        CHECK(std::ranges::all_of(times, [](const auto& done) { return done == 1; }));
    }
}

TEST_CASE("each row is in one part, and no part is empty") {
    for (const uint32_t rows : {0u, 1u, 5u, 333u}) {
        std::vector<std::atomic<int>> times(rows);
        std::atomic<int> empty = 0;
        for_rows(rows, [&](uint32_t first, uint32_t end) {
            empty += first >= end;
            for (uint32_t row = first; row < end; ++row) ++times[row];
        });
        CHECK(std::ranges::all_of(times, [](const auto& done) { return done == 1; }));
        CHECK(empty == 0);
    }
}

TEST_CASE("an exception on another thread is thrown to the caller") {
    const auto work = [](size_t i) {
        if (i == 3) throw std::runtime_error("the third");
    };
    CHECK_THROWS_WITH_AS(parallel_for(1000, work), "the third", std::runtime_error);
}

TEST_CASE("progress is told on the caller's thread while work goes on, and never goes back") {
    std::vector<size_t> seen;
    parallel_for(
        2, [&](size_t) { std::this_thread::sleep_for(std::chrono::milliseconds(30)); },
        [&](size_t done) { seen.push_back(done); });
    REQUIRE(!seen.empty());
    CHECK(seen.front() == 0);
    CHECK(std::ranges::is_sorted(seen));
}

TEST_CASE("work that spreads work of its own over threads comes to an end, from many threads at once") {
    constexpr size_t outer = 40, inner = 40;
    std::vector<std::atomic<int>> times(outer * inner);
    parallel_for(outer, [&](size_t i) { parallel_for(inner, [&](size_t k) { ++times[i * inner + k]; }); });
    CHECK(std::ranges::all_of(times, [](const auto& done) { return done == 1; }));
}

TEST_CASE("no more threads work at once than were asked for") {
    std::atomic<int> at_once = 0, most = 0;
    const auto work = [&](size_t) {
        for (int now = ++at_once, seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --at_once;
    };
    parallel_for(50, work, {}, 3);
    CHECK(most <= 3);
}

TEST_CASE("what throws while progress is told waits for the work, and is thrown") {
    std::atomic<int> at_work = 0;
    const auto work = [&](size_t) {
        ++at_work;
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        --at_work;
    };
    const auto progress = [](size_t) { throw std::runtime_error("enough"); };
    CHECK_THROWS_WITH_AS(parallel_for(4, work, progress), "enough", std::runtime_error);
    CHECK(at_work == 0);
}

#ifndef _WIN32
TEST_CASE("the child of a fork has threads of its own") {
    std::atomic<int> before = 0;
    parallel_for(10, [&](size_t) { ++before; });
    REQUIRE(before == 10);
    const pid_t child = fork();
    if (child == 0) {
        std::atomic<int> done = 0;
        parallel_for(1000, [&](size_t) { ++done; });
        _exit(done == 1000 ? 0 : 1);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}
#endif
