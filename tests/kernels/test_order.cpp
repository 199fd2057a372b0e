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

TEST_CASE("each workgroup has the position that group_position gives its number, in blocks that are cut short, too") {
    KernelBench bench;
    const std::string text = fmt::format(
        "#version 450\n{}layout(binding = 0) buffer Positions {{ uvec2 positions[]; }};\n"
        "void main() {{ positions[gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x] = own_group(); }}\n",
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
            const uint32_t count = groups.width * groups.height;
            const DeviceBuffer positions = create_device_buffer(bench.context, count * 8);
            ComputePassInputs inputs;
            inputs.buffers = {positions.handle.handle};
            inputs.constants = order_constants(row_order({1, 1, 1, 1}), order);
            inputs.groups = {groups.width, groups.height, 1};
            const ComputePass pass = create_compute_pass(bench.context, spirv, inputs);
            vulkan::run_commands(bench.context.device, bench.context.commands, [&](VkCommandBuffer commands) {
                record(commands, pass);
                vulkan::full_barrier(commands);
            });
            const std::vector<std::byte> bytes = download(bench.context, positions, count * 8);
            for (uint32_t id = 0; id < count; ++id) {
                std::array<uint32_t, 2> got{};
                std::memcpy(got.data(), bytes.data() + id * sizeof got, sizeof got);
                const Coord expected = group_position(order, {groups.width, groups.height, 1, 1}, id);
                CHECK(got == std::array{expected[axis_x], expected[axis_y]});
            }
        }
}
