// What a rewritten shader calls its invocations: as patterns/remap says, each once, and what forbids it is found.
#include "kernels/buffer.h"
#include "kernels/shader/compute_pass.h"
#include "kernels/shader/order.h"
#include "kernels/try/legality.h"
#include "kernels/try/rewrite.h"
#include "patterns/model/error.h"
#include "tests/support/kernel_bench.h"
#include <algorithm>
#include <cstring>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <random>
#include <set>

using namespace tilewise;
using namespace tilewise::kernels;

namespace {

struct Compiled {
    SpirvCode code;
    ShaderReflection shader;
};

Compiled compiled(const std::string& text) {
    Compiled made;
    EmittedPass pass;
    pass.optimize = false;
    const std::vector<uint32_t> spirv = compile_emitted("test.comp", text, pass);
    made.code = parse_spirv(spirv);
    CHECK(words_of(made.code) == spirv);
    made.shader = reflect(made.code, "main");
    return made;
}

/// What a shader with one buffer leaves in it.
std::vector<uint32_t> run(KernelBench& bench, const std::vector<uint32_t>& spirv, std::array<uint32_t, 3> groups,
                          uint32_t words) {
    const DeviceBuffer buffer = create_device_buffer(bench.context, words * 4);
    ComputePassInputs inputs;
    inputs.buffers = {buffer.handle.handle};
    inputs.groups = groups;
    const ComputePass pass = create_compute_pass(bench.context, spirv, inputs);
    vulkan::run_commands(bench.context.device, bench.context.commands, [&](VkCommandBuffer commands) {
        record(commands, pass);
        vulkan::full_barrier(commands);
    });
    const std::vector<std::byte> bytes = download(bench.context, buffer, words * 4);
    std::vector<uint32_t> got(words);
    std::memcpy(got.data(), bytes.data(), bytes.size());
    return got;
}

std::vector<uint32_t> checked(const Compiled& shader, const ShaderGrid& grid, const ShaderVariant& variant) {
    const std::vector<uint32_t> spirv = rewritten(shader.code, shader.shader, grid, variant);
    CHECK(why_invalid(spirv).empty());
    return spirv;
}

Remap shuffled(const Coord& shape, uint32_t seed) {
    Remap remap = row_order(shape);
    std::mt19937 random(seed);
    std::ranges::shuffle(remap.columns, random);
    remap.columns[0][axis_y] ^= remap.columns[1][axis_y];
    remap.columns[0][axis_x] ^= remap.columns[1][axis_x];
    return remap;
}

const std::array<Axis, axis_count> by_columns = {axis_y, axis_x, axis_z, axis_s};
const std::vector<GroupOrder> all_group_orders = {
    {GroupOrderKind::linear, 0, unit_extent, all_axes},   {GroupOrderKind::strips, 1, unit_extent, all_axes},
    {GroupOrderKind::strips, 3, unit_extent, all_axes},   {GroupOrderKind::strips, 40, unit_extent, all_axes},
    {GroupOrderKind::tiles, 0, {2, 3, 1, 1}, all_axes},   {GroupOrderKind::tiles, 0, {4, 1, 1, 1}, all_axes},
    {GroupOrderKind::tiles, 0, {2, 3, 1, 1}, by_columns}, {GroupOrderKind::tiles, 0, {1, 4, 1, 1}, by_columns}};

}  // namespace

TEST_CASE("the invocation in slot i of its workgroup is called as the remap says") {
    KernelBench bench;
    for (const Coord& shape : {Coord{16, 16, 1, 1}, Coord{8, 8, 1, 1}, Coord{32, 8, 1, 1}}) {
        const Compiled shader =
            compiled(fmt::format("#version 450\n#extension GL_KHR_shader_subgroup_basic : require\n"
                                 "layout(local_size_x = {0}, local_size_y = {1}) in;\n"
                                 "layout(binding = 0) buffer Slots {{ uint slots[]; }};\n"
                                 "void main() {{\n"
                                 "    slots[gl_LocalInvocationID.y * {0} + gl_LocalInvocationID.x] =\n"
                                 "        gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;\n"
                                 "}}\n",
                                 shape[0], shape[1]));
        const ShaderGrid grid = {{shape[0], shape[1], 1}, {1, 1, 1}};
        const auto count = static_cast<uint32_t>(element_count(shape));
        for (const Remap& remap : {row_order(shape), morton_order(shape), shuffled(shape, 1), shuffled(shape, 2)}) {
            CAPTURE(columns_text(remap));
            const auto slots = run(bench, checked(shader, grid, {grid.local_size, remap, {}}), {1, 1, 1}, count);
            for (uint32_t i = 0; i < count; ++i) {
                const Coord at = remap(i);
                REQUIRE(slots[at[axis_y] * shape[0] + at[axis_x]] == i);
            }
        }
    }
}

TEST_CASE("workgroup i of the launch order is where group_position says, for grids that no block divides") {
    KernelBench bench;
    for (const Size& groups : {Size{1, 1}, {7, 1}, {1, 6}, {7, 5}, {8, 6}, {13, 9}})
        for (const GroupOrder& order : all_group_orders) {
            CAPTURE(group_order_text(order));
            CAPTURE(groups.width);
            CAPTURE(groups.height);
            const ShaderGrid grid = {{1, 1, 1}, {groups.width, groups.height, 1}};
            const std::string text = fmt::format(
                "#version 450\n{}layout(binding = 0) buffer Places {{ uvec2 places[]; }};\n"
                "void main() {{\n"
                "    uint id = gl_WorkGroupID.x;\n"
                "    tilewise_order(uvec3({}, {}, 1), uvec3(id % {}, id / {}, 0), uvec3(0), 0);\n"
                "    places[id] = tilewise_WorkGroupID.xy;\n"
                "}}\n",
                variant_text(grid, {grid.local_size, {}, order}, false).head, groups.width, groups.height, groups.width,
                groups.width);
            const uint32_t count = groups.width * groups.height;
            const auto places = run(bench, compile_emitted("test.comp", text), {count, 1, 1}, 2 * count);
            for (uint32_t id = 0; id < count; ++id) {
                const Coord expected = group_position(order, {groups.width, groups.height, 1, 1}, id);
                REQUIRE(std::array{places[2 * id], places[2 * id + 1]} == std::array{expected[0], expected[1]});
            }
        }
}

TEST_CASE("whatever order and shape: each invocation has every name once, and its names fit one another") {
    KernelBench bench;
    const Compiled shader = compiled(
        "#version 450\n"
        "layout(local_size_x = 6, local_size_y = 4, local_size_z = 2) in;\n"
        "struct Named { uint count; uint fits; };\n"
        "layout(binding = 0) buffer All { Named named[]; };\n"
        "uint line(uvec3 at, uvec3 size) { return (at.z * size.y + at.y) * size.x + at.x; }\n"
        "void main() {\n"
        "    uvec3 global = gl_GlobalInvocationID;\n"
        "    bool fits = global == gl_WorkGroupID * gl_WorkGroupSize + gl_LocalInvocationID &&\n"
        "        gl_LocalInvocationIndex == line(gl_LocalInvocationID, gl_WorkGroupSize) &&\n"
        "        gl_NumWorkGroups == uvec3(5, 7, 2) && all(lessThan(gl_LocalInvocationID, uvec3(6, 4, 2)));\n"
        "    uint place = line(global, uvec3(30, 28, 4));\n"
        "    atomicAdd(named[place].count, 1u);\n"
        "    atomicAdd(named[place].fits, fits ? 1u : 0u);\n"
        "}\n");
    const ShaderGrid grid = {{6, 4, 2}, {5, 7, 2}};
    constexpr uint32_t count = 30 * 28 * 4;
    for (const std::array<uint32_t, 3>& size :
         {std::array{6u, 4u, 2u}, std::array{8u, 8u, 2u}, std::array{32u, 4u, 2u}, std::array{1u, 64u, 2u}})
        for (const bool in_morton : {false, true})
            for (const GroupOrder& order : all_group_orders) {
                // No GF(2)-linear order of a box that is no power of two.
                if (in_morton && size[0] == 6) continue;
                std::optional<Remap> remap;
                if (in_morton) remap = morton_order({size[0], size[1], 1, 1});
                const ShaderVariant variant = {size, remap, order};
                CAPTURE(size[0]);
                CAPTURE(in_morton);
                CAPTURE(group_order_text(order));
                const auto got = run(bench, checked(shader, grid, variant), dispatched(grid, variant), 2 * count + 64);
                for (uint32_t i = 0; i < count; ++i)
                    REQUIRE(std::array{got[2 * i], got[2 * i + 1]} == std::array{1u, 1u});
                for (uint32_t i = 2 * count; i < got.size(); ++i) REQUIRE(got[i] == 0);
            }
}

TEST_CASE("what forbids a variant is named with its instruction") {
    const auto legality = [](const std::string& declarations, const std::string& statements) {
        const Compiled shader = compiled(
            "#version 450\n#extension GL_KHR_shader_subgroup_arithmetic : require\n"
            "#extension GL_KHR_shader_subgroup_quad : require\n#extension GL_KHR_shader_subgroup_basic : require\n"
            "layout(local_size_x = 64) in;\nlayout(binding = 0) buffer Numbers { uint numbers[]; };\n" +
            declarations + "\nvoid main() {\n" + statements + "\n}\n");
        return legality_of(shader.code, shader.shader);
    };
    const Legality plain = legality("", "numbers[gl_GlobalInvocationID.x] = gl_LocalInvocationIndex;");
    CHECK(plain.order + plain.groups + plain.shape == "");
    const Legality shared = legality("shared uint part[64];",
                                     "part[gl_LocalInvocationIndex] = 1; barrier(); "
                                     "numbers[gl_GlobalInvocationID.x] = part[3];");
    CHECK(shared.order + shared.groups == "");
    CHECK(shared.shape == "OpAccessChain in main uses part, which the invocations of a workgroup share");
    CHECK(legality("", "barrier(); numbers[0] = 1;").shape ==
          "OpControlBarrier in main waits for the invocations of a workgroup");
    const Legality sum = legality("", "numbers[0] = subgroupAdd(gl_GlobalInvocationID.x);");
    CHECK(sum.order == "OpGroupNonUniformIAdd in main depends on which invocations run side by side");
    CHECK(sum.shape == sum.order);
    CHECK(sum.groups.empty());
    CHECK(legality("", "numbers[0] = subgroupQuadSwapHorizontal(1u);").order ==
          "OpGroupNonUniformQuadSwap in main depends on which invocations run side by side");
    CHECK(legality("", "numbers[0] = gl_SubgroupInvocationID;").order ==
          "OpLoad in main reads SubgroupLocalInvocationId");
    CHECK(legality("uint helper() { return subgroupMax(3u); }", "numbers[0] = helper();").order ==
          "OpGroupNonUniformUMax in helper depends on which invocations run side by side");
    // A function that nobody calls forbids nothing.
    CHECK(legality("uint helper() { return subgroupMax(3u); }", "numbers[0] = 1;").order.empty());
}

TEST_CASE("numbers of instructions that look like a variable's id are none") {
    // Between them, the functions have all numbers from 4 to 32.
    std::string calls;
    for (const char* call : {"abs(x)",  "sign(x)", "floor(x)", "ceil(x)",  "fract(x)", "radians(x)",    "degrees(x)",
                             "sin(x)",  "cos(x)",  "tan(x)",   "asin(x)",  "acos(x)",  "atan(x)",       "sinh(x)",
                             "cosh(x)", "tanh(x)", "asinh(x)", "acosh(x)", "atanh(x)", "atan(x, 2.0)",  "pow(x, 2.0)",
                             "exp(x)",  "log(x)",  "exp2(x)",  "log2(x)",  "sqrt(x)",  "inversesqrt(x)"})
        calls += fmt::format("x += {};\n", call);
    const auto has_number = [](const Compiled& shader, uint32_t id) {
        return std::ranges::any_of(shader.code.instructions, [&](const CodeInstruction& each) {
            return each.op == spv::Op::OpExtInst && each.at(1) == id;
        });
    };
    const auto id_of = [](const Compiled& shader, std::string_view name) {
        for (const CodeInstruction& each : shader.code.instructions) {
            size_t length = 0;
            if (each.op == spv::Op::OpName && string_at(std::span(each.operands).subspan(1), length) == name)
                return each.operands[0];
        }
        return uint32_t{0};
    };
    const Compiled plain = compiled(
        "#version 450\nlayout(local_size_x = 4, local_size_y = 4) in;\n"
        "layout(binding = 0) buffer Numbers { float numbers[]; };\n"
        "void main() {\nivec2 at = ivec2(gl_GlobalInvocationID.xy); float x = at.y;\n" +
        calls + "numbers[at.x] = x;\n}\n");
    REQUIRE(has_number(plain, id_of(plain, "gl_GlobalInvocationID")));
    const ShaderGrid grid = {{4, 4, 1}, {2, 2, 1}};
    CHECK(!checked(plain, grid, {{4, 4, 1}, morton_order({4, 4, 1, 1}), {}}).empty());
    Compiled shared = compiled(
        "#version 450\nlayout(local_size_x = 64) in;\nshared float part[64];\n"
        "layout(binding = 0) buffer Numbers { float numbers[]; };\n"
        "void main() {\nfloat x = numbers[0];\n" +
        calls + "part[gl_LocalInvocationIndex] = x;\n}\n");
    const uint32_t part = id_of(shared, "part");
    const auto call = std::ranges::find(shared.code.instructions, spv::Op::OpExtInst, &CodeInstruction::op);
    call->operands[call->first_operand + 1] = part;
    REQUIRE(has_number(shared, part));
    CHECK(legality_of(shared.code, shared.shader).shape ==
          "OpAccessChain in main uses part, which the invocations of a workgroup share");
}

TEST_CASE("numbers of matrices and of arrays of them lie where the shader's language puts them") {
    const auto places_in = [](const std::string& block) {
        const Compiled shader = compiled(
            "#version 450\nlayout(local_size_x = 8) in;\nlayout(binding = 0) buffer Numbers { float numbers[]; };\n"
            "layout(push_constant) uniform Push { " +
            block +
            " } push;\n"
            "void main() { numbers[0] = push.last; }\n");
        std::map<std::string, uint32_t> places;
        for (const ScalarPlace& place : shader.shader.push) places[place.name] = place.offset;
        return places;
    };
    // std430 (GLSL 4.60, 4.4.5; OpenGL 4.6, 7.6.2.2): a column of two floats takes 8 bytes, one of three 16.
    auto places = places_in("mat2 m[2]; float last;");
    CHECK(places.at("m[0][0].y") == 4);
    CHECK(places.at("m[0][1].x") == 8);
    CHECK(places.at("m[1][1].y") == 28);
    CHECK(places.at("last") == 32);
    places = places_in("mat3 m[2]; float last;");
    CHECK(places.at("m[0][1].x") == 16);
    CHECK(places.at("m[1][2].z") == 88);
    // Rows of a row-major matrix lie as columns do.
    places = places_in("layout(row_major) mat2 m[2]; layout(row_major) mat2x3 n; float last;");
    CHECK(places.at("m[0][0].y") == 8);
    CHECK(places.at("m[0][1].x") == 4);
    CHECK(places.at("m[1][0].y") == 24);
    CHECK(places.at("n[1].z") == 32 + 2 * 8 + 4);
}

TEST_CASE("reflection finds names, sizes, formats and who reads and writes") {
    const Compiled shader = compiled(
        "#version 450\n"
        "layout(local_size_x = 4, local_size_x_id = 7, local_size_y = 2) in;\n"
        "layout(constant_id = 3) const float strength = 0.5;\n"
        "layout(binding = 0, rgba16f) uniform readonly image2D source;\n"
        "layout(binding = 1, r32ui) uniform uimage2D counts;\n"
        "layout(set = 1, binding = 4) uniform sampler2DArray layers[3];\n"
        "layout(binding = 5) buffer Results { uint count; vec4 results[]; };\n"
        "layout(binding = 6) uniform Settings { mat2 turn; vec2 size; float weights[3]; } settings;\n"
        "layout(binding = 8) uniform texture2D unused;\n"
        "layout(push_constant) uniform Push { ivec2 offset; float scale; } push;\n"
        "void add(inout vec4 to, ivec2 at) { to += imageLoad(source, at); }\n"
        "void main() {\n"
        "    vec4 sum = texture(layers[1], vec3(0)) * settings.size.x * push.scale * strength + settings.weights[1] + "
        "settings.turn[1].y;\n"
        "    add(sum, push.offset);\n"
        "    imageAtomicAdd(counts, push.offset, 1u);\n"
        "    results[gl_GlobalInvocationID.x] = sum;\n"
        "}\n");
    const ShaderReflection& found = shader.shader;
    CHECK(found.local_size == std::array{4u, 2u, 1u});
    CHECK(found.local_size_constants[0] == 7u);
    CHECK_FALSE(found.local_size_constants[1]);
    CHECK(local_size_of(found, {{7, 32}}) == std::array{32u, 2u, 1u});
    REQUIRE(found.resources.size() == 5);
    const auto& [source, counts, results, settings, layers] =
        std::tie(found.resources[0], found.resources[1], found.resources[2], found.resources[3], found.resources[4]);
    CHECK(source.name == "source");
    CHECK(source.format == VK_FORMAT_R16G16B16A16_SFLOAT);
    CHECK((source.is_read && !source.is_written));
    CHECK(counts.numbers == 'u');
    CHECK((counts.is_read && counts.is_written));
    CHECK((results.name == "Results" && results.is_written && !results.is_read));
    CHECK((results.bytes == 16 || results.bytes == 4));
    CHECK(results.stride == 16);
    CHECK((layers.set == 1 && layers.count == 3 && layers.is_arrayed));
    // std140: a column of a matrix and an element of an array take 16 bytes each.
    CHECK(settings.bytes == 96);
    std::vector<std::pair<std::string, uint32_t>> places;
    for (const ScalarPlace& place : settings.scalars) places.emplace_back(place.name, place.offset);
    const std::vector<std::pair<std::string, uint32_t>> expected = {
        {"turn[0].x", 0}, {"turn[0].y", 4},   {"turn[1].x", 16},  {"turn[1].y", 20}, {"size.x", 32},
        {"size.y", 36},   {"weights[0]", 48}, {"weights[1]", 64}, {"weights[2]", 80}};
    CHECK(places == expected);
    CHECK(found.push_bytes == 12);
    CHECK(found.push.back().name == "scale");
    REQUIRE(found.constants.size() == 2);
}
