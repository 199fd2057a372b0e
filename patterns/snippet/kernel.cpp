#include "patterns/snippet/kernel.h"
#include "patterns/model/error.h"
#include "patterns/snippet/comment.h"
#include "patterns/snippet/function.h"
#include "patterns/snippet/kernel_format.h"
#include "patterns/snippet/print.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace tilewise {

namespace {

void require_kernel(const SnippetRequest& request) {
    if (request.language >= Language::cpp)
        throw UsageError(
            fmt::format("no kernel in {}; there are glsl, hlsl, wgsl, msl and cuda", language_name(request.language)));
    const Coord& shape = request.remap.shape;
    if (shape[axis_z] > 1 || shape[axis_s] > 1)
        throw UsageError(fmt::format("a kernel needs a 2D image, and this pattern's workgroup is {}: give --kind remap",
                                     shape_text(shape)));
    if (element_count(shape) > max_kernel_invocations)
        throw UsageError(
            fmt::format("a workgroup of {} has {} invocations, more than the {} that shaders may have: give "
                        "--invocations or --shape",
                        shape_text(shape), element_count(shape), max_kernel_invocations));
    if (request.radius > max_kernel_radius)
        throw UsageError(fmt::format("a kernel has a radius of 0 to {}, not {}", max_kernel_radius, request.radius));
}

/// The differences between languages beyond the names of their types.
struct KernelWords {
    std::string before;    ///< text before the functions
    std::string head;      ///< images, size, and the start of the kernel
    const char* group;     ///< the workgroup's position
    const char* index;     ///< the invocation's index in it
    const char* position;  ///< the invocation's position in the grid; null: the language has no name for it
    std::string texel;     ///< reads the source's texel at `place`
    std::string store;     ///< stores `value`
    const char* unroll = "";
};

struct EmittedKernel {
    const SnippetRequest& request;
    const KernelFormat& format;
    const Coord& shape;
    bool remapped;  ///< by a function of the invocation's index
    bool grouped;   ///< workgroups lie elsewhere than their position in the grid

    Language language() const { return request.language; }
    uint64_t invocations() const { return element_count(shape); }
    /// Local size: a row of invocations for a remap, otherwise the box.
    Coord local_size() const { return remapped ? Coord{static_cast<uint32_t>(invocations()), 1, 1, 1} : shape; }
    /// The channels of a texel that the kernel keeps in variables.
    unsigned components() const { return language() == Language::cuda ? format.channels : 4; }
};

/// What limits fetches in nvcc's code for an H100 is how often it writes registers: it takes a fetch's x and y from a
/// pair of registers, one of which it copies each time, whereas Vulkan's compiler takes any two. Processing a few
/// columns at a time keeps their x; three, from the bottom row up, were the fastest of 2 to 17 in either direction:
/// docs/results/nvidia-h100-tried.md.
constexpr uint32_t columns_at_once = 3;
/// Up to this radius, plain loops are as fast or faster.
constexpr uint32_t max_radius_without_columns = 2;

bool has_column_loops(const EmittedKernel& kernel) {
    return kernel.language() == Language::cuda && kernel.request.radius > max_radius_without_columns;
}

KernelWords glsl_words(const EmittedKernel& kernel) {
    const auto [x, y, z, s] = kernel.local_size();
    return {.before = {},
            .head = fmt::format("layout(local_size_x = {}, local_size_y = {}) in;\n"
                                "layout(binding = 0, {}) writeonly uniform image2D result;\n"
                                "layout(binding = 1) uniform sampler2D source;\n"
                                "layout(push_constant) uniform Push {{ uvec2 size; }};\n\n"
                                "void main() {{\n",
                                x, y, kernel.format.glsl),
            .group = "gl_WorkGroupID",
            .index = "gl_LocalInvocationIndex",
            .position = "gl_GlobalInvocationID.xy",
            .texel = "texelFetch(source, place, 0)",
            .store = "imageStore(result, ivec2(at), value)",
            .unroll = "[[unroll]]"};
}

KernelWords hlsl_words(const EmittedKernel& kernel) {
    const auto [x, y, z, s] = kernel.local_size();
    const KernelFormat& format = kernel.format;
    constexpr const char* swizzles[] = {".x", ".xy", ".xyz", ""};
    return {.before = {},
            // Only dxc knows the attribute of formats; this definition identifies it.
            .head = fmt::format("#ifdef __spirv__\n[[vk::image_format(\"{}\")]]\n#endif\n"
                                "[[vk::binding(0)]] RWTexture2D<{}> result : register(u0);\n"
                                "[[vk::binding(1)]] Texture2D<float4> source : register(t0);\n"
                                "struct Push {{ uint2 size; }};\n"
                                "[[vk::push_constant]] ConstantBuffer<Push> push;\n\n"
                                "[numthreads({}, {}, 1)]\n"
                                "void main({}) {{\n"
                                "    uint2 size = push.size;\n",
                                format.glsl, hlsl_element(format), x, y,
                                kernel.remapped ? "uint3 group : SV_GroupID, uint index : SV_GroupIndex"
                                                : "uint3 id : SV_DispatchThreadID"),
            .group = "group",
            .index = "index",
            .position = "id.xy",
            .texel = "source.Load(int3(place, 0))",
            .store = fmt::format("result[at] = value{}", swizzles[format.channels - 1]),
            .unroll = "[unroll]"};
}

KernelWords wgsl_words(const EmittedKernel& kernel) {
    const auto [x, y, z, s] = kernel.local_size();
    return {.before = {},
            .head = fmt::format(
                "@group(0) @binding(0) var result: texture_storage_2d<{}, write>;\n"
                "@group(0) @binding(1) var source: texture_2d<f32>;\n\n"
                "@compute @workgroup_size({}, {})\n"
                "fn main({}) {{\n"
                "    let size = textureDimensions(result);\n",
                kernel.format.wgsl, x, y,
                kernel.remapped ? "@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32"
                                : "@builtin(global_invocation_id) id: vec3<u32>"),
            .group = "group",
            .index = "index",
            .position = "id.xy",
            .texel = "textureLoad(source, place, 0)",
            .store = "textureStore(result, at, value)"};
}

KernelWords msl_words(const EmittedKernel& kernel) {
    return {
        .before = {},
        .head = fmt::format("[[max_total_threads_per_threadgroup({})]]\n"
                            "kernel void tilewise_kernel(texture2d<float, access::write> result [[texture(0)]],\n"
                            "                            texture2d<float, access::read> source [[texture(1)]],\n"
                            "                            {}) {{\n"
                            "    uint2 size = uint2(result.get_width(), result.get_height());\n",
                            kernel.invocations(),
                            kernel.remapped ? "uint3 group [[threadgroup_position_in_grid]],\n"
                                              "                            uint index [[thread_index_in_threadgroup]]"
                                            : "uint2 id [[thread_position_in_grid]]"),
        .group = "group",
        .index = "index",
        .position = "id",
        .texel = "source.read(uint2(place))",
        .store = "result.write(value, at)"};
}

/// The function is tilewise_texel(source, x, y). Of CUDA's ways to read a texture, only PTX addresses a texel by
/// integers, and on an H100 it does so at twice the rate of tex2D (docs/results/nvidia-h100-tried.md); HIP has only
/// tex2D.
std::string cuda_texel_function(const KernelFormat& format) {
    const std::string type = type_name(Language::cuda, format.channels, Number::float32);
    constexpr const char* values[] = {"r", "make_float2(r, g)", "", "make_float4(r, g, b, a)"};
    return fmt::format(
        "__device__ inline {0} tilewise_texel(cudaTextureObject_t source, int x, int y) {{\n"
        "#ifdef __CUDA_ARCH__\n"
        "    float r, g, b, a;\n"
        "    asm(\"tex.2d.v4.f32.s32 {{%0, %1, %2, %3}}, [%4, {{%5, %6}}];\"\n"
        "        : \"=f\"(r), \"=f\"(g), \"=f\"(b), \"=f\"(a)\n"
        "        : \"l\"(source), \"r\"(x), \"r\"(y));\n"
        "    return {1};\n"
        "#else\n"
        "    return tex2D<{0}>(source, x + 0.5f, y + 0.5f);\n"
        "#endif\n"
        "}}\n\n",
        type, values[format.channels - 1]);
}

/// Joins a text for each component of a texel: for ".x", ".y", ..; for "" if it is a number.
template <typename Text>
std::vector<std::string> each_component(const EmittedKernel& kernel, const Text& text) {
    std::vector<std::string> all;
    for (unsigned i = 0; i < kernel.components(); i++)
        all.push_back(text(kernel.components() == 1 ? std::string() : fmt::format(".{}", "xyzw"[i])));
    return all;
}

/// The size of the grid: a number of workgroups, or an expression of the image's width and height.
std::array<std::string, 3> group_sides(const GroupOrder& order, const Coord& shape, const char* suffix) {
    std::array<std::string, 3> texts;
    const std::array<GridSide, 3> grid = dispatched_grid(order, shape);
    for (size_t i = 0; i < grid.size(); i++)
        texts[i] = grid[i].groups > 0
                       ? fmt::format("{}{}", grid[i].groups, suffix)
                       : fmt::format("({0} + {1}{3}) / {2}{3}", grid[i].axis == axis_x ? "width" : "height",
                                     grid[i].texels - 1, grid[i].texels, suffix);
    return texts;
}

/// The shape was timed with all threads of a multiprocessor at work; for these, nvcc would by default use too many
/// registers.
std::string cuda_bounds(uint64_t threads) {
    constexpr uint64_t threads_at_once = 2048, max_workgroups_at_once = 32;
    return fmt::format(
        "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 1100 && __CUDA_ARCH__ % 100 == 0\n"
        "__launch_bounds__({0}, {1})  // so few registers that all {2} threads of a multiprocessor are at work\n"
        "#else\n"
        "__launch_bounds__({0})\n"
        "#endif\n",
        threads, std::clamp<uint64_t>(threads_at_once / threads, 1, max_workgroups_at_once), threads_at_once);
}

KernelWords cuda_words(const EmittedKernel& kernel) {
    const KernelFormat& format = kernel.format;
    const bool converted = format.channel != Channel::single;
    std::string stored = "value";
    if (converted) {
        const auto channels = each_component(
            kernel, [](const std::string& component) { return fmt::format("tilewise_channel(value{})", component); });
        const std::string make =
            format.channels > 1 ? fmt::format("make_{}{}", cuda_channel(format.channel), format.channels) : "";
        const std::string below = ",\n" + std::string(sizeof("    surf2Dwrite(") + make.size(), ' ');
        stored = fmt::format(fmt::runtime(make.empty() ? "{1}" : "{0}({1})"), make, fmt::join(channels, below));
    }
    const auto sides = group_sides(kernel.request.group_order, kernel.shape, "u");
    return {
        .before = format.channel == Channel::half ? "#include <cuda_fp16.h>\n\n" : "",
        .head = cuda_channel_function(format) + cuda_texel_function(format) +
                fmt::format("inline dim3 tilewise_groups(unsigned int width, unsigned int height) {{\n"
                            "    return dim3({});\n}}\n\n"
                            "__global__ void\n{}"
                            "tilewise_kernel(cudaSurfaceObject_t result, cudaTextureObject_t source, uint2 size) {{\n",
                            fmt::join(sides, ", "), cuda_bounds(kernel.invocations())),
        .group = "blockIdx",
        .index = "threadIdx.x",
        .position = nullptr,
        .texel = "tilewise_texel(source, place.x, place.y)",
        .store = fmt::format("surf2Dwrite({}, result, at.x * {}u, at.y)", stored,
                             format.channels * channel_bytes(format.channel)),
        .unroll = "#pragma unroll"};
}

KernelWords words_of(const EmittedKernel& kernel) {
    switch (kernel.language()) {
        case Language::glsl:
            return glsl_words(kernel);
        case Language::hlsl:
            return hlsl_words(kernel);
        case Language::wgsl:
            return wgsl_words(kernel);
        case Language::msl:
            return msl_words(kernel);
        default:
            return cuda_words(kernel);
    }
}

/// Computes the texel `at`, and returns for texels beyond the edges.
std::string position_lines(const EmittedKernel& kernel, const KernelWords& words) {
    const Language language = kernel.language();
    const std::string type = type_name(language, 2);
    const auto line = [&](const char* name, const std::string& value) {
        return fmt::format("    {}{};\n", declaration(language, type, name, true), value);
    };
    std::string text;
    const char* group = words.group;
    if (kernel.grouped) {
        const auto [x, y] = group_position_text(kernel.request.group_order, group);
        text += line("box", vector_text(language, {x, y}));
        group = "box";
    }
    if (kernel.remapped) text += line("within", fmt::format("tilewise_remap({})", words.index));
    if (kernel.remapped || !words.position) {
        const char* within = kernel.remapped ? "within" : "threadIdx";
        const auto coordinate = [&](Axis a) {
            return fmt::format("{0}.{3} * {1}u + {2}.{3}", group, kernel.shape[a], within, axis_name(a));
        };
        text += line("at", vector_text(language, {coordinate(axis_x), coordinate(axis_y)}));
    } else {
        text += line("at", words.position);
    }
    return text + "    if (at.x >= size.x || at.y >= size.y) { return; }\n";
}

/// A vector of floats, or a number for a single component.
std::string floats_text(Language language, const std::vector<std::string>& components) {
    return components.size() == 1 ? components.front() : vector_text(language, components, Number::float32);
}

/// Reads the source's texel, x and y away from `at`, into the variable `name`.
std::string read_lines(const EmittedKernel& kernel, const KernelWords& words, const std::string& indent,
                       const char* name) {
    const Language language = kernel.language();
    const std::string place_type = type_name(language, 2, Number::int32);
    const std::string texel_type = type_name(language, kernel.components(), Number::float32);
    std::string place;
    if (language == Language::cuda) {  // which has neither clamp() nor vector arithmetic
        if (kernel.request.radius == 0)
            place = "make_int2(int(at.x), int(at.y))";
        else if (has_column_loops(kernel))  // one instruction if the last bound is zero: VIMNMX.RELU
            place = "make_int2(max(min(int(at.x) + x, int(size.x) - 1), 0), max(min(row, int(size.y) - 1), 0))";
        else  // in unrolled loops, the same would be up to 2% slower
            place =
                "make_int2(min(max(int(at.x) + x, 0), int(size.x) - 1), "
                "min(max(int(at.y) + y, 0), int(size.y) - 1))";
    } else if (kernel.request.radius > 0) {
        place = fmt::format("clamp({0}(at) + {1}, {2}, {0}(size) - 1)", place_type,
                            vector_text(language, {"x", "y"}, Number::int32),
                            vector_text(language, {"0", "0"}, Number::int32));
    } else {
        place = place_type + "(at)";
    }
    const std::string text = fmt::format("{}{}{};\n", indent, declaration(language, place_type, "place", true), place);
    return text + fmt::format("{}{}{};\n", indent, declaration(language, texel_type, name, true), words.texel);
}

/// The heads of loops over the texels around `at`; extends the indent for their bodies.
std::string loop_lines(const EmittedKernel& kernel, const KernelWords& words, std::string& indent) {
    const Language language = kernel.language();
    const uint32_t radius = kernel.request.radius;
    std::string text;
    const auto loop = [&](const std::string& attribute, const std::string& range) {
        text += indent;
        if (!attribute.empty()) text += attribute + (language == Language::cuda ? "\n" + indent : " ");
        text += fmt::format("for ({}) {{\n", range);
        indent += "    ";
    };
    if (has_column_loops(kernel)) {
        text += indent +
                "// `texel` is x columns and row - at.y rows from `at`. Compiled by nvcc for an H100, these loops "
                "are up to 5% faster than plain ones.\n";
        loop(words.unroll, fmt::format("int first = -{0}; first <= {0}; first += {1}", radius, columns_at_once));
        loop("#pragma unroll 1", fmt::format("int row = int(at.y) + {0}; row >= int(at.y) - {0}; row--", radius));
        loop(words.unroll, fmt::format("int x = first; x < min(first + {}, {}); x++", columns_at_once, radius + 1));
        return text;
    }
    for (const char* axis : {"y", "x"})
        loop(radius <= max_unrolled_radius ? words.unroll : "",
             fmt::format("{0}-{2}; {1} <= {2}; {1}++",
                         declaration(language, type_name(language, 1, Number::int32), axis, false), axis, radius));
    return text;
}

/// The part that the reader replaces: from the source to `value`.
std::string body_lines(const EmittedKernel& kernel, const KernelWords& words) {
    const Language language = kernel.language();
    const uint32_t radius = kernel.request.radius;
    const std::string begin = "    // ---- Your code from here: what becomes of the texel `at`. As it stands, ";
    const std::string end = "    // ---- To here.\n";
    if (const auto& body = kernel.request.body)
        return "    // ---- Your code from here.\n" + *body + (body->ends_with('\n') ? "" : "\n") + end;
    if (radius == 0) return begin + "its copy.\n" + read_lines(kernel, words, "    ", "value") + end;

    const std::string texel_type = type_name(language, kernel.components(), Number::float32);
    const auto line = [&](const std::string& type, const char* name, bool constant, const std::string& value) {
        return fmt::format("    {}{};\n", declaration(language, type, name, constant), value);
    };
    std::string text = begin + "the mean of the texels around it.\n";
    text +=
        line(texel_type, "sum", false, floats_text(language, std::vector<std::string>(kernel.components(), "0.0f")));
    std::string indent = "    ";
    text += loop_lines(kernel, words, indent);
    text += read_lines(kernel, words, indent, "texel");
    // CUDA has no vector arithmetic.
    std::vector<std::string> sums = {indent + "sum += texel;\n"};
    std::string value = "sum * weight";
    if (language == Language::cuda) {
        sums = each_component(kernel, [&](const std::string& component) {
            return fmt::format("{0}sum{1} += texel{1};\n", indent, component);
        });
        value = floats_text(language, each_component(kernel, [](const std::string& component) {
                                return fmt::format("sum{} * weight", component);
                            }));
    }
    text += fmt::format("{}", fmt::join(sums, ""));
    while (indent.size() > 4) {
        indent.resize(indent.size() - 4);
        text += indent + "}\n";
    }
    const uint64_t side = 2 * uint64_t{radius} + 1;
    text += line(type_name(language, 1, Number::float32), "weight", true, fmt::format("1.0f / {}.0f", side * side));
    return text + line(texel_type, "value", true, value) + end;
}

/// What the host must know.
std::string kernel_comment(const EmittedKernel& kernel) {
    std::string text;
    if (!kernel.remapped) text += fmt::format("a workgroup of {}, row by row: no remap\n", shape_text(kernel.shape));
    if (kernel.grouped) text += fmt::format("workgroups in {}\n", group_order_text(kernel.request.group_order));
    text += fmt::format("result and source: two images of width x height texels, {}\n", kernel.format.name);
    if (kernel.language() == Language::wgsl && kernel.invocations() > 256)
        text += fmt::format("needs the limit maxComputeInvocationsPerWorkgroup of {}; 256 without asking\n",
                            kernel.invocations());
    const Coord local = kernel.local_size();
    if (kernel.language() == Language::cuda)
        return text + fmt::format(
                          "result: a surface object; source: a texture object, unnormalized coordinates, point "
                          "filter{}\n"
                          "tilewise_kernel<<<tilewise_groups(width, height), dim3({}, {})>>>(result, source, "
                          "make_uint2(width, height));\n",
                          kernel.format.channel == Channel::half || kernel.format.channel == Channel::single
                              ? ""
                              : ", cudaReadModeNormalizedFloat",
                          local[axis_x], local[axis_y]);
    if (kernel.language() == Language::msl)
        text += fmt::format("threads per threadgroup: MTLSizeMake({}, {}, 1)\n", local[axis_x], local[axis_y]);
    return text + groups_function(kernel.request.group_order, kernel.shape);
}

}  // namespace

std::string groups_lines(const GroupOrder& order, const Coord& shape) {
    const auto [x, y, z] = group_sides(order, shape, "");
    return fmt::format("      groups[0] = {};\n      groups[1] = {};\n      groups[2] = {};\n", x, y, z);
}

std::string groups_function(const GroupOrder& order, const Coord& shape) {
    return fmt::format(
        "workgroups to dispatch, on the host:\n"
        "  void tilewise_groups(uint32_t width, uint32_t height, uint32_t groups[3]) {{\n"
        "{}"
        "  }}\n",
        groups_lines(order, shape));
}

std::array<std::string, 2> group_position_text(const GroupOrder& order, const std::string& group) {
    switch (order.kind) {
        case GroupOrderKind::linear:
            break;
        case GroupOrderKind::strips:
            return {fmt::format("{0}.z * {1}u + {0}.x", group, order.strip_width), group + ".y"};
        case GroupOrderKind::tiles: {
            const auto [across, down, deep, samples] = order.tile_groups;
            const bool by_columns = goes_by_columns(order);
            const std::string column = group + (by_columns ? ".z" : ".y"), row = group + (by_columns ? ".y" : ".z");
            const bool is_column = across == 1, is_row = down == 1;
            const std::string x = is_column ? column : fmt::format("{0} * {1}u + {2}.x % {1}u", column, across, group);
            const std::string y = is_column ? fmt::format("{} * {}u + {}.x", row, down, group)
                                            : fmt::format("{} * {}u + {}.x / {}u", row, down, group, across);
            return {x, is_row ? row : y};
        }
    }
    return {group + ".x", group + ".y"};
}

std::string emit_kernel(const SnippetRequest& request, const std::string& comment) {
    require_kernel(request);
    const bool grouped = request.group_order.kind != GroupOrderKind::linear;
    const bool remapped = !request.remap.is_row_order() || grouped;
    const EmittedKernel kernel = {request, kernel_format(request.format, request.language), request.remap.shape,
                                  remapped, grouped};
    const KernelWords words = words_of(kernel);
    std::string text;
    if (kernel.language() == Language::glsl) {
        text = "#version 450\n";
        if (request.radius > 0 && request.radius <= max_unrolled_radius)
            text += "#extension GL_EXT_control_flow_attributes : require\n";
    }
    text += comment_lines(comment + kernel_comment(kernel)) + words.before;
    if (kernel.remapped) {
        SnippetRequest part = request;
        std::vector<ir::Function> functions;
        part.kind = SnippetKind::remap;
        functions.push_back(snippet_function(part, false));
        text += print_functions(functions, kernel.language()) + "\n";
    } else {
        text += print_preamble(kernel.language());
    }
    return text + words.head + position_lines(kernel, words) + body_lines(kernel, words) +
           fmt::format("    {};\n}}\n", words.store);
}

}  // namespace tilewise
