#include "kernels/box/box.h"
#include "kernels/copy/copy.h"
#include "kernels/reference.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "tests/support/kernel_bench.h"
#include <doctest/doctest.h>
#include <map>
#include <set>

using namespace tilewise;
using namespace tilewise::kernels;

namespace {

std::vector<Order> three_orders() {
    return {{"row", row_order({16, 16, 1, 1})}, {"morton", morton_order({16, 16, 1, 1})}, {"rdna", rdna_order()}};
}

}  // namespace

TEST_CASE("the reference of the box blur is the mean of all texels of the box, clamped at the edges") {
    const Texels source = random_texels(Format::rgba32f, {7, 5}, 3);
    const std::vector<float> texels = channels_of(source), means = box_reference(source, 2);
    for (int y = 0; y < 5; ++y)
        for (int x = 0; x < 7; ++x)
            for (size_t channel = 0; channel < 4; ++channel) {
                double sum = 0;
                for (int v = y - 2; v <= y + 2; ++v)
                    for (int u = x - 2; u <= x + 2; ++u)
                        sum += static_cast<double>(
                            texels[static_cast<size_t>(std::clamp(v, 0, 4) * 7 + std::clamp(u, 0, 6)) * 4 + channel]);
                CHECK(static_cast<double>(means[static_cast<size_t>(y * 7 + x) * 4 + channel]) ==
                      doctest::Approx(sum / 25).epsilon(1e-6));
            }
}

TEST_CASE(
    "the direct box blur gives the reference in every order, format, radius and access, odd sizes and 1x1 included") {
    KernelBench bench;
    for (const Format format : all_formats)
        for (const Size size : {Size{1, 1}, Size{37, 21}})
            for (const uint32_t radius : {1u, 5u, 16u})
                for (const Order& order : three_orders()) {
                    CAPTURE(order.name);
                    CAPTURE(radius);
                    const bool run_time = radius == 5;
                    const Access access = order.name == "morton" ? Access::load : Access::fetch;
                    CHECK(box_direct(bench.images, bench.references, {format, size, radius}, order, {access, run_time})
                              .check() == "");
                }
}

TEST_CASE("the direct box blur gives the reference with its workgroups in every order") {
    KernelBench bench;
    const GroupOrder tiles = {GroupOrderKind::tiles, 0, {2, 3, 1, 1}};
    const GroupOrder columns = {GroupOrderKind::tiles, 0, {2, 3, 1, 1}, {axis_y, axis_x, axis_z, axis_s}};
    for (const GroupOrder& groups : {GroupOrder{GroupOrderKind::strips, 3}, tiles, columns}) {
        CAPTURE(group_order_text(groups));
        const Order order = {"morton", morton_order({8, 4, 1, 1}), groups};
        CHECK(box_direct(bench.images, bench.references, {Format::rgba8, {61, 43}, 2}, order).check() == "");
    }
}

TEST_CASE("the box blur by running sums gives the reference for every format, radius and shape") {
    KernelBench bench;
    for (const Format format : all_formats) {
        for (const Size size : {Size{1, 1}, Size{131, 77}})
            for (const auto& each : {std::pair(1u, RunningShape{64, 4, 4, 32}),
                                     {2u, {64, 4, 2, 16}},
                                     {4u, {64, 8, 4, 24}},
                                     {5u, {64, 8, 2, 16}},
                                     {7u, {64, 8, 8, 16}},
                                     {8u, {64, 8, 4, 24}},
                                     {8u, {64, 4, 4, 16, true}},
                                     {12u, {96, 8, 8, 48}}}) {
                CAPTURE(each.first);
                CHECK(box_running(bench.images, bench.references, {format, size, each.first}, each.second).check() ==
                      "");
            }
        const BoxRequest largest = {format, {131, 77}, max_box_radius};
        CHECK(box_running(bench.images, bench.references, largest, {64, 4, 8, 32, true}).check() == "");
        CHECK(box_running(bench.images, bench.references, largest, running_shape(bench.context, largest)).check() ==
              "");
    }
}

namespace {

struct LikeAnH100 : Context {
    LikeAnH100() {
        shared_bytes = 48 << 10;
        max_invocations = 1024;
        multiprocessors = 132;
    }
};

}  // namespace

TEST_CASE("strips of running sums are as high as an H100 runs them all at once, whatever the image's size") {
    const LikeAnH100 h100;
    // docs/results/nvidia-h100-tried.md: 128x208 and 108x248 (of which five run on each multiprocessor), 100x216 (six),
    // 144x232 and 128x256 (four) and 76x592 (three) were the fastest.
    CHECK(running_shape(h100, {Format::rgba8, {4096, 4096}, 4}).strip_rows == 208);
    CHECK(running_shape(h100, {Format::rgba8, {4096, 4096}, 6}).strip_rows == 216);
    CHECK(running_shape(h100, {Format::rgba8, {4096, 4096}, 8}).strip_rows == 232);
    CHECK(running_shape(h100, {Format::rgba8, {4096, 4096}, 10}).strip_rows == 248);
    CHECK(running_shape(h100, {Format::rgba16f, {4096, 4096}, 9}).strip_rows == 592);
    CHECK(running_shape(h100, {Format::rgba16f, {4096, 4096}, 16}).strip_rows == 256);
    for (const Size size : {Size{1, 1}, Size{1920, 1080}, Size{16384, 16384}, Size{100000, 1}}) {
        CAPTURE(size.width);
        const RunningShape shape = running_shape(h100, {Format::rgba8, size, 8});
        const uint32_t across = ceil_div(size.width, 144), down = ceil_div(size.height, shape.strip_rows);
        CHECK(shape.strip_rows % shape.rows == 0);
        CHECK((down == 1 || across * down <= 528));
    }
}

TEST_CASE("sums that running sums read at once lie in different banks of shared memory") {
    // CUDA C++ Programming Guide, "Shared Memory": 32 banks of 4 bytes; reads of 8 and 16 bytes are served for 16 and
    // for 8 threads at once.
    const LikeAnH100 h100;
    for (const Format format : all_formats)
        for (uint32_t radius = 1; radius <= max_box_radius; ++radius) {
            CAPTURE(traits_of(format).name);
            CAPTURE(radius);
            const BoxRequest request = {format, {4096, 4096}, radius};
            const RunningShape shape = running_shape(h100, request);
            uint32_t skew = 0;
            for (const auto& [name, value] : running_variant(request, shape).defines)
                if (name == "SKEW") skew = static_cast<uint32_t>(std::stoul(value));
            const uint32_t at_once = format == Format::rgba8 ? 16 : 8;
            std::set<uint32_t> banks;
            for (uint32_t task = 0; task < at_once; ++task) {  // as box_running.comp has it
                const uint32_t row = task % shape.rows, x = task / shape.rows * shape.results;
                banks.insert((row * (shape.invocations + 1) + row / shape.results * skew + x) % at_once);
            }
            CHECK(banks.size() == at_once);
        }
}

namespace {

std::optional<RunningShape> running_of(const BoxRequest& request, Size workgroup, uint32_t invocations) {
    const auto method = box_method_of(request, "running sums", workgroup, invocations);
    return method ? std::optional(std::get<RunningShape>(*method)) : std::nullopt;
}

}  // namespace

TEST_CASE("the shape of running sums is known from a workgroup, also one that an earlier version took") {
    const BoxRequest request = {Format::rgba16f, {4096, 4096}, 8};
    // docs/results/nvidia-h100-tried.md names both, and what each has.
    const auto now = running_of(request, {144, 232}, 160), before = running_of(request, {48, 48}, 64);
    REQUIRE(now);
    REQUIRE(before);
    CHECK(now->results == 4);
    CHECK(before->results == 8);
    CHECK((now->refetch && before->refetch));
    CHECK(before->strip_rows == 48);
    CHECK_FALSE(running_of(request, {48, 40}, 64));
    CHECK_FALSE(running_of(request, {144, 230}, 160));
    CHECK_FALSE(running_of(request, {144, 232}, 128));

    const BoxRequest bytes = {Format::rgba8, {4096, 4096}, 4};
    for (const auto& [workgroup, invocations] :
         {std::pair(Size{128, 208}, 136u), {{152, 216}, 160u}, {{56, 40}, 64u}, {{88, 64}, 96u}})
        CHECK(running_of(bytes, workgroup, invocations));

    const BoxRequest floats = {Format::rgba32f, {4096, 4096}, 16};
    const auto kept = running_of(floats, {96, 40}, 128), fetched_again = running_of(floats, {96, 48}, 128);
    REQUIRE(kept);
    REQUIRE(fetched_again);
    CHECK_FALSE(kept->refetch);
    CHECK(fetched_again->refetch);
}

TEST_CASE("each way of the direct box blur is known from its name, and no name that only begins like one") {
    const BoxRequest request = {Format::rgba8, {64, 64}, 2};
    for (const Access access : {Access::fetch, Access::load})
        for (const bool run_time_radius : {false, true}) {
            const auto found = box_method_of(request, method_name(BoxDirect{access, run_time_radius}), {16, 16}, 256);
            REQUIRE(found);
            CHECK(std::get<BoxDirect>(*found).access == access);
            CHECK(std::get<BoxDirect>(*found).run_time_radius == run_time_radius);
        }
    CHECK_FALSE(box_method_of(request, "direct ", {16, 16}, 256));
    CHECK_FALSE(box_method_of(request, "running", {16, 16}, 256));
}

namespace {

/// What running sums make of these texels, in place of the pool's own.
Texels running_sums_of(KernelBench& bench, const Texels& texels, uint32_t radius) {
    upload(bench.context, *pooled_image(bench.images, ImageUse::source, texels.format, texels.size), texels);
    const auto result = pooled_image(bench.images, ImageUse::result, texels.format, texels.size);
    clear(bench.context, *result, {0, 0, 0, 0});
    const Job job = box_running(bench.images, bench.references, {texels.format, texels.size, radius}, {64, 8, 4, 16});
    vulkan::run_commands(bench.context.device, bench.context.commands, job.record);
    return download(bench.context, *result);
}

}  // namespace

TEST_CASE("running sums of white texels are white: no half word overflows") {
    KernelBench bench;
    const Size size = {140, 33};
    const Texels white = {Format::rgba8, size, std::vector<std::byte>(count(size) * 4, std::byte{255})};
    for (uint32_t radius = 1; radius <= max_box_radius; ++radius) {
        CAPTURE(radius);
        CHECK(running_sums_of(bench, white, radius).bytes == white.bytes);
    }
}

TEST_CASE("texels are copied, only read, and only written, one or several an invocation") {
    KernelBench bench;
    for (const Format format : all_formats)
        for (const Size size : {Size{1, 1}, Size{37, 21}})
            for (const Traffic traffic : {Traffic::copy, Traffic::fetch, Traffic::store})
                for (const uint32_t texels : {1u, 4u}) {
                    const Job job =
                        texel_copy(bench.images, bench.references, format, size, three_orders()[1], texels, traffic);
                    CAPTURE(job.method);
                    CHECK(job.check() == "");
                }
}

TEST_CASE("a wrong result is named by its first texel") {
    const Texels source = random_texels(Format::rgba8, {9, 4}, 3);
    std::vector<float> expected = channels_of(source);
    CHECK(first_difference(source, expected) == "");
    expected[(2 * 9 + 5) * 4 + 1] += 0.01F;
    CHECK(first_difference(source, expected).starts_with("texel (5, 2) g is "));
}

TEST_CASE("a radius or a workgroup that the kernel cannot do is refused") {
    KernelBench bench;
    CHECK_THROWS_WITH_AS(
        box_direct(bench.images, bench.references, {Format::rgba8, {8, 8}, 17}, {"row", row_order({8, 8, 1, 1})}),
        doctest::Contains("radius of 1 to 16, not 17"), UsageError);
    CHECK_THROWS_WITH_AS(box_running(bench.images, bench.references, {Format::rgba32f, {8, 8}, 1}, {512, 64, 4, 64}),
                         doctest::Contains("bytes of shared memory"), Error);
    CHECK_THROWS_WITH_AS(running_shape(bench.context, {Format::rgba8, {8, 8}, 17}),
                         doctest::Contains("radius of 1 to 16, not 17"), UsageError);
    CHECK_THROWS_AS(order_constants(row_order({64, 32, 1, 1})), UsageError);
}

TEST_CASE("what is cut off of the columns' sums is put back on average") {
    // Each window of 17x17 has the mean 100.55, and each column an odd sum: with nothing put back it would round to
    // 100.
    KernelBench bench;
    const Size size = {64, 64};
    Texels texels = {Format::rgba8, size, {}};
    for (uint32_t y = 0; y < size.height; ++y)
        for (uint32_t x = 0; x < size.width; ++x) {
            const uint32_t rows_of_101 = x % 17 < 3 ? 11 : 9;
            texels.bytes.insert(texels.bytes.end(), 4, std::byte(y % 17 < rows_of_101 ? 101 : 100));
        }
    const Texels got = running_sums_of(bench, texels, 8);
    for (uint32_t y = 8; y < size.height - 8; ++y)
        for (uint32_t x = 8; x < size.width - 8; ++x) CHECK(got.bytes[(y * size.width + x) * 4] == std::byte{101});
}
