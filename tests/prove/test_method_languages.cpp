// The code of methods in every language, for devices that nobody timed: compiled as its comment says and run, over images
// of odd sizes, against references in double precision.
#include "kernels/average/average.h"
#include "kernels/bloom/bloom.h"
#include "kernels/brightest/brightest.h"
#include "kernels/code/method_code.h"
#include "kernels/histogram/histogram.h"
#include "kernels/mip_chain/mip_chain.h"
#include "kernels/reference.h"
#include "kernels/shader/compute_pass.h"
#include "patterns/model/bits.h"
#include "tests/prove/host_code.h"
#include "tests/prove/spirv.h"
#include "tests/prove/stand_in/image.h"
#include "tests/prove/wgsl.h"
#include "tests/support/kernel_bench.h"
#include "tests/support/soak.h"
#include <bit>
#include <cstring>
#include <fmt/format.h>

using namespace tilewise;
using namespace tilewise::kernels;
using namespace tilewise::prove;

namespace {

constexpr Language all_languages[] = {Language::glsl, Language::hlsl, Language::wgsl, Language::msl, Language::cuda};

struct Case {
    const char* name;
    const char* kernel;
    /// As in Job::method; empty: whatever the code takes.
    const char* method;
    Format format;
    Size size;
    uint32_t radius;
    double sigma = 0;
    std::optional<Remap> remap = {};
    GroupOrder groups = {};
    /// What the method loses beyond rounding, for channels of 0 to 1.
    double slack = 0;
};

/// A filter of a user's with much of what GLSL has.
constexpr const char* own_filter = R"(const float shares[3] = float[3](0.5, 0.3, 0.2);
struct State { vec4 sum; float total; int seen[2]; };
void split(vec4 v, out vec2 low, out vec2 high) { low = v.xy; high = v.zw; }
bool is_bright(vec4 c) {
    if (c.r > 0.9) return true;
    return dot(c, vec4(0.25)) > 0.5 && c.a > 0.1;
}
float share(int i, float other) {
    float best = other;
    for (int k = 0; k < 3; ++k) {
        if (k == i) continue;
        if (shares[k] < 0.25) break;
        best = max(best, shares[k] * float(k + 1));
    }
    return i > 1 ? best : other;
}
void add(inout State state, vec4 texel, int offset) {
    vec2 low, high;
    split(texel, low, high);
    texel.xy = high;
    texel.z = mix(low.x, low.y, 0.25);
    float weight = shares[abs(offset) % 3] * (is_bright(texel) || (offset > 0 && texel.w < 0.5) ? 2.0 : sqrt(texel.x));
    state.sum += clamp(texel, vec4(0.0), vec4(1.0)) * weight;
    state.total += weight;
    state.seen[offset & 1]++;
}
State filter_center(vec4 texel) {
    State state;
    state.sum = vec4(0);
    state.total = 0.0;
    state.seen[0] = state.seen[1] = 0;
    add(state, texel, 0);
    return state;
}
void filter_iteration(inout State state, vec4 texel, int offset) { add(state, texel, offset); }
vec4 filter_result(State state) {
    uint bits = uint(state.seen[0]) << 3 | uint(state.seen[1]) >> 1;
    vec4 value = state.total > 0.0 ? state.sum / state.total : vec4(1.0);
    float n = 0.0;
    do { n += 0.25; } while (n < value.x);
    for (int k = 0; k < 4; ++k) value[k] = value[k] * 0.5 + share(k, n) * 0.01;
    int turn = 3;
    while (turn > 0) turn -= 2;
    if (!is_bright(value)) value.w = float(bits & 31u) / 64.0 + float(-turn) * 0.125;
    return value;
}
)";

std::vector<Case> cases() {
    const GroupOrder tiles = {GroupOrderKind::tiles, 0, {2, 3, 1, 1}};
    const double half = std::ldexp(1, -11);
    return {
        {"box of bytes", "box", "running sums", Format::rgba8, {147, 61}, 3},
        {"box of bytes, sums cut", "box", "running sums", Format::rgba8, {61, 147}, 9, 0, {}, {}, 0.1 / 255},
        {"box of bytes, wide", "box", "running sums", Format::rgba8, {131, 67}, 16},
        {"box of halves", "box", "running sums", Format::rgba16f, {147, 61}, 8},
        {"box of floats", "box", "running sums", Format::rgba32f, {67, 131}, 5},
        {"box, direct", "box", "direct", Format::rgba16f, {61, 43}, 4, 0, morton_order({8, 8, 1, 1}), tiles},
        {"box beyond running sums", "box", "running sums", Format::rgba8, {43, 37}, 20},
        {"gaussian, fused", "gaussian", "fused, 8 rows, 1 strips, 8 results, 32 bit", Format::rgba16f, {231, 37}, 5},
        {"gaussian of a sigma",
         "gaussian",
         "fused, 8 rows, 1 strips, 8 results, 32 bit",
         Format::rgba32f,
         {113, 43},
         6,
         1.25},
        {"gaussian, small pieces",
         "gaussian",
         "fused, 4 rows, 4 strips, 4 results, 32 bit",
         Format::rgba8,
         {67, 41},
         2},
        {"gaussian, wide", "gaussian", "fused, 8 rows, 1 strips, 4 results, 32 bit", Format::rgba8, {67, 41}, 19},
        {"gaussian beyond a fused workgroup", "gaussian", "", Format::rgba32f, {97, 41}, 32},
        {"gaussian, direct", "gaussian", "direct", Format::rgba8, {61, 43}, 4, 3, rdna_order(), tiles, 2 * half},
        {"gaussian, shared",
         "gaussian",
         "shared, 2 lines, 4 results, 32 bit",
         Format::rgba8,
         {261, 37},
         3,
         0,
         {},
         {},
         2 * half},
        {"gaussian in place of a fragment shader", "gaussian", "fragment", Format::rgba16f, {37, 29}, 3},
        {"bilateral, fused",
         "bilateral",
         "fused, 8 rows, 1 strips, 8 results, 32 bit",
         Format::rgba32f,
         {129, 37},
         4,
         1.5},
        {"bilateral, shared halves",
         "bilateral",
         "shared, 2 lines, 4 results, 16 bit",
         Format::rgba8,
         {261, 37},
         4,
         0,
         {},
         {},
         16 * half},
        {"a filter of a user's", "mine", "direct", Format::rgba32f, {43, 37}, 2},
        {"bilateral, direct", "bilateral", "direct", Format::rgba16f, {43, 61}, 3, 0, {}, {}, 4 * half},
    };
}

/// All of them where there is time, else each of them in every fourth language.
std::vector<Case> drawn_cases(Language language) {
    const std::vector<Case> all = cases();
    std::vector<Case> drawn;
    for (size_t i = 0; i < all.size(); i++)
        if (is_drawn(i + static_cast<size_t>(language), 4)) drawn.push_back(all[i]);
    return drawn;
}

CodeRequest request_of(const Case& of, Language language) {
    CodeRequest request;
    request.language = language;
    request.size = of.size;
    TimedMethod& method = request.method;
    method.kernel = of.kernel;
    if (std::string(of.kernel) == "gaussian") method.filter = gaussian_filter(of.sigma);
    if (std::string(of.kernel) == "bilateral") method.filter = bilateral_filter(of.sigma);
    if (std::string(of.kernel) == "mine") method.filter = user_filter("mine.glsl", own_filter);
    method.method = of.method;
    method.format = of.format;
    method.radius = of.radius;
    method.remap = of.remap;
    method.groups = of.groups;
    return request;
}

MethodCode code_of(const Case& of, Language language) { return method_code(request_of(of, language), ""); }

Texels source_of(const Case& of) { return random_texels(of.format, of.size, 11); }

/// The push constants, in their order: the size, then what the comment says of others.
std::vector<uint32_t> push_of(const Case& of, const std::string& code) {
    std::vector<uint32_t> push = {of.size.width, of.size.height};
    const std::string line = between(code, "int32_t width, height", "\n");
    for (const char* name : {", strip_rows = ", ", radius = "})
        if (const size_t at = line.find(name); at != line.npos)
            push.push_back(static_cast<uint32_t>(std::stoul(line.substr(at + std::strlen(name)))));
    return push;
}

bool is_of_words(const std::string& code) { return code.find("R32_UINT") != std::string::npos; }

Format format_named(const std::string& name) { return format_of(name); }

// Vulkan.

std::vector<uint32_t> compiled_by_glslc(const MethodCode& code, size_t pass, Language language) {
    const Folder folder;
    write_text(folder / "kernel", code.text);
    Command command = {"glslc",
                       "-x",
                       std::string(language_name(language)),
                       "--target-env=vulkan1.1",
                       "-Werror",
                       "-fshader-stage=compute"};
    const CodePass& of = code.passes[pass];
    if (!of.definition.empty()) command.push_back("-D" + of.definition);
    // The pipelines here have the entry point `main`.
    if (language == Language::hlsl && of.entry != "main") command.push_back("-D" + of.entry + "=main");
    const Ended ended = run(command + Command{"-o", folder / "kernel.spv", folder / "kernel"});
    INFO(ended.err.substr(0, 2000));
    REQUIRE(ended.code == 0);
    const std::string bytes = read_text(folder / "kernel.spv");
    std::vector<uint32_t> spirv(bytes.size() / sizeof(uint32_t));
    std::memcpy(spirv.data(), bytes.data(), bytes.size());
    return spirv;
}

void dispatch(Context& context, const std::vector<uint32_t>& spirv, const ComputePassInputs& inputs) {
    const ComputePass pass = create_compute_pass(context, spirv, inputs);
    vulkan::run_commands(context.device, context.commands, [&](VkCommandBuffer commands) {
        record(commands, pass);
        vulkan::full_barrier(commands);
    });
}

/// What the function in the comment gives is what the program says.
void check_groups(const Case& of, const MethodCode& code) {
    const std::shared_ptr<void> library = built({"cc", "-std=c11", "-Wall", "-Wextra", "-Werror"},
                                                "#include <stdint.h>\n" + host_code(code.text), "host.c");
    for (uint32_t pass = 0; pass < code.passes.size(); pass++) {
        std::array<uint32_t, 3> groups = {};
        if (code.passes.size() > 1)
            function_in<void(uint32_t, uint32_t, uint32_t, uint32_t*)>(library, "tilewise_groups")(
                pass + 1, of.size.width, of.size.height, groups.data());
        else
            function_in<void(uint32_t, uint32_t, uint32_t*)>(library, "tilewise_groups")(of.size.width, of.size.height,
                                                                                         groups.data());
        CHECK(groups == code.passes[pass].groups);
    }
}

Texels made_on_vulkan(KernelBench& bench, const Case& of, const MethodCode& code, Language language) {
    Texture source;
    TextureOptions options;
    options.packed = of.format == Format::rgba8;
    create_texture(bench.context, of.format, of.size, options, source);
    upload(bench.context, source, source_of(of));
    std::vector<Texture> written(code.passes.size());
    for (size_t i = 0; i < code.passes.size(); i++) {
        const CodePass& pass = code.passes[i];
        create_texture(bench.context, format_named(pass.writes), of.size, {}, written[i]);
        clear(bench.context, written[i], {});
        const Texture& from = i == 0 ? source : written[i - 1];
        ComputePassInputs inputs;
        inputs.images = {written[i].view.handle};
        inputs.textures = {is_of_words(code.text) ? from.packed.handle : from.view.handle};
        inputs.push = push_of(of, code.text);
        inputs.groups = pass.groups;
        dispatch(bench.context, compiled_by_glslc(code, i, language), inputs);
    }
    return download(bench.context, written.back());
}

/// A user's filter has no reference: it is what its own language gives.
std::vector<float> expected_of(const Case& of) {
    if (std::string(of.kernel) == "mine") {
        KernelBench bench;
        return channels_of(made_on_vulkan(bench, of, code_of(of, Language::glsl), Language::glsl));
    }
    const Texels source = source_of(of);
    if (std::string(of.kernel) == "box") return box_reference(source, of.radius);
    const auto reference = std::string(of.kernel) == "gaussian" ? gaussian_reference : bilateral_reference;
    return reference(source, of.radius, Taps::single, of.sigma);
}

void check(const Case& of, const MethodCode& code, const Texels& got) {
    const uint32_t side = 2 * of.radius + 1;
    const uint32_t additions = std::string(of.kernel) == "box" ? side * side + 400 : 4 * side + 128;
    INFO(code.method);
    CHECK(first_difference(got, expected_of(of), additions, of.slack) == "");
}

void prove_on_vulkan(Language language) {
    KernelBench bench;
    for (const Case& of : drawn_cases(language)) {
        if (language == Language::glsl && std::string(of.kernel) == "mine") continue;
        CAPTURE(of.name);
        const MethodCode code = code_of(of, language);
        check_groups(of, code);
        check(of, code, made_on_vulkan(bench, of, code, language));
    }
}

}  // namespace

TEST_CASE("the code of every family in GLSL gives what the reference gives") { prove_on_vulkan(Language::glsl); }

TEST_CASE("the code of every family in HLSL gives what the reference gives") { prove_on_vulkan(Language::hlsl); }

namespace {

const char* wgsl_format(const std::string& name) {
    return name == "R8G8B8A8_UNORM" ? "rgba8unorm" : name == "R16G16B16A16_SFLOAT" ? "rgba16float" : "rgba32float";
}

nlohmann::json wgsl_texture(const std::string& format, Size size) {
    return {{"format", wgsl_format(format)},
            {"bytes", traits_of(format_named(format)).bytes},
            {"width", size.width},
            {"height", size.height}};
}

uint32_t row_words(const std::string& format, Size size) {
    return static_cast<uint32_t>(round_up(size.width * traits_of(format_named(format)).bytes, 256U) / 4);
}

}  // namespace

TEST_CASE("the code of every family in WGSL gives what the reference gives") {
    if (!has_wgsl_runtime()) return;
    nlohmann::json jobs = nlohmann::json::array();
    std::string in;
    std::vector<MethodCode> codes;
    for (const Case& of : drawn_cases(Language::wgsl)) {
        const MethodCode& code = codes.emplace_back(code_of(of, Language::wgsl));
        const Texels source = source_of(of);
        in.append(reinterpret_cast<const char*>(source.bytes.data()), source.bytes.size());
        nlohmann::json textures = {{"source", wgsl_texture(traits_of(of.format).name, of.size)}};
        nlohmann::json passes = nlohmann::json::array();
        for (size_t i = 0; i < code.passes.size(); i++) {
            const std::string to = fmt::format("written{}", i),
                              from = i == 0 ? "source" : fmt::format("written{}", i - 1);
            textures[to] = wgsl_texture(code.passes[i].writes, of.size);
            passes.push_back({{"entry", code.passes[i].entry},
                              {"bindings", {to, from, {{"uniform", push_of(of, code.text)}}}},
                              {"groups", code.passes[i].groups}});
        }
        const std::string& last = code.passes.back().writes;
        jobs.push_back({{"code", code.text},
                        {"calls",
                         {{{"passes", passes},
                           {"textures", textures},
                           {"buffers", nlohmann::json::object()},
                           {"source", "source"},
                           {"result", fmt::format("written{}", code.passes.size() - 1)},
                           {"in", source.bytes.size() / 4},
                           {"out", row_words(last, of.size) * of.size.height}}}}});
    }
    const WgslAnswer answer = run_wgsl(jobs, in);
    const auto* word = reinterpret_cast<const uint32_t*>(answer.out.data());
    const std::vector<Case> all = drawn_cases(Language::wgsl);
    for (size_t i = 0; i < all.size(); i++) {
        const Case& of = all[i];
        CAPTURE(of.name);
        CHECK(answer.errors[i] == nullptr);
        const std::string& format = codes[i].passes.back().writes;
        Texels got = {format_named(format), of.size, {}};
        for (uint32_t y = 0; y < of.size.height; y++, word += row_words(format, of.size)) {
            const std::span row(reinterpret_cast<const std::byte*>(word),
                                size_t{of.size.width} * traits_of(got.format).bytes);
            got.bytes.insert(got.bytes.end(), row.begin(), row.end());
        }
        check(of, codes[i], got);
    }
}

namespace {

std::string replaced_all(std::string text, std::string_view from, std::string_view to) {
    for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

/// The function pass_CASE_PASS(to, source, push, groups) that runs all workgroups of a pass. `to`: what they write.
std::string runner(size_t number, size_t pass, const std::string& before, const std::string& call, uint32_t invocations,
                   const char* to = "StandInImage* result") {
    return fmt::format(
        "extern \"C\" void pass_{}_{}([[maybe_unused]] {}, [[maybe_unused]] StandInImage* source,\n"
        "                             const int* words, const unsigned* groups) {{\n"
        "    [[maybe_unused]] const auto* push_words = words;\n"
        "    for (unsigned z = 0; z < groups[2]; z++)\n        for (unsigned y = 0; y < groups[1]; y++)\n"
        "            for (unsigned x = 0; x < groups[0]; x++)\n"
        "                Fibers::run({}, [&]([[maybe_unused]] unsigned index) {{ {} }},\n"
        "                            [&]([[maybe_unused]] unsigned index) {{ {} }});\n}}\n",
        number, pass, to, invocations, call, before);
}

/// A kernel's parameters by what their attributes, or names, say.
std::string msl_call(const std::string& code, const std::string& space, const std::string& entry) {
    const std::string list = between(code, "kernel void " + entry + "(", ") {\n");
    std::string arguments;
    for (const std::string& parameter : split(list, '\n')) {
        const auto has = [&](const char* attribute) { return parameter.find(attribute) != std::string::npos; };
        std::string argument = has("[[texture(0)]]")                     ? "{result}"
                               : has("[[texture(1)]]")                   ? "{source}"
                               : has("[[thread_index_in_threadgroup]]")  ? "index"
                               : has("[[threadgroup_position_in_grid]]") ? "metal::uint3(x, y, z)"
                                                                         : "";
        if (has("[[buffer(")) argument = fmt::format("*reinterpret_cast<const {}::Push*>(push_words)", space);
        REQUIRE(argument != "");
        arguments += (arguments.empty() ? "" : ", ") + argument;
    }
    return fmt::format("{}::{}({});", space, entry, arguments);
}

StandInImage stand_in(const Texels& texels) {
    StandInImage image;
    image.width = texels.size.width;
    image.height = texels.size.height;
    image.channels = channels_of(texels);
    image.bytes.resize(texels.bytes.size());
    std::memcpy(image.bytes.data(), texels.bytes.data(), texels.bytes.size());
    image.writes.resize(count(texels.size));
    return image;
}

std::shared_ptr<void> built_as_cpp(const std::string& text) {
    return built({"g++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-attributes", "-Wno-unknown-pragmas",
                  "-Wno-unused-parameter", "-I", source_dir() + "/tests/prove/stand_in"},
                 text, "methods.cpp");
}

/// `writes_floats`: whatever the format is.
void prove_as_cpp(const std::vector<Case>& all, const std::vector<MethodCode>& codes, const std::string& text,
                  bool writes_floats) {
    const auto library = built_as_cpp(text);
    for (size_t i = 0; i < all.size(); i++) {
        const Case& of = all[i];
        CAPTURE(of.name);
        Texels from = source_of(of);
        for (size_t k = 0; k < codes[i].passes.size(); k++) {
            const CodePass& pass = codes[i].passes[k];
            StandInImage source = stand_in(from), result = stand_in(from);
            result.bytes.clear();
            std::ranges::fill(result.writes, 0u);
            const std::vector<uint32_t> push = push_of(of, codes[i].text);
            function_in<void(StandInImage*, StandInImage*, const uint32_t*, const uint32_t*)>(
                library, fmt::format("pass_{}_{}", i, k))(&result, &source, push.data(), pass.groups.data());
            from = {writes_floats ? Format::rgba32f : format_named(pass.writes), of.size, {}};
            from.bytes.resize(result.bytes.size());
            std::memcpy(from.bytes.data(), result.bytes.data(), result.bytes.size());
            CHECK(std::ranges::count(result.writes, 1u) == static_cast<std::ptrdiff_t>(result.writes.size()));
        }
        check(of, codes[i], from);
    }
}

}  // namespace

namespace {

/// CUDA's code of a case as C++: the function pass_CASE_PASS of each pass.
std::string cuda_as_cpp(size_t number, const MethodCode& code) {
    const std::string space = fmt::format("n{}::{}", number, between(code.text, "namespace ", " {\n"));
    std::string text = fmt::format("namespace n{} {{\n{}}}\n", number, code.text);
    for (size_t k = 0; k < code.passes.size(); k++)
        text += runner(number, k, "blockIdx = {x, y, z}, threadIdx = {index, 0, 0};",
                       fmt::format("{0}::Push push; std::memcpy(&push, push_words, sizeof push); "
                                   "{0}::{1}(result, source, push);",
                                   space, code.passes[k].entry),
                       code.passes[k].invocations);
    return text;
}

/// The centre of a filter that needs it first is in the text twice, once as such and once among the taps, and compilers
/// fetch it once. So many texels for each result, by the numbers in the text.
double fetched_twice(const Case& of, const MethodCode& code) {
    if (std::string(of.kernel) != "bilateral") return 0;
    if (code.method == "direct") return 2;
    const double width = std::stod(between(code.text, "WIDTH ", ","));
    return (width + 2 * of.radius) / width;
}

}  // namespace

TEST_CASE("the code of every family in CUDA, run as C++, gives what the reference gives, and writes each texel once") {
    std::string text =
        "#include \"cuda.h\"\n#include \"cuda_fp16.h\"\n#include \"fibers.h\"\n"
        "inline void __syncthreads() { Fibers::barrier(); }\n";
    const std::vector<Case> all = drawn_cases(Language::cuda);
    std::vector<MethodCode> codes;
    for (size_t i = 0; i < all.size(); i++) {
        codes.push_back(code_of(all[i], Language::cuda));
        text += cuda_as_cpp(i, codes.back());
    }
    prove_as_cpp(all, codes, text, false);
}

TEST_CASE("the texels that a method is said to fetch, and its barriers, are those of its code when it runs") {
    const std::string fused = "fused, 8 rows, 1 strips, 8 results, 32 bit";
    const std::string small = "fused, 4 rows, 4 strips, 4 results, 32 bit";
    const std::string shared = "shared, 2 lines, 4 results, 32 bit";
    const Remap row = row_order({16, 8, 1, 1});
    // Whole workgroups: 480 rows are whole strips of each height.
    const std::vector<Case> all = {
        {"box, direct", "box", "direct", Format::rgba16f, {64, 32}, 2, 0, row},
        {"box of bytes", "box", "running sums", Format::rgba8, {}, 2},
        {"box of halves", "box", "running sums", Format::rgba16f, {}, 3},
        {"box of halves, fetched again", "box", "running sums", Format::rgba16f, {}, 12},
        {"box of floats", "box", "running sums", Format::rgba32f, {}, 8},
        {"gaussian, direct", "gaussian", "direct", Format::rgba8, {64, 32}, 3, 0, row},
        {"bilateral, direct", "bilateral", "direct", Format::rgba8, {64, 32}, 3, 0, row},
        {"gaussian, shared", "gaussian", shared.c_str(), Format::rgba8, {512, 256}, 4},
        {"gaussian, fused", "gaussian", fused.c_str(), Format::rgba16f, {}, 5},
        {"bilateral, small pieces", "bilateral", small.c_str(), Format::rgba32f, {}, 1},
    };
    std::string text =
        "#include \"cuda.h\"\n#include \"cuda_fp16.h\"\n#include \"fibers.h\"\n"
        "inline unsigned long waits = 0;\n"
        "inline void __syncthreads() { waits++; Fibers::barrier(); }\n"
        "extern \"C\" unsigned long taken_waits() { const unsigned long all = waits; waits = 0; return all; }\n";
    std::vector<Case> sized;
    std::vector<MethodCode> codes;
    for (Case of : all) {
        if (of.size.width == 0) {
            of.size = {4096, 480};
            const Size box = code_of(of, Language::cuda).work.box;
            of.size.width = 2 * box.width;
        }
        const MethodCode& code = codes.emplace_back(code_of(of, Language::cuda));
        REQUIRE(of.size.width % code.work.box.width == 0);
        REQUIRE(of.size.height % code.work.box.height == 0);
        text += cuda_as_cpp(sized.size(), code);
        sized.push_back(of);
    }
    const auto library = built_as_cpp(text);
    const auto taken_waits = function_in<unsigned long()>(library, "taken_waits");
    for (size_t i = 0; i < sized.size(); i++) {
        const Case& of = sized[i];
        const MethodCode& code = codes[i];
        CAPTURE(of.name);
        Texels from = source_of(of);
        double reads = 0, waits = 0;
        for (size_t k = 0; k < code.passes.size(); k++) {
            const CodePass& pass = code.passes[k];
            StandInImage source = stand_in(from), result = stand_in(from);
            result.bytes.clear();
            const std::vector<uint32_t> push = push_of(of, code.text);
            function_in<void(StandInImage*, StandInImage*, const uint32_t*, const uint32_t*)>(
                library, fmt::format("pass_{}_{}", i, k))(&result, &source, push.data(), pass.groups.data());
            reads += static_cast<double>(source.reads);
            const double invocations = double{1} * pass.groups[0] * pass.groups[1] * pass.groups[2] * pass.invocations;
            waits += static_cast<double>(taken_waits()) / invocations;
            from = {format_named(pass.writes), of.size, {}};
            from.bytes.resize(result.bytes.size());
            std::memcpy(from.bytes.data(), result.bytes.data(), result.bytes.size());
        }
        CHECK(reads / static_cast<double>(count(of.size)) ==
              doctest::Approx(code.work.fetches + fetched_twice(of, code)));
        CHECK(waits == doctest::Approx(code.work.barriers));
    }
}

TEST_CASE(
    "the code of every family in Metal's language, run as C++, gives what the reference gives, and writes each texel "
    "once") {
    std::string text = "#include <metal_stdlib>\n";
    const std::vector<Case> all = drawn_cases(Language::msl);
    std::vector<MethodCode> codes;
    for (size_t i = 0; i < all.size(); i++) {
        const MethodCode& code = codes.emplace_back(code_of(all[i], Language::msl));
        // What a workgroup shares is there once.
        text +=
            fmt::format("namespace n{} {{\n{}}}\n", i, replaced_all(code.text, "\n    threadgroup ", "\n    static "));
        for (size_t k = 0; k < code.passes.size(); k++)
            text += runner(i, k, "", msl_call(code.text, fmt::format("n{}", i), code.passes[k].entry),
                           code.passes[k].invocations);
    }
    prove_as_cpp(all, codes, text, true);
}

// What gives numbers in buffers.

namespace {

constexpr Size measured_size = {203, 141};
const Case average_case = {"average", "average", average_subgroups_name, Format::rgba8, measured_size, 0};
const Case brightest_case = {"brightest", "brightest", brightest_subgroups_name, Format::rgba8, measured_size, 0};

std::vector<std::vector<uint32_t>> average_push(const MethodCode& code) {
    const auto [width, height] = measured_size;
    const std::array<uint32_t, 3> groups = code.passes[0].groups;
    const float one_over_count = 1.0f / static_cast<float>(count(measured_size));
    return {{width, height, std::bit_cast<uint32_t>(1.0f), groups[0]},
            {width, height, std::bit_cast<uint32_t>(one_over_count), groups[0] * groups[1]}};
}

std::vector<uint32_t> brightest_push() {
    return {measured_size.width, measured_size.height, std::bit_cast<uint32_t>(brightest_threshold(Format::rgba8))};
}

void check_mean(std::span<const std::byte> bytes) {
    std::array<float, 4> got = {};
    REQUIRE(bytes.size() >= sizeof got);
    std::memcpy(got.data(), bytes.data(), sizeof got);
    const std::array<double, 4> expected = mean_of(source_of(average_case));
    for (size_t i = 0; i < 4; i++) CHECK(static_cast<double>(got[i]) == doctest::Approx(expected[i]).epsilon(1e-5));
}

constexpr size_t max_points = size_t{26} * 18;

/// Those of the list, which was zero: a point's luminance is above the threshold.
void check_points(std::span<const std::byte> bytes) {
    std::vector<BrightPoint> points(max_points);
    REQUIRE(bytes.size() >= max_points * sizeof(BrightPoint));
    std::memcpy(points.data(), bytes.data(), max_points * sizeof(BrightPoint));
    std::erase_if(points, [](const BrightPoint& point) { return point.luminance == 0; });
    CHECK(wrong_points(source_of(brightest_case), brightest_threshold(Format::rgba8), points) == "");
}

}  // namespace

TEST_CASE("the mean and the brightest texels in HLSL are right") {
    KernelBench bench;
    Context& context = bench.context;
    Texture source;
    create_texture(context, Format::rgba8, measured_size, {}, source);
    upload(context, source, source_of(average_case));

    const MethodCode average = code_of(average_case, Language::hlsl);
    CHECK(average.departures.find("hlsl cannot express") != std::string::npos);
    const std::array<uint32_t, 3> groups = average.passes[0].groups;
    const DeviceBuffer mean = create_device_buffer(context, 32),
                       sums = create_device_buffer(context, VkDeviceSize{16} * groups[0] * groups[1]);
    for (size_t pass = 0; pass < 2; pass++) {
        ComputePassInputs inputs;
        inputs.buffers =
            pass == 0 ? std::vector{sums.handle.handle} : std::vector{mean.handle.handle, sums.handle.handle};
        if (pass == 0) inputs.textures = {source.view.handle};
        inputs.push = average_push(average)[pass];
        inputs.groups = average.passes[pass].groups;
        dispatch(context, compiled_by_glslc(average, pass, Language::hlsl), inputs);
    }
    check_mean(download(context, mean, 16));

    const MethodCode brightest = code_of(brightest_case, Language::hlsl);
    const VkDeviceSize bytes = max_points * sizeof(BrightPoint);
    const DeviceBuffer counters = create_device_buffer(context, 512), points = create_device_buffer(context, bytes);
    fill(context, counters, 512, 0);
    fill(context, points, bytes, 0);
    ComputePassInputs inputs;
    inputs.buffers = {counters.handle.handle, points.handle.handle};
    inputs.textures = {source.view.handle};
    inputs.push = brightest_push();
    inputs.groups = brightest.passes[0].groups;
    dispatch(context, compiled_by_glslc(brightest, 0, Language::hlsl), inputs);
    check_points(download(context, points, bytes));
}

TEST_CASE("the mean and the brightest texels in WGSL are right") {
    if (!has_wgsl_runtime()) return;
    const Texels source = source_of(average_case);
    const std::string in(reinterpret_cast<const char*>(source.bytes.data()), source.bytes.size());
    const MethodCode average = code_of(average_case, Language::wgsl),
                     brightest = code_of(brightest_case, Language::wgsl);
    const std::array<uint32_t, 3> groups = average.passes[0].groups;
    const auto push = average_push(average);
    const nlohmann::json textures = {{"source", wgsl_texture("R8G8B8A8_UNORM", measured_size)}};
    const size_t list_words = max_points * sizeof(BrightPoint) / 4;
    const nlohmann::json jobs = {
        {{"code", average.text},
         {"calls",
          {{{"passes",
             {{{"entry", "pass1"}, {"bindings", {"sums", "source", {{"uniform", push[0]}}}}, {"groups", groups}},
              {{"entry", "pass2"},
               {"bindings", {"mean", "sums", {{"uniform", push[1]}}}},
               {"groups", average.passes[1].groups}}}},
            {"textures", textures},
            {"buffers", {{"sums", groups[0] * groups[1] * 4}, {"mean", 4}}},
            {"source", "source"},
            {"result", "mean"},
            {"in", in.size() / 4},
            {"out", 4}}}}},
        {{"code", brightest.text},
         {"calls",
          {{{"passes",
             {{{"entry", "main"},
               {"bindings", {"counters", "list", "source", {{"uniform", brightest_push()}}}},
               {"groups", brightest.passes[0].groups}}}},
            {"textures", textures},
            {"buffers", {{"counters", 128}, {"list", list_words}}},
            {"source", "source"},
            {"result", "list"},
            {"in", in.size() / 4},
            {"out", list_words}}}}}};
    const WgslAnswer answer = run_wgsl(jobs, in + in);
    for (const nlohmann::json& error : answer.errors) CHECK(error == nullptr);
    const std::span all(reinterpret_cast<const std::byte*>(answer.out.data()), answer.out.size());
    check_mean(all);
    check_points(all.subspan(16));
}

namespace {

const char* cpp_prologue(Language language) {
    return language == Language::cuda ? "#include \"cuda.h\"\n#include \"cuda_fp16.h\"\n#include \"fibers.h\"\n"
                                        "inline void __syncthreads() { Fibers::barrier(); }\n"
                                      : "#include <metal_stdlib>\n";
}

/// A call of a kernel that writes buffers. These are in Metal's order, or else in that of the parameters.
std::string buffers_call(Language language, const std::string& text, const std::string& space,
                         const std::string& entry) {
    const std::string head = language == Language::cuda ? "\n" : "kernel void ";
    std::string arguments;
    size_t buffer = 0;
    for (const std::string& parameter : split(between(text, head + entry + "(", ") {\n"), '\n')) {
        const auto has = [&](const char* words) { return parameter.find(words) != std::string::npos; };
        std::string argument = has("cudaTextureObject_t")                ? "source"
                               : has("[[texture(0)]]")                   ? "{source}"
                               : has("[[thread_index_in_threadgroup]]")  ? "index"
                               : has("[[threadgroup_position_in_grid]]") ? "metal::uint3(x, y, z)"
                               : has("Push")                             ? "*reinterpret_cast<const Push*>(push_words)"
                                                                         : "";
        if (argument.empty()) {
            const size_t mark = parameter.find_first_of("*&");
            REQUIRE(mark != parameter.npos);
            const std::string number =
                has("[[buffer(") ? between(parameter, "[[buffer(", ")") : std::to_string(buffer++);
            const std::string type = replaced_all(parameter.substr(0, mark), "device ", "");
            argument =
                fmt::format("{}reinterpret_cast<{}*>(buffers[{}])", parameter[mark] == '&' ? "*" : "", type, number);
        }
        arguments += (arguments.empty() ? "" : ", ") + argument;
    }
    return fmt::format("using namespace {}; {}({});", space, entry, arguments);
}

/// The code as C++: the function pass_NUMBER_PASS(buffers, source, push, groups) of each pass.
std::string buffers_as_cpp(Language language, size_t number, const MethodCode& code) {
    const bool is_cuda = language == Language::cuda;
    // What a workgroup shares is there once.
    const std::string text = is_cuda ? code.text : replaced_all(code.text, "\n    threadgroup ", "\n    static "),
                      outer = fmt::format("n{}", number),
                      space = is_cuda ? outer + "::" + between(text, "namespace ", " {\n") : outer;
    std::string all = fmt::format("namespace {} {{\n{}}}\n", outer, text);
    for (size_t k = 0; k < code.passes.size(); k++)
        all += runner(number, k, is_cuda ? "blockIdx = {x, y, z}, threadIdx = {index, 0, 0};" : "",
                      buffers_call(language, text, space, code.passes[k].entry), code.passes[k].invocations,
                      "void* const* buffers");
    return all;
}

/// Runs that function.
void run_on_buffers(const std::shared_ptr<void>& library, size_t number, const MethodCode& code, size_t pass,
                    const std::vector<void*>& buffers, StandInImage& source, std::span<const uint32_t> push) {
    function_in<void(void* const*, StandInImage*, const uint32_t*, const uint32_t*)>(
        library, fmt::format("pass_{}_{}", number, pass))(buffers.data(), &source, push.data(),
                                                          code.passes[pass].groups.data());
}

void prove_numbers_as_cpp(Language language) {
    const MethodCode average = code_of(average_case, language), brightest = code_of(brightest_case, language);
    const auto library = built_as_cpp(cpp_prologue(language) + buffers_as_cpp(language, 0, average) +
                                      buffers_as_cpp(language, 1, brightest));
    const std::array<uint32_t, 3> groups = average.passes[0].groups;
    std::vector<float> sums(size_t{4} * groups[0] * groups[1]), mean(4);
    const auto push = average_push(average);
    StandInImage source = stand_in(source_of(average_case));
    run_on_buffers(library, 0, average, 0, {sums.data()}, source, push[0]);
    run_on_buffers(library, 0, average, 1, {mean.data(), sums.data()}, source, push[1]);
    check_mean(std::as_bytes(std::span(mean)));
    std::vector<uint32_t> counters(128), list(max_points * sizeof(BrightPoint) / 4);
    run_on_buffers(library, 1, brightest, 0, {counters.data(), list.data()}, source, brightest_push());
    check_points(std::as_bytes(std::span(list)));
}

}  // namespace

TEST_CASE("the mean and the brightest texels in CUDA, run as C++, are right") { prove_numbers_as_cpp(Language::cuda); }

TEST_CASE("the mean and the brightest texels in Metal's language, run as C++, are right") {
    prove_numbers_as_cpp(Language::msl);
}

// A histogram: what one dispatch leaves in buffers, the next one reads.

namespace {

std::vector<Case> histogram_cases(Language language) {
    const char* method = language == Language::glsl ? histogram_two_name : histogram_one_name;
    // Of two columns: these give more steps over the image than there are workgroups, with fewer texels than others.
    const Remap columns = row_order({2, 128, 1, 1});
    std::vector<Case> all = {
        {"bytes, in several steps a workgroup", "histogram", method, Format::rgba8, {1101, 1025}, 0, 0, columns},
        {"halves", "histogram", method, Format::rgba16f, measured_size, 0, 0, morton_order({8, 8, 1, 1})},
        {"floats", "histogram", method, Format::rgba32f, measured_size, 0}};
    if (soaking()) {
        all.push_back({"bytes", "histogram", method, Format::rgba8, measured_size, 0});
        all.push_back({"a texel", "histogram", method, Format::rgba16f, {1, 1}, 0});
    }
    return all;
}
constexpr size_t histogram_words = sizeof(Histogram) / sizeof(uint32_t), bins_words = size_t{8} * histogram_bins;

/// Its last quarter is black, which counts in no average of floats.
Texels histogram_source(const Case& of) {
    Texels texels = random_texels(of.format, of.size, 23);
    std::fill(texels.bytes.end() - static_cast<std::ptrdiff_t>(texels.bytes.size() / 4), texels.bytes.end(),
              std::byte{0});
    return texels;
}

/// By the comment's function, which must give the workgroups that the program says.
std::vector<uint32_t> histogram_push(const Case& of, const MethodCode& code) {
    REQUIRE(code.method == histogram_two_name);
    REQUIRE(code.passes.size() == 2);
    const std::shared_ptr<void> library = built({"cc", "-std=c11", "-Wall", "-Wextra", "-Werror"},
                                                "#include <stdint.h>\n" + host_code(code.text), "host.c");
    std::vector<uint32_t> push(6);
    for (uint32_t pass = 0; pass < 2; pass++) {
        std::array<uint32_t, 3> groups = {};
        function_in<void(uint32_t, uint32_t, uint32_t, uint32_t*, uint32_t*)>(library, "tilewise_groups")(
            pass + 1, of.size.width, of.size.height, groups.data(), push.data());
        CHECK(groups == code.passes[pass].groups);
    }
    return push;
}

void check_histogram(const Case& of, const void* got) {
    Histogram histogram;
    std::memcpy(&histogram, got, sizeof histogram);
    CHECK(wrong_histogram(histogram_source(of), histogram) == "");
}

void prove_histogram_on_vulkan(Language language) {
    KernelBench bench;
    Context& context = bench.context;
    for (const Case& of : histogram_cases(language)) {
        CAPTURE(of.name);
        const MethodCode code = code_of(of, language);
        Texture source;
        create_texture(context, of.format, of.size, {}, source);
        upload(context, source, histogram_source(of));
        const DeviceBuffer bins = create_device_buffer(context, bins_words * sizeof(uint32_t)),
                           result = create_device_buffer(context, sizeof(Histogram));
        fill(context, bins, bins_words * sizeof(uint32_t), 0);
        ComputePassInputs inputs;
        inputs.buffers = {bins.handle.handle, result.handle.handle};
        inputs.push = histogram_push(of, code);
        const std::array spirv = {compiled_by_glslc(code, 0, language), compiled_by_glslc(code, 1, language)};
        for (int run = 0; run < 2; run++) {
            fill(context, result, sizeof(Histogram), ~0u);
            for (size_t pass = 0; pass < 2; pass++) {
                inputs.textures.assign(pass == 0 ? 1 : 0, source.view.handle);
                inputs.groups = code.passes[pass].groups;
                dispatch(context, spirv[pass], inputs);
            }
            check_histogram(of, download(context, result, sizeof(Histogram)).data());
        }
    }
}

void prove_histogram_as_cpp(Language language) {
    const std::vector<Case> all = histogram_cases(language);
    std::string text = cpp_prologue(language);
    std::vector<MethodCode> codes;
    for (size_t i = 0; i < all.size(); i++)
        text += buffers_as_cpp(language, i, codes.emplace_back(code_of(all[i], language)));
    const auto library = built_as_cpp(text);
    for (size_t i = 0; i < all.size(); i++) {
        CAPTURE(all[i].name);
        const std::vector<uint32_t> push = histogram_push(all[i], codes[i]);
        CHECK((push[2] * push[3] > codes[i].passes[0].groups[0]) == (i == 0));
        StandInImage source = stand_in(histogram_source(all[i]));
        std::vector<uint32_t> bins(bins_words);
        for (unsigned long run = 1; run <= 2; run++) {
            std::vector<uint32_t> result(histogram_words, ~0u);
            for (size_t pass = 0; pass < 2; pass++)
                run_on_buffers(library, i, codes[i], pass, {bins.data(), result.data()}, source, push);
            check_histogram(all[i], result.data());
            CHECK(source.reads == run * count(all[i].size));
        }
    }
}

}  // namespace

TEST_CASE("a histogram in two dispatches in GLSL is right, twice in a row") {
    prove_histogram_on_vulkan(Language::glsl);
}

TEST_CASE("a histogram in HLSL is right, twice in a row") { prove_histogram_on_vulkan(Language::hlsl); }

TEST_CASE("a histogram in WGSL is right, twice in a row") {
    if (!has_wgsl_runtime()) return;
    const std::vector<Case> all = histogram_cases(Language::wgsl);
    nlohmann::json jobs = nlohmann::json::array();
    std::string in;
    for (const Case& of : all) {
        const MethodCode code = code_of(of, Language::wgsl);
        const Texels source = histogram_source(of);
        in.append(reinterpret_cast<const char*>(source.bytes.data()), source.bytes.size());
        const nlohmann::json count_pass = {
            {"entry", "pass1"},
            {"bindings", {"bins", nullptr, "source", {{"uniform", histogram_push(of, code)}}}},
            {"groups", code.passes[0].groups}};
        const nlohmann::json exposure_pass = {
            {"entry", "pass2"}, {"bindings", {"bins", "result"}}, {"groups", code.passes[1].groups}};
        jobs.push_back({{"code", code.text},
                        {"calls",
                         {{{"passes", {count_pass, exposure_pass, count_pass, exposure_pass}},
                           {"textures", {{"source", wgsl_texture(traits_of(of.format).name, of.size)}}},
                           {"buffers", {{"bins", bins_words}, {"result", histogram_words}}},
                           {"source", "source"},
                           {"result", "result"},
                           {"in", source.bytes.size() / 4},
                           {"out", histogram_words}}}}});
    }
    const WgslAnswer answer = run_wgsl(jobs, in);
    REQUIRE(answer.out.size() == all.size() * sizeof(Histogram));
    for (size_t i = 0; i < all.size(); i++) {
        CAPTURE(all[i].name);
        CHECK(answer.errors[i] == nullptr);
        check_histogram(all[i], answer.out.data() + i * sizeof(Histogram));
    }
}

TEST_CASE("a histogram in CUDA, run as C++, is right, twice in a row, and reads each texel once") {
    prove_histogram_as_cpp(Language::cuda);
}

TEST_CASE("a histogram in Metal's language, run as C++, is right, twice in a row, and reads each texel once") {
    prove_histogram_as_cpp(Language::msl);
}

TEST_CASE("a workgroup that was timed is printed as far as the language promises as many invocations") {
    const Case of = {"", "histogram", histogram_one_name,       Format::rgba8, measured_size,
                     0,  0,           row_order({32, 32, 1, 1})};
    for (const Language language : all_languages) {
        CAPTURE(language_name(language));
        const MethodCode code = code_of(of, language);
        const bool has_room = language != Language::wgsl && language != Language::msl;
        CHECK(code.passes[0].invocations == (has_room ? 1024 : 256));
        CHECK((code.departures.find("it is smaller here") == std::string::npos) == has_room);
    }
}

// What makes an image of another size.

namespace {

const Case level_case = {"a level", "mip-chain", mip_chain_level_name,      Format::rgba16f, {61, 43},
                         0,         0,           morton_order({8, 8, 1, 1})};
const Case bloom_case = {"a bloom", "bloom", "direct, fetches", Format::rgba16f, {61, 43}, 0, 0, rdna_order()};

/// A pass of one of them: from which size to which, and what it pushes.
struct SizedPass {
    size_t pass = 0;
    Size from, to;
    std::vector<uint32_t> push;
};
SizedPass level_pass() {
    const Size size = level_case.size;
    return {0, size, level_size(size, 1), {size.width, size.height}};
}
std::array<SizedPass, 2> bloom_passes() {
    const Size size = bloom_case.size, half = level_size(size, 1);
    return {{{0, size, half, {half.width, half.height, size.width, size.height}},
             {1, half, size, {size.width, size.height, half.width, half.height}}}};
}

/// `made` gives what a pass of the code makes of its source.
template <typename Made>
void prove_sized_passes(Language language, const Made& made) {
    const auto check_pass = [&](const Case& of, const SizedPass& pass, const auto& wrong) {
        CAPTURE(of.name);
        CAPTURE(pass.pass);
        const Texels source = random_texels(of.format, pass.from, 7);
        CHECK(wrong(source, made(code_of(of, language), pass, source)) == "");
    };
    check_pass(level_case, level_pass(),
               [](const Texels& from, const Texels& to) { return wrong_level(from, to, 1, 0); });
    for (const SizedPass& pass : bloom_passes())
        check_pass(bloom_case, pass, [&](const Texels& from, const Texels& to) {
            return wrong_bloom_step(from, to, pass.pass == 0 ? BloomStep::down : BloomStep::up);
        });
}

void prove_sized_passes_as_cpp(Language language) {
    prove_sized_passes(language, [&](const MethodCode& code, const SizedPass& pass, const Texels& from) {
        const CodePass& of = code.passes[pass.pass];
        const bool is_cuda = language == Language::cuda;
        std::string text;
        if (is_cuda) {
            const std::string space = "n0::" + between(code.text, "namespace ", " {\n");
            text =
                "#include \"cuda.h\"\n#include \"cuda_fp16.h\"\n#include \"fibers.h\"\n"
                "inline void __syncthreads() { Fibers::barrier(); }\nnamespace n0 {\n" +
                code.text + "}\n" +
                runner(0, pass.pass, "blockIdx = {x, y, z}, threadIdx = {index, 0, 0};",
                       fmt::format("{0}::Push push; std::memcpy(&push, push_words, sizeof push); "
                                   "{0}::{1}(result, source, push);",
                                   space, of.entry),
                       of.invocations);
        } else {
            text = "#include <metal_stdlib>\nnamespace n0 {\n" +
                   replaced_all(code.text, "\n    threadgroup ", "\n    static ") + "}\n" +
                   runner(0, pass.pass, "", msl_call(code.text, "n0", of.entry), of.invocations);
        }
        StandInImage source = stand_in(from), result = stand_in(random_texels(from.format, pass.to, 1));
        result.bytes.clear();
        std::ranges::fill(result.writes, 0u);
        function_in<void(StandInImage*, StandInImage*, const uint32_t*, const uint32_t*)>(
            built_as_cpp(text), fmt::format("pass_0_{}", pass.pass))(&result, &source, pass.push.data(),
                                                                     of.groups.data());
        CHECK(std::ranges::count(result.writes, 1u) == static_cast<std::ptrdiff_t>(count(pass.to)));
        // The stand-in of Metal writes floats, whatever the format is.
        Texels made = {is_cuda ? from.format : Format::rgba32f, pass.to, std::vector<std::byte>(result.bytes.size())};
        std::memcpy(made.bytes.data(), result.bytes.data(), result.bytes.size());
        return made;
    });
}

}  // namespace

TEST_CASE("a level of a mip chain and the steps of a bloom in HLSL are right") {
    KernelBench bench;
    Context& context = bench.context;
    prove_sized_passes(Language::hlsl, [&](const MethodCode& code, const SizedPass& pass, const Texels& from) {
        Texture source, result;
        create_texture(context, from.format, from.size, {}, source);
        create_texture(context, from.format, pass.to, {}, result);
        upload(context, source, from);
        ComputePassInputs inputs;
        inputs.images = {result.view.handle};
        inputs.textures = {source.view.handle};
        inputs.push = pass.push;
        inputs.groups = code.passes[pass.pass].groups;
        dispatch(context, compiled_by_glslc(code, pass.pass, Language::hlsl), inputs);
        return download(context, result);
    });
}

TEST_CASE("a level of a mip chain and the steps of a bloom in CUDA, run as C++, are right, and write each texel once") {
    prove_sized_passes_as_cpp(Language::cuda);
}

TEST_CASE("a level of a mip chain and the steps of a bloom in Metal's language, run as C++, are right") {
    prove_sized_passes_as_cpp(Language::msl);
}

TEST_CASE("code is printed for every format that the language writes, and compiles") {
    // Of each number of channels and kind.
    for (const char* format : {"R8_UNORM", "R8G8_SNORM", "R16_SFLOAT", "R16G16_UNORM", "R16G16B16A16_SNORM",
                               "R32G32_SFLOAT", "B10G11R11_UFLOAT_PACK32", "A2B10G10R10_UNORM_PACK32"})
        for (const char* kernel : {"box", "gaussian"})
            for (const Language language : {Language::glsl, Language::hlsl}) {
                CAPTURE(format);
                Case of = cases().front();
                of.kernel = kernel;
                of.method = std::string(kernel) == "box" ? "running sums" : "direct";
                of.format = Format::rgba32f;
                CodeRequest request = request_of(of, language);
                request.format = format;
                const MethodCode code = method_code(request, "");
                for (size_t pass = 0; pass < code.passes.size(); pass++) compiled_by_glslc(code, pass, language);
                CHECK(code.passes.back().writes == format);
            }
}

TEST_CASE(
    "where the size of subgroups is known, brightest is the text that is timed there; else it does without them") {
    CodeRequest request;
    request.method.kernel = "brightest";
    request.method.method = brightest_subgroups_name;
    request.max_invocations = 256;
    request.subgroup_size = 8;
    const MethodCode known = method_code(request, "");
    CHECK(known.method == brightest_subgroups_name);
    CHECK(known.departures == "");
    // The workgroup that validate times on lavapipe, whose subgroups have 8 invocations.
    TimedMethod timed = request.method;
    timed.shape = {16, 512};
    timed.invocations = 256;
    timed.remap = row_order({16, 16, 1, 1});
    CHECK(known.text == method_code(timed, ""));
    request.subgroup_size = 0;
    const MethodCode unknown = method_code(request, "");
    CHECK(unknown.method == "groupshared, tree");
    CHECK(unknown.departures != "");
}
