#include "kernels/mip_chain/mip_chain.h"
#include "tests/support/kernel_bench.h"
#include "tests/support/soak.h"
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <set>

using namespace tilewise;
using namespace tilewise::kernels;

namespace {

/// No two neighbours alike, and no two means of any level: what is taken from a wrong place differs.
Texels slope(Format format, Size size) {
    Texels texels = random_texels(format, size, 3);
    const auto at = [&](uint64_t i) { return static_cast<double>(i) / static_cast<double>(count(size)); };
    for (uint64_t i = 0; i < count(size) * 4; ++i) {
        const double value = (i % 4 == 0   ? at(i / 4)
                              : i % 4 == 1 ? static_cast<double>(i / 4 % size.width + 1) / size.width
                                           : 1 - at(i / 4) / 2);
        if (format == Format::rgba8) {
            texels.bytes[i] = static_cast<std::byte>(std::lround(1 + value * 254));
        } else if (format == Format::rgba32f) {
            const float number = static_cast<float>(value);
            std::memcpy(&texels.bytes[i * 4], &number, sizeof number);
        }
    }
    return texels;
}

}  // namespace

TEST_CASE(
    "a level is the mean of 2x2 texels of the one above; an odd side's last texel is in none, a single one twice") {
    const Texels above = red_floats({5, 3}, {1, 3, 5, 7, 100, 5, 7, 9, 11, 100, 100, 100, 100, 100, 100});
    CHECK(wrong_level(above, red_floats({2, 1}, {4, 8}), 1, 0) == "");
    CHECK(wrong_level(above, red_floats({2, 1}, {4, 8.001F}), 1, 0).starts_with("texel (1, 0) r is 8.001"));
    CHECK(wrong_level(above, red_floats({2, 1}, {4, 8.001F}), 1, 0.002) == "");
    CHECK(wrong_level(red_floats({1, 4}, {1, 3, 5, 7}), red_floats({1, 2}, {2, 6}), 1, 0) == "");
    CHECK(wrong_level(red_floats({3, 1}, {1, 3, 9}), red_floats({1, 1}, {2}), 1, 0) == "");
    CHECK(wrong_level(red_floats({3, 1}, {1, 3, 9}), red_floats({1, 1}, {NAN}), 1, 0) != "");
    // Vulkan's sizes of levels.
    CHECK(all_levels({300, 200}) == 9);
    CHECK(level_size({300, 200}, 3) == Size{37, 25});
    CHECK(level_size({300, 200}, 8) == Size{1, 1});
}

TEST_CASE("every way makes every level in each format, of sides that are odd, narrow and of more than one tile") {
    KernelBench bench;
    const std::vector<Order> orders = {{"row", row_order({16, 16, 1, 1})}, {"rdna", rdna_order()}};
    std::set<std::string> methods;
    size_t first = 0;
    for (const Format format : all_formats)
        for (const Size size : {Size{2, 1}, Size{1, 7}, Size{127, 65}, Size{300, 200}, Size{641, 353}}) {
            if (size.width == 641 && format != Format::rgba8 && !soaking()) continue;
            if (format != Format::rgba16f) {
                bench.images.texels[{format, size}] = std::make_shared<const Texels>(slope(format, size));
            }
            // The suite has every third way of each, beginning with another one each time.
            size_t way = first++;
            for (const Job& job : mip_chain_jobs(bench.images, format, size, {orders[first / 3 % 2]})) {
                CHECK(job.skipped == "");
                if (way++ % 3 != 0 && !soaking()) continue;
                check_twice(job);
                methods.insert(job.method);
            }
        }
    CHECK(methods.contains(mip_chain_level_name));
    for (const MipShape& shape : mip_shapes) CHECK(methods.contains(mip_chain_one_name(shape)));
    CHECK(methods.contains(mip_chain_blits_name) == bench.context.graphics);
}

TEST_CASE("the workgroup that ends last goes on with as many tiles as the sixth level has, and beyond the twelfth") {
    KernelBench bench;
    const Order order = {"morton", morton_order({8, 8, 1, 1})};
    // 8320 / 64 = 130: three tiles of the sixth level, and a thirteenth level.
    for (const Size size : {Size{8320, 70}, Size{65, 8192}}) {
        bench.images.texels[{Format::rgba8, size}] = std::make_shared<const Texels>(slope(Format::rgba8, size));
        check_twice(mip_chain_one(bench.images, Format::rgba8, size, order));
        check_twice(mip_chain_one(bench.images, Format::rgba8, size, order, {5, 2, true}));
    }
}

TEST_CASE("one dispatch is right for workgroups of any size") {
    KernelBench bench;
    const Size size = {203, 141};
    for (const uint32_t quads : {1u, 2u, 16u})
        check_twice(mip_chain_one(bench.images, Format::rgba16f, size, {"rdna", rdna_order()}, {2, quads, quads == 2}));
}

TEST_CASE("samples are taken where four texels meet, also where a side is odd: between texels that differ much") {
    KernelBench bench;
    // A checkerboard: each mean is a half, and a sample that is a hundredth of a texel off is two steps off.
    const Size size = {131, 67};
    Texels board = random_texels(Format::rgba8, size, 1);
    for (uint64_t i = 0; i < board.bytes.size(); ++i)
        board.bytes[i] = std::byte((i / 4 % size.width + i / 4 / size.width) % 2 * 255);
    bench.images.texels[{Format::rgba8, size}] = std::make_shared<const Texels>(board);
    const Order order = {"row", row_order({16, 16, 1, 1})};
    check_twice(mip_chain_one(bench.images, Format::rgba8, size, order, {0, 2, true}));
    const Texels level =
        download(bench.context, *pooled_image(bench.images, ImageUse::levels, Format::rgba8, {65, 33}), 0);
    for (const std::byte channel : level.bytes) CHECK(std::abs(static_cast<int>(channel) - 127) <= 2);
}

TEST_CASE("a mip chain whose texels are of the wrong place is wrong") {
    KernelBench bench;
    const Size size = {300, 200};
    const Order order = {"row", row_order({16, 16, 1, 1})};
    const Job job = mip_chain_one(bench.images, Format::rgba8, size, order);
    CHECK(job.check() == "");
    // The same levels, of another image.
    const Texels other = random_texels(Format::rgba8, size, 2);
    upload(bench.context, *pooled_image(bench.images, ImageUse::source, Format::rgba8, size), other);
    CHECK(job.check().starts_with("level 1: texel (0, 0) "));
}

TEST_CASE("an image of one texel has no smaller level: every way is skipped, and says so") {
    KernelBench bench;
    const auto jobs = mip_chain_jobs(bench.images, Format::rgba8, {1, 1}, {{"row", row_order({16, 16, 1, 1})}});
    CHECK(jobs.size() >= 3);
    for (const Job& job : jobs) CHECK(job.skipped == "an image of one texel has no smaller level");
}

TEST_CASE("one dispatch is skipped where a shader cannot have an image for each level") {
    KernelBench bench;
    bench.context.device.traits.properties.limits.maxPerStageDescriptorStorageImages = 4;
    const Order order = {"row", row_order({16, 16, 1, 1})};
    CHECK(mip_chain_one(bench.images, Format::rgba8, {31, 9}, order).skipped == "");
    CHECK(mip_chain_one(bench.images, Format::rgba8, {32, 9}, order).skipped ==
          "a shader can write 4 images here, and there are 5 levels");
}
