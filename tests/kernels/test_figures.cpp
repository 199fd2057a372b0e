// Figures of how a device runs kernels, measured on lavapipe: what is checked is what they are made of, not how large
// they are.
#include "kernels/figures/figures.h"
#include "tests/support/kernel_bench.h"
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <thread>

using namespace tilewise::kernels;

TEST_CASE("a first-level cache ends where loads begin to take more than a quarter longer") {
    using Times = std::vector<ChainTime>;
    CHECK(bytes_before_step(Times{{4096, 20}, {8192, 20}, {16384, 24}, {32768, 40}, {65536, 90}}) == 16384);
    CHECK(bytes_before_step(Times{{4096, 20}, {8192, 60}, {16384, 20}}) == 4096);
    CHECK_FALSE(bytes_before_step(Times{{4096, 20}, {8192, 24.9}}).has_value());
    CHECK_FALSE(bytes_before_step(Times{{4096, 20}}).has_value());
}

TEST_CASE("an invocation of residents.comp leaves what two steps by hand leave") {
    const std::vector<uint32_t> next = {1, 2, 0};
    // 1 -> 1 << 1 ^ 1 = 3 -> 3 << 1 ^ 2 = 4; 2 -> 2 << 1 ^ 1 = 5 -> 5 << 1 ^ 2 = 8.
    CHECK(left_of(next, 1, 2) == 4);
    CHECK(left_of(next, 2, 2) == 4 * 3 + 8);
}

TEST_CASE("every figure is measured or said to be missing, of work whose outcome was right") {
    KernelBench bench;
    Limits limits;
    limits.seconds = 1;
    limits.warm_up_seconds = 0.1;
    FigureLoad load = load_of_cpus;
    load.chains = true;
    const Figures figures = measure_figures(bench.images, load, limits);
    std::set<std::string> named;
    for (const Figure& figure : figures.known) {
        CAPTURE(figure.name);
        CHECK(figure.value.value > 0);
        CHECK(figure.value.low <= figure.value.value);
        CHECK(figure.value.high >= figure.value.value);
        CHECK(named.insert(figure.name + " " + figure.format).second);
        // lavapipe runs one workgroup of 128 on each of its threads.
        if (figure.name.starts_with("resident")) {
            CHECK(figure.value.value >= 128);
            CHECK(figure.value.value <= 128 * std::thread::hardware_concurrency());
        }
    }
    for (const Figures::Failure& failure : figures.failures) {
        CAPTURE(failure.what);
        // A busy machine may hide a step or a slope; a wrong result would be told as one.
        CHECK(failure.reason.find("should be") == std::string::npos);
        CHECK(failure.reason.find("left the mark") == std::string::npos);
    }
    for (const char* kept : {"", "_32_values", "_64_values", "_128_values"})
        CHECK(named.contains(std::string("resident_invocations") + kept + " "));
    CHECK(figures.known.size() + figures.failures.size() >= 15);
}
