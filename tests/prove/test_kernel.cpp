// Emitted kernels, over images of odd sizes, as many workgroups as their own function says: the mean that the host
// computes, and each texel written once.
#include "kernels/buffer.h"
#include "kernels/reference.h"
#include "kernels/shader/compute_pass.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "patterns/snippet/kernel.h"
#include "patterns/solve/solve.h"
#include "tests/prove/host_code.h"
#include "tests/prove/spirv.h"
#include "tests/prove/stand_in/image.h"
#include "tests/prove/wgsl.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <cstring>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <map>
#include <memory>

using namespace tilewise;
using namespace tilewise::prove;
using kernels::Format;
using kernels::Size;
using kernels::Texels;

namespace {

struct Case {
    const char* name;
    Remap remap;
    Format format;
    Size size;
    uint32_t radius;
    GroupOrder groups = {};
};

std::vector<Case> cases() {
    const auto in_memory_order = [](const char* table, const Coord& shape) {
        return memory_order(solve(parse_table_csv(layout_table(table))).layout.pattern, shape);
    };
    const auto strips = [](uint32_t width) { return GroupOrder{GroupOrderKind::strips, width}; };
    const GroupOrder tiles = {GroupOrderKind::tiles, 0, {2, 3, 1, 1}};
    const GroupOrder columns = {GroupOrderKind::tiles, 0, {2, 4, 1, 1}, {axis_y, axis_x, axis_z, axis_s}};
    return {
        {"in strips, a remap", morton_order({8, 8, 1, 1}), Format::rgba8, {67, 41}, 1, strips(4)},
        {"in strips, row order", row_order({8, 4, 1, 1}), Format::rgba16f, {61, 27}, 2, strips(3)},
        {"in tiles", rdna_order(), Format::rgba8, {57, 65}, 1, tiles},
        {"in tiles by columns", morton_order({4, 4, 1, 1}), Format::rgba32f, {31, 43}, 0, columns},
        {"Morton order", morton_order({16, 16, 1, 1}), Format::rgba8, {37, 29}, 1},
        {"tall, without a remap", row_order({4, 64, 1, 1}), Format::rgba8, {37, 131}, 3},
        {"Navi 21", in_memory_order("amd_gfx103-navi21_64KB-R-X_32bpp", {8, 32, 1, 1}), Format::rgba8, {65, 70}, 2},
        {"Mali",
         in_memory_order("mali_utgard-valhall_u-interleaved_32bpp", {16, 8, 1, 1}),
         Format::rgba32f,
         {33, 17},
         2},
        {"smaller than the radius", row_order({16, 16, 1, 1}), Format::rgba16f, {5, 3}, 8},
        {"one texel", morton_order({8, 8, 1, 1}), Format::rgba32f, {1, 1}, 5},
        {"a copy, rotated", rdna_order(), Format::rgba16f, {67, 9}, 0},
        {"a copy, without a remap", row_order({32, 8, 1, 1}), Format::rgba8, {67, 9}, 0},
    };
}

std::string code_of(const Case& of, Language language) {
    SnippetRequest request;
    request.language = language;
    request.kind = SnippetKind::kernel;
    request.remap = of.remap;
    request.group_order = of.groups;
    request.format = traits_of(of.format).name;
    request.radius = of.radius;
    request.provenance = of.name;
    return emit_snippet(request);
}

const char* const all_names[] = {"R8_UNORM",
                                 "R8G8_UNORM",
                                 "R8G8B8A8_UNORM",
                                 "R8_SNORM",
                                 "R8G8_SNORM",
                                 "R8G8B8A8_SNORM",
                                 "R16_UNORM",
                                 "R16G16_UNORM",
                                 "R16_SNORM",
                                 "R16G16_SNORM",
                                 "R16G16B16A16_UNORM",
                                 "R16G16B16A16_SNORM",
                                 "R16_SFLOAT",
                                 "R16G16_SFLOAT",
                                 "R16G16B16A16_SFLOAT",
                                 "R32_SFLOAT",
                                 "R32G32_SFLOAT",
                                 "R32G32B32A32_SFLOAT",
                                 "B10G11R11_UFLOAT_PACK32",
                                 "A2B10G10R10_UNORM_PACK32"};

/// A kernel for each format that the language writes, by the format's name.
std::vector<std::string> codes_of_formats(Language language) {
    std::vector<std::string> codes;
    SnippetRequest request;
    request.language = language;
    request.kind = SnippetKind::kernel;
    request.remap = rdna_order();
    for (const char* name : all_names) {
        request.format = name;
        request.radius ^= 1;
        try {
            codes.push_back(emit_snippet(request));
        } catch (const UsageError&) {
            CHECK((language == Language::wgsl || language == Language::cuda));
        }
    }
    return codes;
}

std::string replaced(std::string text, std::string_view from, const std::string& to) {
    const size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

/// With a statement behind the reader's place, which sees what his code does.
std::string counted(const std::string& code, const std::string& statement) {
    return replaced(code, "// ---- To here.\n", "// ---- To here.\n    " + statement + "\n");
}

using Groups = std::array<uint32_t, 3>;

/// What the function in each comment gives, compiled as C.
std::vector<Groups> dispatched(const std::vector<Case>& all, Language language) {
    std::string text = "#include <stdint.h>\n";
    for (size_t i = 0; i < all.size(); i++) {
        text += fmt::format("#define tilewise_groups groups_{}\n", i);
        text += host_code(code_of(all[i], language));
        text += "#undef tilewise_groups\n";
    }
    const auto library = built({"cc", "-std=c11", "-Wall", "-Wextra", "-Werror"}, text, "groups.c");
    std::vector<Groups> groups(all.size());
    for (size_t i = 0; i < all.size(); i++)
        function_in<void(uint32_t, uint32_t, uint32_t*)>(library, fmt::format("groups_{}", i))(
            all[i].size.width, all[i].size.height, groups[i].data());
    return groups;
}

Texels source_of(const Case& of) { return kernels::random_texels(of.format, of.size, 7); }

/// `got` may be wider than the case's format: then it must be nearer to the mean.
void check(const Case& of, const Texels& got, std::span<const uint32_t> writes) {
    CAPTURE(of.name);
    const uint32_t side = 2 * of.radius + 1;
    CHECK(kernels::first_difference(got, kernels::box_reference(source_of(of), of.radius), side * side) == "");
    CHECK(writes.size() == kernels::count(of.size));
    CHECK(std::ranges::count(writes, 1U) == static_cast<std::ptrdiff_t>(writes.size()));
}

/// SPIR-V of each text.
std::vector<std::string> compiled_by_glslc(Language language, const std::vector<std::string>& texts) {
    const Folder folder;
    Command command = glslc_in(folder.path.string(), language);
    for (size_t i = 0; i < texts.size(); i++) {
        write_text(folder / std::to_string(i), texts[i]);
        command.push_back(std::to_string(i));
    }
    const Ended ended = run(command);
    INFO(ended.err.substr(0, 4000));
    REQUIRE(ended.code == 0);
    std::vector<std::string> spirv;
    for (size_t i = 0; i < texts.size(); i++) spirv.push_back(read_text(folder / fmt::format("{}.spv", i)));
    return spirv;
}

void dispatch(kernels::Context& context, const Case& of, const std::string& spirv, const Groups& groups) {
    kernels::Texture source, result;
    kernels::create_texture(context, of.format, of.size, {}, source);
    kernels::create_texture(context, of.format, of.size, {}, result);
    kernels::upload(context, source, source_of(of));
    kernels::clear(context, result, {});
    const VkDeviceSize writes_B = kernels::count(of.size) * sizeof(uint32_t);
    const kernels::DeviceBuffer writes = kernels::create_device_buffer(context, writes_B);
    kernels::ComputePassInputs inputs;
    inputs.buffers = {writes.handle.handle};
    inputs.images = {result.view.handle};
    inputs.textures = {source.view.handle};
    inputs.push = {of.size.width, of.size.height};
    inputs.groups = groups;
    const std::span words(reinterpret_cast<const uint32_t*>(spirv.data()), spirv.size() / sizeof(uint32_t));
    const kernels::ComputePass pass = kernels::create_compute_pass(context, words, inputs);
    vulkan::run_commands(context.device, context.commands, [&](VkCommandBuffer commands) {
        kernels::record(commands, pass);
        vulkan::full_barrier(commands);
    });
    const std::vector<std::byte> counts = kernels::download(context, writes, writes_B);
    check(of, kernels::download(context, result),
          {reinterpret_cast<const uint32_t*>(counts.data()), counts.size() / sizeof(uint32_t)});
}

/// `with_counts`: the code with a buffer of counts at binding 0, before the images.
void prove_on_vulkan(Language language, const std::function<std::string(const std::string&)>& with_counts) {
    vulkan::Instance instance;
    try {
        vulkan::open_instance(instance);
    } catch (const Error& error) {
        MESSAGE("SKIPPED: " << error.what());
        return;
    }
    kernels::Context context;
    kernels::open_context(context, device_that_proves(instance));
    const std::vector<Case> all = cases();
    std::vector<std::string> texts;
    texts.reserve(2 * all.size());
    for (const Case& each : all) texts.push_back(with_counts(code_of(each, language)));
    for (const Case& each : all) texts.push_back(code_of(each, language));
    for (const std::string& code : codes_of_formats(language)) texts.push_back(code);
    const std::vector<std::string> spirv = compiled_by_glslc(language, texts);
    const std::vector<Groups> groups = dispatched(all, language);
    for (size_t i = 0; i < all.size(); i++) dispatch(context, all[i], spirv[i], groups[i]);
}

}  // namespace

TEST_CASE("a kernel in GLSL gives the mean of each texel's neighbourhood, and writes each texel once") {
    prove_on_vulkan(Language::glsl, [](const std::string& code) {
        std::string text = replaced(code, "layout(binding = 1)", "layout(binding = 2)");
        text = replaced(text, "layout(binding = 0,",
                        "layout(std430, binding = 0) buffer Counts { uint counts[]; };\nlayout(binding = 1,");
        return counted(text, "atomicAdd(counts[at.y * size.x + at.x], 1u);");
    });
}

TEST_CASE("a kernel in HLSL gives the mean of each texel's neighbourhood, and writes each texel once") {
    prove_on_vulkan(Language::hlsl, [](const std::string& code) {
        std::string text = replaced(code, "[[vk::binding(1)]]", "[[vk::binding(2)]]");
        text = replaced(text, "[[vk::binding(0)]]",
                        "[[vk::binding(0)]] RWStructuredBuffer<uint> counts;\n[[vk::binding(1)]]");
        return counted(text, "InterlockedAdd(counts[at.y * size.x + at.x], 1u);");
    });
}

TEST_CASE("a kernel in WGSL gives the mean of each texel's neighbourhood, and writes each texel once") {
    if (!has_wgsl_runtime()) return;
    const std::vector<Case> all = cases();
    const std::vector<Groups> groups = dispatched(all, Language::wgsl);
    const auto row_words = [](const Case& of) {
        return round_up(of.size.width * traits_of(of.format).bytes, 256U) / 4;
    };
    nlohmann::json jobs = nlohmann::json::array();
    std::string in;
    for (size_t i = 0; i < all.size(); i++) {
        const Case& of = all[i];
        const Texels source = source_of(of);
        in.append(reinterpret_cast<const char*>(source.bytes.data()), source.bytes.size());
        const char* format = of.format == Format::rgba8     ? "rgba8unorm"
                             : of.format == Format::rgba16f ? "rgba16float"
                                                            : "rgba32float";
        const std::string code = "@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;\n" +
                                 counted(code_of(of, Language::wgsl), "atomicAdd(&counts[at.y * size.x + at.x], 1u);");
        jobs.push_back({{"code", code},
                        {"calls",
                         {{{"image",
                            {{"format", format},
                             {"bytes", traits_of(of.format).bytes},
                             {"width", of.size.width},
                             {"height", of.size.height},
                             {"groups", groups[i]}}},
                           {"in", source.bytes.size() / 4},
                           {"out", (row_words(of) + of.size.width) * of.size.height}}}}});
    }
    for (const std::string& code : codes_of_formats(Language::wgsl))
        jobs.push_back({{"code", code}, {"calls", nlohmann::json::array()}});
    const WgslAnswer answer = run_wgsl(jobs, in);
    for (const nlohmann::json& error : answer.errors) CHECK(error == nullptr);
    const auto* word = reinterpret_cast<const uint32_t*>(answer.out.data());
    for (const Case& of : all) {
        Texels got = {of.format, of.size, {}};
        for (uint32_t y = 0; y < of.size.height; y++, word += row_words(of)) {
            const std::span row(reinterpret_cast<const std::byte*>(word), of.size.width * traits_of(of.format).bytes);
            got.bytes.insert(got.bytes.end(), row.begin(), row.end());
        }
        check(of, got, {word, kernels::count(of.size)});
        word += kernels::count(of.size);
    }
}

namespace {

StandInImage image_of(const Case& of) {
    StandInImage image;
    image.width = of.size.width;
    image.height = of.size.height;
    image.channels = channels_of(source_of(of));
    image.writes.resize(kernels::count(of.size));
    return image;
}

/// `text`: functions kernel_0, kernel_1, .. (result, source) that run a case each. `format`: of what they write.
void prove_as_cpp(const std::string& text, const std::function<Format(const Case&)>& format) {
    const auto library = built({"g++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-attributes",
                                "-Wno-unknown-pragmas", "-I", source_dir() + "/tests/prove/stand_in"},
                               text, "kernels.cpp");
    const std::vector<Case> all = cases();
    for (size_t i = 0; i < all.size(); i++) {
        StandInImage source = image_of(all[i]), result = image_of(all[i]);
        function_in<void(StandInImage*, StandInImage*)>(library, fmt::format("kernel_{}", i))(&result, &source);
        Texels got = {format(all[i]), all[i].size, {}};
        got.bytes.resize(result.bytes.size());
        std::memcpy(got.bytes.data(), result.bytes.data(), result.bytes.size());
        check(all[i], got, result.writes);
    }
}

}  // namespace

TEST_CASE("a kernel in CUDA, run as C++, gives the mean of each texel's neighbourhood, and writes each texel once") {
    std::string text = "#include \"cuda.h\"\n#include \"cuda_fp16.h\"\n";
    const std::vector<Case> all = cases();
    for (size_t i = 0; i < all.size(); i++) {
        const std::string code = code_of(all[i], Language::cuda);
        text += fmt::format(
            "namespace n{0} {{\n{1}}}\nextern \"C\" void kernel_{0}(StandInImage* result, StandInImage* source) {{\n"
            "    const dim3 groups = n{0}::tilewise_groups(source->width, source->height), threads = {2};\n"
            "    for (blockIdx.z = 0; blockIdx.z < groups.z; blockIdx.z++)\n"
            "        for (blockIdx.y = 0; blockIdx.y < groups.y; blockIdx.y++)\n"
            "            for (blockIdx.x = 0; blockIdx.x < groups.x; blockIdx.x++)\n"
            "                for (threadIdx.y = 0; threadIdx.y < threads.y; threadIdx.y++)\n"
            "                    for (threadIdx.x = 0; threadIdx.x < threads.x; threadIdx.x++)\n"
            "                        n{0}::tilewise_kernel(result, source, {{source->width, source->height}});\n}}\n",
            i, code, between(code, "height), ", ">>>"));
    }
    const std::vector<std::string> codes = codes_of_formats(Language::cuda);
    for (size_t i = 0; i < codes.size(); i++) text += fmt::format("namespace format{} {{\n{}}}\n", i, codes[i]);
    prove_as_cpp(text, [](const Case& of) { return of.format; });
}

TEST_CASE("a kernel in CUDA asks for all threads of a multiprocessor where it has 2,048 of them") {
    // The CUDA C++ Programming Guide's table "Technical Specifications per Compute Capability": resident threads.
    const std::map<int, int> threads_at_once = {{600, 2048}, {700, 2048}, {750, 1024},  {800, 2048}, {860, 1536},
                                                {890, 1536}, {900, 2048}, {1000, 2048}, {1200, 1536}};
    const Folder folder;
    for (const auto& [shape, at_once] :
         {std::pair(Coord{16, 16, 1, 1}, 8), {Coord{64, 16, 1, 1}, 2}, {Coord{8, 4, 1, 1}, 32}}) {
        const uint64_t threads = element_count(shape);
        write_text(folder / "kernel.cu",
                   code_of({"row order", row_order(shape), Format::rgba32f, {8, 8}, 1}, Language::cuda));
        for (const auto& each : threads_at_once) {
            const int architecture = each.first, threads_there = each.second;
            const Ended read = run({"g++", "-E", "-P", fmt::format("-D__CUDA_ARCH__={}", architecture), "-x", "c++",
                                    folder / "kernel.cu"});
            REQUIRE(read.code == 0);
            const std::string bounds = between(read.out, "__launch_bounds__(", ")");
            CAPTURE(architecture);
            CHECK(bounds ==
                  (threads_there == 2048 ? fmt::format("{}, {}", threads, at_once) : fmt::format("{}", threads)));
        }
    }
}

TEST_CASE(
    "a kernel in Metal's language, run as C++, gives the mean of each texel's neighbourhood, and writes each once") {
    std::string text = "#include <metal_stdlib>\n";
    const std::vector<Case> all = cases();
    const std::vector<Groups> groups = dispatched(all, Language::msl);
    for (size_t i = 0; i < all.size(); i++) {
        const std::string code = code_of(all[i], Language::msl);
        const bool by_place = code.find("thread_position_in_grid") != std::string::npos;
        text += fmt::format(
            "namespace n{0} {{\n{1}}}\nextern \"C\" void kernel_{0}(StandInImage* result, StandInImage* source) {{\n"
            "    const unsigned threads[3] = {{{2}}};\n"
            "    for (unsigned z = 0; z < {5}; z++)\n        for (unsigned y = 0; y < {4}; y++)\n"
            "            for (unsigned x = 0; x < {3}; x++)\n"
            "                for (unsigned v = 0; v < threads[1]; v++)\n"
            "                    for (unsigned u = 0; u < threads[0]; u++)\n"
            "                        n{0}::tilewise_kernel({{result}}, {{source}}, {6});\n}}\n",
            i, code, between(code, "MTLSizeMake(", ")"), groups[i][0], groups[i][1], groups[i][2],
            by_place ? "{x * threads[0] + u, y * threads[1] + v}" : "{x, y, z}, v * threads[0] + u");
    }
    prove_as_cpp(text, [](const Case&) { return Format::rgba32f; });
}

TEST_CASE("a kernel that cannot be is refused in one line") {
    SnippetRequest request;
    request.kind = SnippetKind::kernel;
    request.remap = row_order({16, 16, 1, 1});
    request.format = "R8G8B8A8_UNORM";
    request.language = Language::rust;
    CHECK_THROWS_WITH(emit_snippet(request), "no kernel in rust; there are glsl, hlsl, wgsl, msl and cuda");
    request.language = Language::wgsl;
    request.format = "R8_UNORM";
    CHECK_THROWS_WITH(emit_snippet(request),
                      "no kernel in wgsl writes R8_UNORM; there are: R8G8B8A8_UNORM, R8G8B8A8_SNORM, "
                      "R16G16B16A16_SFLOAT, R32_SFLOAT, R32G32_SFLOAT, R32G32B32A32_SFLOAT");
    request.format = "R8G8B8A8_UNORM";
    request.radius = 65;
    CHECK_THROWS_WITH(emit_snippet(request), "a kernel has a radius of 0 to 64, not 65");
    request.radius = 1;
    request.remap = row_order({8, 8, 4, 1});
    CHECK_THROWS_AS(emit_snippet(request), UsageError);
    request.remap = row_order({64, 32, 1, 1});
    CHECK_THROWS_AS(emit_snippet(request), UsageError);
}
