// The policy: how many invocations a workgroup has, and which shape. Numbers are those that NVIDIA's compiler gave.
#include "patterns/model/error.h"
#include "patterns/remap/workgroup.h"
#include "tests/support/table_files.h"
#include <doctest/doctest.h>

using namespace tilewise;

namespace {

Pattern nvidia(const std::string& bits) { return table_layout("nvidia_turing-ada_bl16_" + bits).pattern; }

uint32_t invocations(const std::string& bits, const Registers& registers, uint32_t radius = 2) {
    return choose_workgroup(nvidia(bits), {}, {.radius = radius, .registers = registers})
        .derivation.request.invocations;
}

std::string shape(bool along_rows, uint32_t radius, uint32_t invocations) {
    const WorkgroupChoice choice = choose_workgroup(nvidia("128bpp"), {.launches_along_rows = along_rows},
                                                    {.radius = radius, .invocations = invocations});
    return shape_text(choice.derivation.remap.shape);
}

}  // namespace

TEST_CASE("a workgroup has as many invocations as take the fewest registers, 256 if it makes no difference") {
    // As the H200's driver answered for radius 16, and the H100's for 1, 2 and 4.
    CHECK(invocations("32bpp", {{256, 77}, {128, 64}, {64, 64}}) == 128);
    CHECK(invocations("128bpp", {{256, 32}, {128, 32}, {64, 32}, {512, 32}, {1024, 32}}) == 256);
    CHECK(invocations("128bpp", {{256, 40}, {128, 40}, {64, 40}, {512, 40}, {1024, 32}}) == 1024);
    CHECK(invocations("32bpp", {{256, 40}, {128, 40}, {64, 40}, {512, 40}, {1024, 32}}) == 256);
    CHECK(invocations("64bpp", {{256, 40}, {128, 40}, {64, 40}, {512, 40}, {1024, 32}}) == 256);
    CHECK(invocations("128bpp", {{256, 48}, {128, 48}, {64, 48}, {512, 40}, {1024, 64}}) == 512);
    CHECK(invocations("32bpp", {{256, 80}, {128, 70}, {64, 60}}) == 64);
    CHECK(invocations("32bpp", {{256, 80}}) == 256);
    CHECK(invocations("32bpp", {{128, 64}}) == 256);
    CHECK(invocations("32bpp", {}) == 256);
    // Without a radius there is nothing to choose for.
    CHECK(invocations("128bpp", {{256, 40}, {1024, 32}}, 0) == 256);
}

TEST_CASE("a workgroup has no more invocations than the device allows") {
    const auto within = [](uint32_t max) {
        return choose_workgroup(nvidia("32bpp"), {.max_invocations = max}, {.radius = 2})
            .derivation.request.invocations;
    };
    CHECK(within(1024) == 256);
    CHECK(within(200) == 128);
    CHECK(within(40) == 32);
}

TEST_CASE("boxes are tall where workgroups launch along rows, wide from 512 invocations on, and else compact") {
    CHECK(shape(true, 3, 256) == "2x128");
    CHECK(shape(true, 3, 512) == "64x8");
    CHECK(shape(true, 2, 1024) == "64x16");
    CHECK(shape(true, 0, 256) == "16x16");
    CHECK(shape(true, 0, 512) == shape(false, 0, 512));
    CHECK(shape(false, 3, 256) == "16x16");
    CHECK(shape(false, 3, 512) == shape(false, 0, 512));
}

namespace {

std::string lines_shape(const std::string& bits, uint32_t radius, const Registers& registers, bool along_rows = true) {
    const WorkgroupChoice choice =
        choose_workgroup(nvidia(bits), {.launches_along_rows = along_rows},
                         {.radius = radius, .reads = Neighbourhood::lines, .registers = registers});
    return shape_text(choice.derivation.remap.shape);
}

/// As many registers, whatever the number of invocations.
Registers always(uint32_t registers) {
    return {{64, registers}, {128, registers}, {256, registers}, {512, registers}, {1024, registers}};
}

}  // namespace

TEST_CASE("where lines are read boxes are so wide that a pass reads few texels an invocation") {
    const auto wide = [](const std::string& bits, uint32_t radius) {
        const Coord shape = choose_workgroup(nvidia(bits), {.launches_along_rows = true},
                                             {.radius = radius, .reads = Neighbourhood::lines, .invocations = 256})
                                .derivation.remap.shape;
        CHECK(shape[axis_x] * shape[axis_y] == 256);
        return shape[axis_x];
    };
    for (const std::string bits : {"64bpp", "128bpp"}) {
        CHECK(wide(bits, 1) == 2);
        CHECK(wide(bits, 2) == 2);  // (2 + 4) / 2 = 3 texels
        CHECK(wide(bits, 3) == 4);  // 2 wide would read 4
        CHECK(wide(bits, 4) == 4);
        CHECK(wide(bits, 8) == 8);   // 4 wide would read 5, for lines of 17
        CHECK(wide(bits, 16) == 8);  // 5, for lines of 33
    }
    CHECK(wide("32bpp", 1) == 4);  // 2 wide would touch more segments
    CHECK(wide("32bpp", 8) == 8);
    CHECK(lines_shape("64bpp", 4, {}, false) == "16x16");
}

TEST_CASE("where lines are read a workgroup is as tall as the tile if registers do not matter, and else small") {
    CHECK(lines_shape("64bpp", 2, always(28)) == "2x128");
    CHECK(lines_shape("64bpp", 4, always(31)) == "4x128");
    CHECK(lines_shape("64bpp", 8, always(31)) == "8x32");  // 1,024 invocations are for larger texels
    CHECK(lines_shape("128bpp", 2, always(28)) == "2x128");
    CHECK(lines_shape("128bpp", 4, always(31)) == "4x128");
    CHECK(lines_shape("128bpp", 8, always(32)) == "8x128");
    CHECK(lines_shape("32bpp", 4, always(31)) == "4x64");
    CHECK(lines_shape("64bpp", 4, always(39)) == "4x32");
    CHECK(lines_shape("32bpp", 8, always(40)) == "4x32");
    // As the H200's driver answered for bilateral filters.
    CHECK(lines_shape("128bpp", 8, {{256, 40}, {128, 40}, {512, 40}, {1024, 32}}) == "8x128");
    CHECK(lines_shape("64bpp", 16, {{256, 47}, {128, 47}, {512, 40}}) == "4x32");  // 8x64 took 7% longer on an H100
    CHECK(lines_shape("64bpp", 4, {}) == "4x64");
    CHECK(lines_shape("64bpp", 4, {{128, 31}}) == "4x64");
    CHECK(lines_shape("128bpp", 4, {{256, 31}}) == "4x64");
    CHECK(lines_shape("128bpp", 4, always(31), false) == "16x16");
}

TEST_CASE("where lines are read the registers that leave the device full are those that were measured there") {
    const auto choice = [](uint32_t measured, uint32_t taken) {
        return choose_workgroup(nvidia("128bpp"), {.launches_along_rows = true, .registers_for_all = measured},
                                {.radius = 4, .reads = Neighbourhood::lines, .registers = always(taken)});
    };
    const auto shape_of = [&](uint32_t measured, uint32_t taken) {
        return shape_text(choice(measured, taken).derivation.remap.shape);
    };
    CHECK(shape_of(64, 40) == "4x128");
    CHECK(shape_of(64, 64) == "4x128");
    CHECK(shape_of(64, 65) == "4x32");
    CHECK(shape_of(24, 31) == "4x32");
    // Assumed as on an H100: 32.
    CHECK(shape_of(0, 40) == "4x32");
    CHECK(choice(0, 40).occupancy_unknown);
    CHECK_FALSE(choice(64, 40).occupancy_unknown);
    CHECK_FALSE(choose_workgroup(nvidia("128bpp"), {}, {.radius = 4, .registers = always(40)}).occupancy_unknown);
}

TEST_CASE("the reason names the measurements that number and shape rest on") {
    const Registers registers = {{256, 40}, {128, 40}, {64, 40}, {512, 40}, {1024, 32}};
    const auto reason = [&](bool along_rows, const Registers& known) {
        return choose_workgroup(nvidia("128bpp"), {.launches_along_rows = along_rows},
                                {.radius = 2, .registers = known})
            .derivation.reason;
    };
    CHECK(reason(true, registers).find("1024 invocations: the kernel takes 32 registers, and 40 with 256. Rests on ") !=
          std::string::npos);
    CHECK(reason(true, registers).find("docs/results/nvidia-h100-tried.md") != std::string::npos);
    CHECK(reason(true, {}).find("The policy for its shape rests on ") != std::string::npos);
    CHECK(reason(false, {}).find("ests on ") == std::string::npos);
}

TEST_CASE("registers that are not known are missed only where they would decide") {
    const Pattern pattern = nvidia("128bpp");
    CHECK(choose_workgroup(pattern, {}, {.radius = 2}).registers_unknown);
    CHECK_FALSE(choose_workgroup(pattern, {}, {.radius = 0}).registers_unknown);
    CHECK_FALSE(choose_workgroup(pattern, {}, {.radius = 2, .invocations = 256}).registers_unknown);
    CHECK_FALSE(choose_workgroup(pattern, {}, {.radius = 2, .shape = Coord{16, 16, 1, 1}}).registers_unknown);
    CHECK_FALSE(choose_workgroup(pattern, {}, {.radius = 2, .registers = {{256, 40}}}).registers_unknown);
}

TEST_CASE("lanes and subgroups are those of the workgroup's own size; what is asked for goes first") {
    KnownDevice device = {.subgroup_size = 16};
    device.lanes[64] = {.subgroup_size = 8, .order = {2, 1, 4, 8, 16, 32}, .disorder = {}};
    device.lanes[128] = {.subgroup_size = 0, .order = {}, .disorder = "invocation 3 runs in lane slot 7"};
    const auto chosen = [&](uint32_t invocations, std::optional<uint32_t> subgroup = {}) {
        return choose_workgroup(nvidia("32bpp"), device, {.invocations = invocations, .subgroup_size = subgroup});
    };
    CHECK(chosen(64).derivation.request.subgroup_size == 8);
    CHECK(chosen(64).derivation.request.lane_order == LaneMatrix{2, 1, 4, 8, 16, 32});
    CHECK(chosen(64, 4).derivation.request.subgroup_size == 4);
    CHECK(chosen(128).derivation.request.subgroup_size == 16);
    CHECK(chosen(128).lane_disorder == "invocation 3 runs in lane slot 7");
    CHECK(chosen(256).derivation.request.lane_order.empty());
    CHECK(choose_workgroup(nvidia("32bpp"), {}, {}).derivation.request.subgroup_size == 32);
}

TEST_CASE("a shape that is asked for is filled in memory order") {
    const Pattern pattern = nvidia("128bpp");
    for (const Coord shape : {Coord{32, 8, 1, 1}, Coord{1, 64, 1, 1}, Coord{4096, 1, 1, 1}, Coord{1, 1, 1, 1}}) {
        const Derivation derivation = choose_workgroup(pattern, {}, {.radius = 1, .shape = shape}).derivation;
        CAPTURE(shape_text(shape));
        CHECK(derivation.remap == memory_order(pattern, shape));
        CHECK(derivation.request.invocations == element_count(shape));
        CHECK(derivation.orders.front().remap == row_order(shape));
        CHECK(derivation.reason.starts_with("Shape " + shape_text(shape) + ": as requested."));
    }
}

TEST_CASE("a shape that is no workgroup is refused by name") {
    const auto refused = [](const Coord& shape, const char* why, std::optional<uint32_t> invocations = {}) {
        CHECK_THROWS_WITH_AS(choose_workgroup(nvidia("32bpp"), {}, {.invocations = invocations, .shape = shape}),
                             doctest::Contains(why), UsageError);
    };
    refused({24, 8, 1, 1}, "24x8: give sides that are powers of two");
    refused({0, 8, 1, 1}, "powers of two");
    refused({65536, 65536, 1, 1}, "powers of two, up to 4096");
    refused({128, 64, 1, 1}, "128x64 has more than 4096 invocations");
    refused({4096, 4096, 4096, 1}, "more than 4096 invocations");
    refused({16, 8, 1, 1}, "16x8 has 128 invocations, not 256", 256);
}

namespace {

WorkgroupChoice in_blocks(const std::string& bits, Neighbourhood reads, uint32_t radius, const Registers& registers,
                          const std::optional<Extent_px>& extent = {}) {
    // What an H100 starts and fetches.
    const KnownDevice device = {.launches_along_rows = true,
                                .group_starts = 1674,
                                .fetches = {{4, 1.96e6}, {8, 1.96e6}, {16, 1.04e6}},
                                .registers_for_all = 32};
    return choose_workgroup(
        nvidia(bits), device,
        {.radius = radius, .reads = reads, .registers = registers, .extent = extent, .any_group_order = true});
}

std::string way(const WorkgroupChoice& choice) {
    return shape_text(choice.derivation.remap.shape) + " " + group_order_text(choice.groups);
}

}  // namespace

TEST_CASE("workgroups that may be dispatched in blocks follow the pattern's tiles, where that was faster") {
    const auto square = [](const std::string& bits, uint32_t radius, uint32_t registers) {
        return way(in_blocks(bits, Neighbourhood::square, radius, always(registers)));
    };
    CHECK(square("32bpp", 1, 32) == "8x32 tiles of 2x4");
    CHECK(square("32bpp", 3, 48) == "2x64 linear");  // 512 bytes
    CHECK(square("64bpp", 1, 32) == "4x32 tiles of 2x4");
    CHECK(square("64bpp", 3, 48) == "2x64 tiles of 4x2");
    CHECK(square("64bpp", 8, 47) == "4x32 tiles of 2x4");
    CHECK(square("128bpp", 1, 32) == "8x32 tiles of 1x4");
    const Registers fewer_in_1024 = {{256, 40}, {128, 40}, {64, 40}, {512, 40}, {1024, 32}};
    CHECK(way(in_blocks("128bpp", Neighbourhood::square, 2, fewer_in_1024)) == "64x16 linear");
    const auto lines = [](const std::string& bits, uint32_t radius, uint32_t registers) {
        return way(in_blocks(bits, Neighbourhood::lines, radius, always(registers)));
    };
    CHECK(lines("32bpp", 2, 28) == "32x8 tiles of 1x16");
    CHECK(lines("64bpp", 4, 31) == "16x16 tiles of 1x8");
    CHECK(lines("64bpp", 4, 39) == "4x32 linear");
    CHECK(lines("128bpp", 2, 28) == "32x8 tiles of 1x16");
    CHECK(lines("128bpp", 4, 39) == "64x8 tiles of 1x16");
    CHECK(lines("128bpp", 8, 32) == "64x16 tiles of 1x8");
    CHECK(lines("128bpp", 8, 40) == "64x8 tiles of 1x16");
}

TEST_CASE("an image that is much smaller than its tiles is not taken in blocks, and its boxes are low") {
    const Extent_px small = {1920, 1080, 1};  // 1,152 rows of tiles
    CHECK(way(in_blocks("64bpp", Neighbourhood::square, 1, always(32), small)) == "8x32 linear");
    CHECK(way(in_blocks("64bpp", Neighbourhood::lines, 4, always(31), small)) == "8x32 linear");
    CHECK(way(in_blocks("32bpp", Neighbourhood::lines, 4, always(39), small)) == "4x32 linear");
    CHECK(way(in_blocks("128bpp", Neighbourhood::lines, 2, always(28), small)) == "32x8 tiles of 1x16");
    CHECK(way(in_blocks("64bpp", Neighbourhood::square, 1, always(32), Extent_px{3840, 2160, 1})) ==
          "4x32 tiles of 2x4");
}

TEST_CASE("workgroups are in blocks only where the kernel allows it, the launch order is known and no shape is given") {
    WorkgroupQuestion question = {.radius = 1, .registers = always(32), .any_group_order = true};
    KnownDevice device = {.launches_along_rows = true};
    const auto is_in_blocks = [&] {
        return choose_workgroup(nvidia("128bpp"), device, question).groups.kind == GroupOrderKind::tiles;
    };
    CHECK(is_in_blocks());
    question.any_group_order = false;
    CHECK_FALSE(is_in_blocks());
    question.any_group_order = true;
    question.shape = Coord{16, 16, 1, 1};
    CHECK_FALSE(is_in_blocks());
    question.shape.reset();
    question.radius = 0;
    CHECK_FALSE(is_in_blocks());
    question.radius = 1;
    device.launches_along_rows = false;
    CHECK_FALSE(is_in_blocks());
}

TEST_CASE("a tile of more workgroups than devices dispatch is not taken as a block, and its grid is refused") {
    // As a database from elsewhere may say.
    Pattern pattern = nvidia("128bpp");
    for (const Axis axis : {axis_x, axis_y})
        for (uint64_t offset = pattern.tile_bytes * (axis == axis_x ? 1 : 1024), bit = 0; bit < 10; bit++) {
            pattern.equation.columns[axis].push_back(offset);
            pattern.tile[axis] *= 2;
            offset *= 2;
        }
    pattern.tile_bytes <<= 20;
    const WorkgroupChoice choice = choose_workgroup(pattern, {.launches_along_rows = true},
                                                    {.radius = 1, .registers = always(32), .any_group_order = true});
    CHECK(choice.groups.kind == GroupOrderKind::linear);
    const GroupOrder tiles = derive_group_order(pattern, choice.derivation.remap, GroupOrderKind::tiles);
    CHECK_THROWS_WITH_AS(dispatched_groups(tiles, choice.derivation.remap.shape, {4096, 4096}),
                         doctest::Contains("along an axis, where devices take 65535"), Error);
}
