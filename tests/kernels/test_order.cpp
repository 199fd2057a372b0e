// The order of workgroups on the device is that of patterns/remap, which snippets print.
#include "kernels/buffer.h"
#include "kernels/shader/compute_pass.h"
#include "kernels/shader/order.h"
#include "tests/support/kernel_bench.h"
#include <cstring>
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace tilewise;
using namespace tilewise::kernels;

TEST_CASE(
    "workgroups that have texels come one after the other as group_position says, in blocks that are cut short, too") {
    KernelBench bench;
    const std::string text = fmt::format(
        "#version 450\n{}layout(binding = 0) buffer Positions {{ uvec2 positions[]; }};\n"
        "void main() {{\n"
        "    uvec3 group = gl_WorkGroupID, groups = gl_NumWorkGroups;\n"
        "    positions[(group.z * groups.y + group.y) * groups.x + group.x] = own_group();\n"
        "}}\n",
        shader_text("order.glsl"));
    const std::vector<uint32_t> spirv = compile_emitted("groups.comp", text);
    const std::array<Axis, axis_count> by_columns = {axis_y, axis_x, axis_z, axis_s};
    for (const Size& groups : {Size{1, 1}, {7, 1}, {1, 6}, {7, 5}, {8, 6}, {13, 9}})
        for (const GroupOrder& order : {GroupOrder{},
                                        GroupOrder{GroupOrderKind::strips, 1},
                                        {GroupOrderKind::strips, 3},
                                        {GroupOrderKind::strips, 40},
                                        {GroupOrderKind::tiles, 0, {2, 3, 1, 1}},
                                        {GroupOrderKind::tiles, 0, {4, 1, 1, 1}},
                                        {GroupOrderKind::tiles, 0, {2, 3, 1, 1}, by_columns},
                                        {GroupOrderKind::tiles, 0, {1, 4, 1, 1}, by_columns}}) {
            CAPTURE(group_order_text(order));
            CAPTURE(groups.width);
            CAPTURE(groups.height);
            const Coord shape = {4, 2, 1, 1};
            ComputePassInputs inputs;
            // One texel of the last box along each axis is enough.
            inputs.groups = dispatched_groups(order, shape, {groups.width * 4 - 3, groups.height * 2 - 1});
            const auto [x, y, z] = inputs.groups;
            const uint32_t count = x * y * z;
            const DeviceBuffer positions = create_device_buffer(bench.context, count * 8);
            inputs.buffers = {positions.handle.handle};
            inputs.constants = order_constants(row_order(shape), order);
            const ComputePass pass = create_compute_pass(bench.context, spirv, inputs);
            vulkan::run_commands(bench.context.device, bench.context.commands, [&](VkCommandBuffer commands) {
                record(commands, pass);
                vulkan::full_barrier(commands);
            });
            const std::vector<std::byte> bytes = download(bench.context, positions, count * 8);
            std::vector<std::array<uint32_t, 2>> came, expected;
            for (uint32_t id = 0; id < count; ++id) {
                std::array<uint32_t, 2> got{};
                std::memcpy(got.data(), bytes.data() + id * sizeof got, sizeof got);
                if (got[0] < groups.width && got[1] < groups.height) came.push_back(got);
            }
            for (uint32_t id = 0; id < groups.width * groups.height; ++id) {
                const Coord position = group_position(order, {groups.width, groups.height, 1, 1}, id);
                expected.push_back({position[axis_x], position[axis_y]});
            }
            CHECK(came == expected);
        }
}
