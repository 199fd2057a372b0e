#include "kernels/bloom/bloom.h"
#include "tests/support/kernel_bench.h"
#include <doctest/doctest.h>
#include <set>

using namespace tilewise;
using namespace tilewise::kernels;

TEST_CASE("a step down has weights 4 and 1, a step up 1 and 2, of samples between the texels") {
    // All rows are alike: along x alone a step down is four times the mean of the two texels around it, and twice that of
    // each of the next pairs, a texel away.
    const std::vector<float> row = {0, 0, 8, 0, 0, 0, 0, 0};
    std::vector<float> rows;
    for (int y = 0; y < 4; ++y) rows.insert(rows.end(), row.begin(), row.end());
    const auto down = [&](std::vector<float> is) {
        is.insert(is.end(), is.begin(), is.begin() + 4);
        return wrong_bloom_step(red_floats({8, 4}, rows), red_floats({4, 2}, is), BloomStep::down);
    };
    // Between the texels 0 and 1: corners between -1 and 0, and between 1 and 2: 2 * 4 / 8. Between 2 and 3: 4 * 4 / 8,
    // and corners between 1 and 2, and between 3 and 4: 2 * 4 / 8.
    CHECK(down({1, 3, 0, 0}) == "");
    // Within the sampler's places, 8 bits of which lie between two texels, and not beyond them.
    CHECK(down({1, 3.05F, 0, 0}) == "");
    CHECK(down({1, 3.2F, 0, 0}).starts_with("texel (1, 0) r is 3.2, should be 3 "));
    CHECK(down({1, 3, 1, 0}) != "");
    // Up, of the ramp 0 12 24 36, along x alone: the places one texel away have the weight 1, those half of one away 4,
    // and the place itself 2. The fourth of eight lies at 1.25 of the source's texels: no edge is near, it is on the
    // ramp. For the first, at -0.25, the source is 0 9, 0 3 and 0; for the second, at 0.25, 0 15, 0 9 and 3; for the
    // third, at 0.75, 0 21, 3 15 and 9.
    const auto up = [&](const std::vector<float>& is) {
        return wrong_bloom_step(red_floats({4, 1}, {0, 12, 24, 36}), red_floats({8, 1}, is), BloomStep::up);
    };
    const float first = (9 + 4 * 3) / 12.0F, second = (15 + 4 * 9 + 2 * 3) / 12.0F,
                third = (21 + 4 * (3 + 15) + 2 * 9) / 12.0F;
    const std::vector<float> ramp = {first, second, third, 15, 21, 36 - third, 36 - second, 36 - first};
    CHECK(up(ramp) == "");
    std::vector<float> other = ramp;
    other[3] += 0.5F;
    CHECK(up(other).starts_with("texel (3, 0) r is 15.5, should be 15 "));
    CHECK(bloom_levels({1, 1}) == 0);
    CHECK(bloom_levels({7, 1}) == 2);
    CHECK(bloom_levels({1920, 1080}) == 5);
}

TEST_CASE("each step of a bloom is right in each format and order, of sides that are odd and narrow") {
    KernelBench bench;
    const GroupOrder tiles = {GroupOrderKind::tiles, 0, {2, 3, 1, 1}};
    const std::vector<Order> orders = {{"row", row_order({16, 16, 1, 1})}, {"rdna", rdna_order(), tiles}};
    std::set<std::string> methods;
    for (const Format format : all_formats)
        for (const Size size : {Size{2, 1}, Size{1, 7}, Size{128, 64}, Size{301, 203}})
            for (const Job& job : bloom_jobs(bench.images, bench.references, format, size, orders, {orders.front()})) {
                check_twice(job);
                methods.insert(job.method);
            }
    CHECK(methods == std::set<std::string>{"direct", "direct, fetches"});
    for (const Job& job : bloom_jobs(bench.images, bench.references, Format::rgba8, {1, 1}, orders, orders))
        CHECK(job.skipped == "an image of one texel has no smaller level");
}

TEST_CASE("a bloom of another image is wrong, though one of its own was right") {
    KernelBench bench;
    const Size size = {64, 48};
    const Job job = bloom_direct(bench.images, bench.references, Format::rgba8, size, {"rdna", rdna_order()});
    CHECK(job.check() == "");
    upload(bench.context, *pooled_image(bench.images, ImageUse::source, Format::rgba8, size),
           random_texels(Format::rgba8, size, 2));
    CHECK(job.check().starts_with("step 1 of 10, down: texel (0, 0) "));
}
