#include "kernels/brightest/brightest.h"
#include "patterns/model/error.h"
#include "tests/support/kernel_bench.h"
#include <cstring>
#include <doctest/doctest.h>
#include <set>

using namespace tilewise;
using namespace tilewise::kernels;

namespace {

Texels grey_texels(Size size, const std::vector<float>& greys) {
    std::vector<float> channels;
    for (const float grey : greys) channels.insert(channels.end(), {grey, grey, grey, 1});
    Texels texels = {Format::rgba32f, size, std::vector<std::byte>(channels.size() * sizeof(float))};
    std::memcpy(texels.bytes.data(), channels.data(), texels.bytes.size());
    return texels;
}

BrightPoint grey_point(uint32_t x, uint32_t y, float grey) { return {{grey, grey, grey, 1}, x, y, grey, 0}; }

}  // namespace

TEST_CASE("the points of an image are the brightest of each square, and the first of those that are alike") {
    // Two squares, the second of one column: 0.75 twice in the first, 0.25 at most in the second.
    std::vector<float> greys(9 * 2, 0.125F);
    greys[3] = greys[9 + 1] = 0.75F;
    greys[8] = 0.25F;
    const Texels texels = grey_texels({9, 2}, greys);
    using Points = std::vector<BrightPoint>;
    CHECK(wrong_points(texels, 0.5F, Points{grey_point(3, 0, 0.75F)}) == "");
    CHECK(wrong_points(texels, 0.2F, Points{grey_point(8, 0, 0.25F), grey_point(3, 0, 0.75F)}) == "");
    CHECK(wrong_points(texels, 0.8F, Points{}) == "");

    CHECK(wrong_points(texels, 0.5F, Points{grey_point(1, 1, 0.75F)}).find("(3, 0), which comes first") !=
          std::string::npos);
    CHECK(wrong_points(texels, 0.5F, Points{grey_point(0, 0, 0.125F)}).find("square has one of 0.75") !=
          std::string::npos);
    CHECK(wrong_points(texels, 0.5F, Points{}).starts_with("the square at (0, 0) has luminance 0.75 and no point"));
    CHECK(wrong_points(texels, 0.2F, Points{grey_point(3, 0, 0.75F)}).starts_with("the square at (8, 0)"));
    CHECK(wrong_points(texels, 0.5F, Points{grey_point(3, 0, 0.75F), grey_point(8, 0, 0.25F)}) != "");
    CHECK(wrong_points(texels, 0.5F, Points{grey_point(3, 0, 0.75F), grey_point(3, 0, 0.75F)}).find("of one square") !=
          std::string::npos);
    CHECK(wrong_points(texels, 0.5F, Points{grey_point(3, 0, 0.76F)}).find("r = 0.76, should be 0.75") !=
          std::string::npos);
    CHECK(wrong_points(texels, 0.5F, Points{grey_point(9, 0, 0.75F)}).find("not in the image") != std::string::npos);
}

TEST_CASE("every way finds the brightest texels in each format, odd sizes, powers of two and 1x1") {
    KernelBench bench;
    const Order row = {"row", row_order({16, 16, 1, 1})}, rdna = {"rdna", rdna_order()};
    std::set<std::string> methods;
    for (const Format format : all_formats)
        for (const Size size : {Size{1, 1}, Size{203, 77}})
            for (const Job& job : brightest_jobs(bench.images, format, size, {size.width == 1 ? row : rdna})) {
                check_twice(job);
                methods.insert(job.method);
            }
    const bool subgroups = bench.context.subgroup_size > 0 && bench.context.subgroup_size <= 64;
    CHECK(methods.size() == (subgroups ? 5 : 4));
    for (const Job& job : brightest_jobs(bench.images, Format::rgba16f, {128, 64}, {row})) check_twice(job);
}

TEST_CASE("every way takes the first of texels that are alike") {
    KernelBench bench;
    // Channels are 127 or 255: most squares have several white texels.
    const Size size = {45, 30};
    Texels texels = random_texels(Format::rgba8, size, 7);
    for (std::byte& channel : texels.bytes) channel |= std::byte{127};
    bench.images.texels[{Format::rgba8, size}] = std::make_shared<const Texels>(texels);
    const std::vector<Order> orders = {{"row", row_order({8, 8, 1, 1})}, {"rdna", rdna_order()}};
    for (const Job& job : brightest_jobs(bench.images, Format::rgba8, size, orders)) check_twice(job);
}

TEST_CASE("squares may be dealt out to subgroups in any way, and in several rounds where an image is large") {
    KernelBench bench;
    if (bench.context.subgroup_size == 0) return;
    // Narrow, so that its order has less than a square of columns.
    const Order order = {"row", row_order({4, 64, 1, 1})};
    for (const BrightestDeal& deal : {BrightestDeal{64, 1, 1}, BrightestDeal{128, 2, 4}, BrightestDeal{64, 3, 1}})
        check_twice(brightest_subgroups(bench.images, Format::rgba8, {211, 130}, order, deal));
    // As many squares as workgroups, 2^16: they cannot be counted in what the points leave of 32 bits.
    const BrightestDeal least = {bench.context.subgroup_size, 1, 1};
    CHECK(ticket_rounds({2048, 2048}, 65536).count == 2);
    CHECK(ticket_rounds({2048, 2048}, 32768).count == 1);
    check_twice(brightest_subgroups(bench.images, Format::rgba8, {2048, 2048}, order, least));
    CHECK_THROWS_AS(brightest_subgroups(bench.images, Format::rgba8, {16, 16}, order, {64, 1, 3}), UsageError);
}

TEST_CASE("about half of the squares of a random image have a point") {
    for (const Format format : all_formats) {
        const Texels texels = random_texels(format, {512, 256}, 1);
        const std::vector<float> channels = channels_of(texels);
        int above = 0;
        for (size_t square = 0; square < 64 * 32; ++square) {
            float highest = 0;
            for (size_t i = 0; i < 64; ++i) {
                const size_t x = square % 64 * 8 + i % 8, y = square / 64 * 8 + i / 8;
                const float* texel = &channels[(y * 512 + x) * 4];
                highest = std::max(highest, 0.2126F * texel[0] + 0.7152F * texel[1] + 0.0722F * texel[2]);
            }
            above += highest > brightest_threshold(format);
        }
        CHECK(above > 64 * 32 * 4 / 10);
        CHECK(above < 64 * 32 * 6 / 10);
    }
}
