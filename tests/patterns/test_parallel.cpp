#include "patterns/model/parallel.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <doctest/doctest.h>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace tilewise;

TEST_CASE("each piece of work is done once, however many there are") {
    for (const size_t count : {0, 1, 7, 1000}) {
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
