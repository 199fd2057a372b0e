#include "kernels/method_code.h"
#include "kernels/average/average.h"
#include "kernels/bloom/bloom.h"
#include "kernels/box/box.h"
#include "kernels/brightest/brightest.h"
#include "kernels/histogram/histogram.h"
#include "kernels/mip_chain/mip_chain.h"
#include "kernels/separable/separable.h"
#include "kernels/translate/translate.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/snippet/comment.h"
#include "patterns/snippet/function.h"
#include "patterns/snippet/kernel.h"
#include "patterns/snippet/kernel_format.h"
#include "patterns/snippet/print.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise::kernels {

namespace {

struct Code {
    std::vector<Variant> passes;
    /// A workgroup of each pass has so many.
    uint32_t invocations = 0;
    /// Its formats, by the pass; none where buffers are written.
    std::vector<std::string> writes = {};
    /// They are as in whole_text().
    std::map<std::string, std::string> instead = {};
    Sampling sampling = Sampling::exact;
    /// The first of two passes writes an image that the second one reads.
    bool has_intermediate = true;
    /// The source is seen as words of 32 bits.
    bool of_words = false;
    /// The push constants after width and height, as "NAME = VALUE".
    std::vector<std::string> fields = {};
    /// The comment has this function in C.
    std::string host = {};
    /// In place of what the comment says of images.
    std::string about = {};
    std::function<std::array<uint32_t, 3>(size_t pass, Size size)> groups = {};
    /// Without its bytes.
    MethodWork work = {};
};

Remap order_of(const TimedMethod& timed) {
    if (timed.remap) return *timed.remap;
    throw Error(fmt::format("the order that {}, {} was timed in is not known", timed.kernel, timed.method));
}

/// order.glsl of one order: numbers in place of specialization constants.
std::string order_text(const TimedMethod& timed, const Remap& remap, uint32_t invocations) {
    SnippetRequest request;
    request.language = Language::glsl;
    request.kind = SnippetKind::remap;
    request.remap = remap;
    std::vector<ir::Function> functions = {snippet_function(request, false)};
    functions.front().name = "remap";
    const auto [x, y] = group_position_text(timed.groups, "gl_WorkGroupID");
    const Size shape = shape_of(remap);
    return fmt::format(
        "layout(local_size_x = {}) in;\n"
        "const uint shape_x = {}, shape_y = {};  // texels of the box\n\n"
        "{}\n"
        "/// This invocation's texel of the image.\n"
        "ivec2 own_texel() {{\n"
        "    uvec2 box = uvec2({}, {});\n"
        "    return ivec2(box * uvec2(shape_x, shape_y) + remap(gl_LocalInvocationIndex));\n"
        "}}\n",
        invocations, shape.width, shape.height, print_functions(functions, Language::glsl), x, y);
}

void take_order(Code& code, const TimedMethod& timed) {
    const Remap remap = order_of(timed);
    code.invocations = 1u << remap.columns.size();
    code.instead["order.glsl"] = order_text(timed, remap, code.invocations);
}

const char* format_name(const CodeRequest& request) {
    return request.format.empty() ? traits_of(request.method.format).name : request.format.c_str();
}

/// Two roundings to the format would be too many.
std::string scratch_name(const CodeRequest& request) {
    if (request.format.empty()) return traits_of(scratch_format(request.method.format)).name;
    const KernelFormat& format = kernel_format(request.format, Language::glsl);
    constexpr const char* halves[] = {"R16_SFLOAT", "R16G16_SFLOAT", "R16G16B16A16_SFLOAT", "R16G16B16A16_SFLOAT"};
    constexpr const char* singles[] = {"R32_SFLOAT", "R32G32_SFLOAT", "R32G32B32A32_SFLOAT", "R32G32B32A32_SFLOAT"};
    switch (format.channel) {
        case Channel::unorm8:
        case Channel::snorm8:
        case Channel::packed:
            return halves[format.channels - 1];
        case Channel::unorm16:
        case Channel::snorm16:
            return singles[format.channels - 1];
        default:
            return request.format;
    }
}

/// Of WebGPU's formats that shaders write, some have four channels alone.
std::string written_name(const std::string& name, Language language) {
    if (language != Language::wgsl || is_written(kernel_format(name, Language::glsl), language)) return name;
    const KernelFormat& format = kernel_format(name, Language::glsl);
    return format.channel == Channel::half ? "R16G16B16A16_SFLOAT" : name;
}

// Shapes.

/// What every device has that runs the language, or this one has.
WorkgroupLimits limits_of(const CodeRequest& request) {
    struct Promise {
        uint32_t shared_bytes, max_invocations;
    };
    const auto promise = [&]() -> Promise {
        switch (request.language) {
            case Language::hlsl:  // Direct3D 12: D3D11_CS_TGSM_REGISTER_COUNT, ..._THREAD_GROUP_MAX_THREADS_PER_GROUP
                return {32768, 1024};
            case Language::wgsl:  // the limits of WebGPU that need not be asked for
                return {16384, 256};
            case Language::msl:  // Metal's feature set tables: since Apple4, Mac2
                return {32768, 512};
            case Language::cuda:  // the CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"
                return {49152, 1024};
            default:  // Vulkan's required limits
                return {16384, 128};
        }
    }();
    WorkgroupLimits limits;
    limits.shared_bytes = promise.shared_bytes;
    limits.max_invocations = promise.max_invocations;
    if (request.language == Language::glsl && request.max_invocations > 0)
        limits.max_invocations = request.max_invocations;
    else if (request.max_invocations > 0)
        limits.max_invocations = std::min(limits.max_invocations, request.max_invocations);
    return limits;
}

bool fits(const WorkgroupLimits& limits, uint32_t invocations, uint64_t shared_bytes) {
    return invocations <= limits.max_invocations && shared_bytes <= limits.shared_bytes;
}

/// Texels of an image that is divided: 4096x4096 where none is said.
BoxRequest box_request(const CodeRequest& request) {
    return {request.method.format, request.size, request.method.radius};
}

bool is_timed(const TimedMethod& method) { return count(method.shape) > 0; }

// Comments.

/// Where the images, and what comes with the push constants, are bound.
const char* places_text(Language language) {
    switch (language) {
        case Language::hlsl:
            return "u0 (in Vulkan binding 0): result, t0 (binding 1): source";
        case Language::msl:
            return "texture(0): result, texture(1): source";
        case Language::cuda:
            return "result: a surface object, source: a texture object";
        default:
            return "binding 0: result, binding 1: source";
    }
}

std::string push_place(Language language, uint32_t bindings, uint32_t buffers) {
    switch (language) {
        case Language::hlsl:
            return "b0, root constants (in Vulkan push constants)";
        case Language::wgsl:
            return fmt::format("binding {}, a uniform buffer", bindings);
        case Language::msl:
            return fmt::format("buffer({})", buffers);
        case Language::cuda:
            return "the argument `push`";
        default:
            return "push constants";
    }
}

std::string sampler_text(const Code& code, Language language) {
    if (code.sampling == Sampling::exact) return "";
    switch (language) {
        case Language::hlsl:
            return "s0 (in Vulkan binding 2): a sampler, bilinear, clamps to the edge\n";
        case Language::wgsl:
            return "binding 3: a sampler, bilinear, clamps to the edge\n";
        case Language::msl:
            return "";
        default:
            return "the source's sampler is bilinear and clamps to the edge\n";
    }
}

std::string words_text(const Code& code, Language language) {
    if (!code.of_words) return "";
    switch (language) {
        case Language::hlsl:
            return "the source is seen as R32_UINT: a view of a resource of type R8G8B8A8_TYPELESS\n"
                   "(in Vulkan of an image with VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT)\n";
        case Language::msl:
            return "the source is seen as r32Uint: a view of a texture with MTLTextureUsagePixelFormatView\n";
        case Language::cuda:
            return "the source is read as words: it is a surface object, too\n";
        default:
            return "the source is seen as R32_UINT: a view of an image with VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT\n";
    }
}

std::string read_mode_text(const Code& code, const CodeRequest& request) {
    if (request.language != Language::cuda || code.of_words) return "";
    const Channel channel = kernel_format(format_name(request), Language::glsl).channel;
    const bool is_float = channel == Channel::half || channel == Channel::single;
    return fmt::format(
        "texture objects: unnormalized coordinates, point filter{}; arrays: cudaArraySurfaceLoadStore\n",
        is_float ? "" : ", cudaReadModeNormalizedFloat (of the intermediate image: cudaReadModeElementType)");
}

/// How a function is called that is dispatched.
std::string entry_name(Language language, size_t pass, size_t passes) {
    if (language == Language::glsl) return "main";
    const bool is_alone = passes == 1;
    switch (language) {
        case Language::msl:
            return is_alone ? "tilewise_kernel" : fmt::format("tilewise_pass{}", pass + 1);
        case Language::cuda:
            return is_alone ? "kernel" : fmt::format("pass{}", pass + 1);
        default:
            return is_alone ? "main" : fmt::format("pass{}", pass + 1);
    }
}

/// A name for CUDA's code, by that of the kernel: a user's is that of a file.
std::string name_space(const TimedMethod& method) {
    const bool is_own = method.kernel == "box" || method.kernel == "gaussian" || method.kernel == "bilateral" ||
                        method.kernel == "average" || method.kernel == "brightest" || method.kernel == "bloom";
    if (method.kernel == "mip-chain") return "tilewise_mip_chain";
    return is_own ? "tilewise_" + method.kernel : "tilewise_filter";
}

/// `what`: of each pass. The compiler's command, or what takes its place.
std::string compile_text(const Code& code, const CodeRequest& request, const std::vector<std::string>& what) {
    const size_t passes = code.passes.size();
    std::string text;
    for (size_t i = 0; i < passes; i++) {
        const std::string entry = entry_name(request.language, i, passes), about = passes > 1 ? ": " + what[i] : "";
        switch (request.language) {
            case Language::glsl:
                if (passes > 1)
                    text += fmt::format("  glslc --target-env=vulkan1.1 -fshader-stage=compute -DPASS={}{}\n", i + 1,
                                        about);
                break;
            case Language::hlsl:
                text += fmt::format("  dxc -T cs_6_0 -E {}{}\n", entry, about);
                if (i + 1 == passes) text += "    (for Vulkan: with -spirv -fspv-target-env=vulkan1.1)\n";
                break;
            case Language::wgsl:
                if (passes > 1) text += fmt::format("  entry point {}{}\n", entry, about);
                break;
            case Language::msl:
                text += fmt::format("  {}{}; threads per threadgroup: MTLSizeMake({}, 1, 1)\n", entry,
                                    passes > 1 ? ", " + what[i] : "", code.invocations);
                break;
            default: {
                const bool is_first = passes > 1 && i == 0 && code.has_intermediate;
                const std::string images =
                    fmt::format("{}, {}", is_first ? "intermediate" : "result",
                                passes > 1 && i > 0 && code.has_intermediate ? "intermediate_texture" : "source");
                text += fmt::format("  {}::{}<<<dim3(groups[0], groups[1], groups[2]), {}>>>({}, push){}\n",
                                    name_space(request.method), entry, code.invocations,
                                    code.writes.empty() ? "..." : images, about);
            }
        }
    }
    return text;
}

const char* barrier_text(Language language) {
    switch (language) {
        case Language::hlsl:
            return ": what the first one\nwrites goes from UNORDERED_ACCESS to NON_PIXEL_SHADER_RESOURCE";
        case Language::wgsl:
            return ", which is WebGPU's own";
        case Language::msl:
            return ", which is Metal's own in\nan encoder of MTLDispatchTypeSerial";
        case Language::cuda:
            return ": launches in one stream";
        default:
            return "";
    }
}

/// What the host must know of a method that makes an image of an image.
std::string images_text(const Code& code, const CodeRequest& request) {
    const Language language = request.language;
    std::string text;
    const std::vector<std::string> what = {"down the columns", "along the rows"};
    const std::string format = format_name(request);
    if (code.passes.size() > 1) {
        text += fmt::format("two dispatches, with a barrier between them{}{}:\n", barrier_text(language),
                            language == Language::glsl ? "; the text is compiled for each" : "");
        text += compile_text(code, request, what);
        text += fmt::format(
            "{}, both of width x height texels; the first pass reads {} and\n"
            "writes {}, which the second one reads to write {}\n",
            places_text(language), format, code.writes.front(), format);
    } else {
        text += fmt::format("{}, two images of width x height texels, {}\n", places_text(language), format);
        text += compile_text(code, request, {""});
    }
    text += sampler_text(code, language) + words_text(code, language) + read_mode_text(code, request);
    if (language == Language::cuda)
        text += "nvcc -use_fast_math: powers and quotients are as exact as in Vulkan then, and as fast\n";
    std::string fields;
    for (const std::string& field : code.fields) fields += ", " + field;
    text += fmt::format("{}: int32_t width, height{}\n", push_place(language, 2, 0), fields);
    return text + code.host;
}

/// As they are launched.
std::string groups_text(Size shape) { return groups_function({}, {shape.width, shape.height, 1, 1}); }

/// The function of the workgroup's position, for a method that takes workgroups in any order.
std::string groups_text(const TimedMethod& timed) { return groups_function(timed.groups, order_of(timed).shape); }

std::string turned_host(const std::string& groups) {
    return fmt::format(
        "workgroups to dispatch, on the host:\n"
        "  void tilewise_groups(uint32_t pass, uint32_t width, uint32_t height, uint32_t groups[3]) {{\n"
        "{}"
        "  }}\n",
        groups);
}

/// Boxes that lie along the line which the pass reads.
std::string turned_groups_lines(Size along) {
    return fmt::format(
        "      const uint32_t x = pass == 1 ? {0} : {1}, y = pass == 1 ? {1} : {0};\n"
        "      groups[0] = (width + x - 1) / x;\n"
        "      groups[1] = (height + y - 1) / y;\n"
        "      groups[2] = 1;\n",
        along.height, along.width);
}

/// Of boxes that lie side by side, in each pass.
auto groups_of(Size shape) {
    return [shape](size_t, Size size) { return groups_over(size, shape); };
}
auto ordered_groups(const TimedMethod& timed) {
    return [groups = timed.groups, shape = order_of(timed).shape](size_t, Size size) {
        return dispatched_groups(groups, shape, {size.width, size.height});
    };
}

// Methods.

/// Of texels on a line, RADIUS of them to either side of the result.
double fetches_on_line(uint32_t radius, Sampling sampling) {
    return 1 + 2.0 * (sampling == Sampling::exact ? radius : (radius + 1) / 2);
}

/// For each of `results` side by side, all of which share what lies around them.
double share_of(uint32_t results, uint32_t radius) { return (results + 2.0 * radius) / results; }

template <typename MakeVariant>
std::vector<Variant> two_passes(const TimedMethod& timed, const MakeVariant& variant) {
    return {variant(scratch_format(timed.format), Direction::y), variant(timed.format, Direction::x)};
}

Code code_of(const CodeRequest& request, const DirectMethod& direct) {
    const TimedMethod& timed = request.method;
    Code code = {two_passes(timed, [&](Format to, Direction direction) {
        return direct_variant(*timed.filter, to, timed.radius, direction, direct.sampling);
    })};
    take_order(code, timed);
    code.sampling = direct.sampling;
    code.work = {2 * fetches_on_line(timed.radius, direct.sampling), 0, 0, shape_of(order_of(timed))};
    code.writes = {scratch_name(request), format_name(request)};
    code.host = turned_host("      (void)pass;  // both are dispatched alike\n" +
                            groups_lines(timed.groups, order_of(timed).shape));
    code.groups = ordered_groups(timed);
    return code;
}

Code code_of(const CodeRequest& request, const SharedMethod& shared) {
    const TimedMethod& timed = request.method;
    Code code = {two_passes(timed, [&](Format to, Direction direction) {
        return shared_variant(*timed.filter, to, timed.radius, direction, shared.shape, shared.sampling);
    })};
    code.invocations = shared.shape.invocations;
    code.sampling = shared.sampling;
    code.writes = {scratch_name(request), format_name(request)};
    const Size along = box_of(shared.shape);
    const bool is_exact = shared.sampling == Sampling::exact;
    // Beside shared memory, whose samples lie midway: the centre and, of an odd radius, the outermost texels.
    const double beside = is_exact ? 0 : 1 + 2 * (timed.radius % 2);
    code.work = {2 * (share_of(along.width, timed.radius) + beside), 0, 2, along};
    code.host = turned_host(turned_groups_lines(along));
    code.groups = [along](size_t pass, Size size) {
        return groups_over(size, pass == 0 ? Size{along.height, along.width} : along);
    };
    return code;
}

Code code_of(const CodeRequest& request, const FusedShape& fused) {
    const TimedMethod& timed = request.method;
    Code code = {{fused_variant(*timed.filter, timed.format, timed.radius, fused)}};
    code.invocations = fused.invocations;
    code.work = {share_of(fused.width, timed.radius) * share_of(fused.rows, timed.radius), 0, 1, box_of(fused)};
    code.writes = {format_name(request)};
    code.host = groups_text(box_of(fused));
    code.groups = groups_of(box_of(fused));
    return code;
}

/// It draws.
Code code_of(const CodeRequest& request, const FragmentMethod&) {
    throw Error(fmt::format("{}, a fragment shader, is not given as code; its shaders are in the source, in kernels/",
                            request.method.kernel));
}

Code code_of(const CodeRequest& request, const BoxDirect& direct) {
    const TimedMethod& timed = request.method;
    Code code = {{box_direct_variant({timed.format, {}, timed.radius}, direct)}};
    if (!direct.run_time_radius) code.passes.front().defines.emplace_back("RADIUS", std::to_string(timed.radius));
    if (direct.run_time_radius) code.fields = {fmt::format("radius = {}", timed.radius)};
    take_order(code, timed);
    const double diameter = 2.0 * timed.radius + 1;
    code.work = {diameter * diameter, 0, 0, shape_of(order_of(timed))};
    code.writes = {format_name(request)};
    code.host = groups_text(timed);
    code.groups = ordered_groups(timed);
    return code;
}

Code code_of(const CodeRequest& request, const RunningShape& shape) {
    const TimedMethod& timed = request.method;
    const BoxRequest box = box_request(request);
    Code code = {{running_variant(box, shape)}};
    code.invocations = shape.invocations;
    code.writes = {format_name(request)};
    code.of_words = box.format == Format::rgba8;
    if (code.of_words && request.language == Language::wgsl) {
        // WebGPU has no views of other formats.
        code.of_words = false;
        code.passes.front().defines.emplace_back("SEEN_AS_IS", "");
    }
    code.fields = {fmt::format("strip_rows = {}", shape.strip_rows)};
    const Size strip = {strip_width(box, shape), shape.strip_rows};
    // Each column reads ahead by the rows between two barriers, and what leaves the box again where that is not kept.
    const double of_column = 2.0 * timed.radius + (shape.refetch ? 2 : 1) * (shape.rows + double{1} * shape.strip_rows);
    code.work = {shape.invocations * of_column / static_cast<double>(count(strip)), 0,
                 2 * (shape.strip_rows / shape.rows), strip};
    code.host = groups_text(strip);
    code.groups = groups_of(strip);
    return code;
}

/// Another exact method in place of one that cannot be had.
struct Chosen {
    Code code;
    std::string method, departures;
};

template <typename Method>
Chosen chosen(const CodeRequest& request, const Method& method, const std::string& departures) {
    return {std::visit([&](const auto& each) { return code_of(request, each); }, method), method_name(method),
            departures};
}

std::string too_large(const std::string& what, Language language) {
    return fmt::format("{} needs more than {} promises on every device: it is smaller here\n", what,
                       language_name(language));
}

Chosen filter_code(const CodeRequest& request, bool may_depart) {
    const TimedMethod& timed = request.method;
    const WorkgroupLimits limits = limits_of(request);
    std::optional<FilterMethod> method = is_timed(timed)
                                             ? filter_method_of(timed.method, timed.shape, timed.invocations)
                                             : filter_method_named(timed.method);
    if (!may_depart) {
        if (!method)
            throw Error(
                fmt::format("{}, {} in workgroups of {}x{} is not given as code; its shaders are in the "
                            "source, in kernels/",
                            timed.kernel, timed.method, timed.shape.width, timed.shape.height));
        return chosen(request, *method, "");
    }
    const FusedShape fused = fused_shape(limits, timed.format, timed.radius);
    // Where a workgroup is too narrow for the radius, two passes are left.
    const bool has_fused = fused.width > 0 && fused.width <= fused.invocations &&
                           fits(limits, fused.invocations, shared_bytes_of(fused, timed.radius));
    const FilterMethod exact = has_fused ? FilterMethod(fused) : FilterMethod(SharedMethod{});
    std::string departures;
    if (!method || std::holds_alternative<FragmentMethod>(*method)) {
        if (method) departures = "a fragment shader is no code of its own: this is the exact method that follows it\n";
        return chosen(request, exact, departures);
    }
    if (sampling_of(*method) != Sampling::exact && request.language == Language::cuda)
        return chosen(
            request, exact,
            "CUDA's texture objects read texels by number or between them, not both: this is an exact method\n");
    if (const auto* own = std::get_if<FusedShape>(&*method)) {
        const bool is_legal =
            request.language == Language::glsl || fits(limits, own->invocations, shared_bytes_of(*own, timed.radius));
        if (!is_timed(timed)) return chosen(request, exact, "");
        if (!is_legal) return chosen(request, exact, too_large("the workgroup that was timed", request.language));
    }
    return chosen(request, *method, departures);
}

Chosen box_code(const CodeRequest& request, bool may_depart) {
    const TimedMethod& timed = request.method;
    const BoxRequest box = box_request(request);
    const WorkgroupLimits limits = limits_of(request);
    if (timed.radius > max_box_radius)
        return chosen(
            request, BoxMethod(BoxDirect{}),
            fmt::format("running sums have a radius of up to {}: this reads all neighbours\n", max_box_radius));
    std::optional<BoxMethod> method;
    if (is_timed(timed)) method = box_method_of(box, timed.method, timed.shape, timed.invocations);
    if (!may_depart) {
        if (!method)
            throw Error(
                fmt::format("{}, {} in workgroups of {}x{} is not given as code; its shaders are in the "
                            "source, in kernels/",
                            timed.kernel, timed.method, timed.shape.width, timed.shape.height));
        return chosen(request, *method, "");
    }
    if (!method && timed.method == direct_name) method = BoxDirect{};
    const RunningShape running = running_shape(limits, box);
    if (!method) return chosen(request, BoxMethod(running), "");
    const auto* own = std::get_if<RunningShape>(&*method);
    if (own && request.language != Language::glsl && !fits(limits, own->invocations, running_bytes(box, *own)))
        return chosen(request, BoxMethod(running), too_large("the workgroup that was timed", request.language));
    return chosen(request, *method, "");
}

/// As many workgroups as there are steps over the image, but no more than those that then stride over it.
auto striding_groups(Size step, uint32_t most) {
    return [step, most](size_t, Size size) {
        const auto boxes = groups_over(size, step);
        return std::array{std::min(boxes[0] * boxes[1], most), 1u, 1u};
    };
}

Code average_by_subgroups(const CodeRequest& request) {
    const TimedMethod& timed = request.method;
    const AverageSteps steps;
    Code code = {{average_subgroups_variant(steps)}};
    take_order(code, timed);
    const Size box = shape_of(order_of(timed));
    const Size step = {box.width * steps.along_x, box.height * steps.along_y};
    code.work = {1, 0, 2, step};
    code.groups = striding_groups(step, steps.workgroups);
    code.about = fmt::format(
        "binding 0: 32 bytes, zero before the first run: the mean, four floats; binding 1: 16 bytes a workgroup;\n"
        "binding 2: source, an image of width x height texels, {}\n"
        "push constants and workgroups along x, on the host:\n"
        "  struct tilewise_push {{ uint32_t size[2], steps[2], stride[2]; float scale; }};\n"
        "  uint32_t tilewise_groups(uint32_t width, uint32_t height, struct tilewise_push* push) {{\n"
        "      const uint32_t x = (width + {}) / {}, y = (height + {}) / {}, groups = x * y < {} ? x * y : {};\n"
        "      push->size[0] = width, push->size[1] = height;\n"
        "      push->steps[0] = x, push->steps[1] = y;\n"
        "      push->stride[0] = groups % x, push->stride[1] = groups / x;\n"
        "      push->scale = 1.0f / (float)((uint64_t)width * height);\n"
        "      return groups;\n"
        "  }}\n",
        format_name(request), step.width - 1, step.width, step.height - 1, step.height, steps.workgroups,
        steps.workgroups);
    return code;
}

/// Where the buffers and the source of a pass are bound, a line.
std::string buffers_text(Language language, const std::vector<std::string>& buffers, const std::string& source) {
    std::vector<std::string> parts;
    for (size_t i = 0; i < buffers.size(); i++) switch (language) {
            case Language::hlsl:
                parts.push_back(fmt::format("u{0} (in Vulkan binding {0}): {1}", i, buffers[i]));
                break;
            case Language::msl:
                parts.push_back(fmt::format("buffer({}): {}", i, buffers[i]));
                break;
            case Language::cuda:
                parts.push_back(buffers[i]);
                break;
            default:
                parts.push_back(fmt::format("binding {}: {}", i, buffers[i]));
        }
    if (!source.empty()) switch (language) {
            case Language::hlsl:
                parts.push_back(fmt::format("t0 (binding {}): {}", buffers.size(), source));
                break;
            case Language::msl:
                parts.push_back("texture(0): " + source);
                break;
            case Language::cuda:
                parts.push_back("a texture object: " + source);
                break;
            default:
                parts.push_back(fmt::format("binding {}: {}", buffers.size(), source));
        }
    return fmt::format("{}\n", fmt::join(parts, ", "));
}

/// Sums of boxes, then their sum, through shared memory.
Code average_by_shared_memory(const CodeRequest& request) {
    constexpr uint32_t boxes = 8;
    const TimedMethod& timed = request.method;
    const Language language = request.language;
    const auto number = [](uint32_t value) { return std::to_string(value); };
    Code code = {{{"average_shared.comp", {{"BOXES", number(boxes)}}},
                  {"average_shared.comp", {{"BOXES", number(boxes)}, {"PARTIALS", ""}}}}};
    take_order(code, timed);
    const Size box = shape_of(order_of(timed)), step = {box.width, box.height * boxes};
    // A tree in each of two passes.
    code.work = {1, 0, 2 * static_cast<uint32_t>(std::bit_width(code.invocations) - 1), step};
    code.groups = [step](size_t pass, Size size) {
        return pass == 0 ? groups_over(size, step) : std::array{1u, 1u, 1u};
    };
    const std::string source = fmt::format("source, an image of width x height texels, {}", format_name(request));
    code.about = fmt::format(
        "two dispatches, with a barrier between them{}{}:\n{}"
        "the first pass: {}the second pass: {}"
        "{}: struct tilewise_push\n"
        "workgroups to dispatch, on the host:\n"
        "  struct tilewise_push {{ int32_t size[2]; float scale; uint32_t count; }};\n"
        "  void tilewise_groups(uint32_t pass, uint32_t width, uint32_t height, uint32_t groups[3],\n"
        "                       struct tilewise_push* push) {{\n"
        "      const uint32_t x = (width + {}) / {}, y = (height + {}) / {};\n"
        "      push->size[0] = (int32_t)width, push->size[1] = (int32_t)height;\n"
        "      push->scale = pass == 1 ? 1.0f : 1.0f / (float)((uint64_t)width * height);\n"
        "      push->count = pass == 1 ? x : x * y;\n"
        "      groups[0] = pass == 1 ? x : 1;\n"
        "      groups[1] = pass == 1 ? y : 1;\n"
        "      groups[2] = 1;\n"
        "  }}\n",
        barrier_text(language), language == Language::glsl ? "; the text is compiled for each" : "",
        compile_text(code, request, {"sums of boxes", "their sum"}),
        buffers_text(language, {"sums, 16 bytes a workgroup"}, source),
        buffers_text(language, {"the mean, four floats", "the sums of the first pass"}, ""), push_place(language, 2, 2),
        step.width - 1, step.width, step.height - 1, step.height);
    return code;
}

Chosen average_code(const CodeRequest& request, bool may_depart) {
    const TimedMethod& timed = request.method;
    const bool by_subgroups = timed.method == average_subgroups_name;
    if (by_subgroups && request.language == Language::glsl)
        return {average_by_subgroups(request), average_subgroups_name, ""};
    if (!may_depart)
        throw Error(
            fmt::format("average, {} is not given as code; its shaders are in the source, in kernels/", timed.method));
    const std::string why =
        by_subgroups ? fmt::format(
                           "one dispatch by subgroups needs memory that workgroups share, for which {} has no words: "
                           "these are two\n",
                           language_name(request.language))
                     : "";
    return {average_by_shared_memory(request), "groupshared", why};
}

/// A workgroup whose subgroups search squares.
struct SearchingGroup {
    uint32_t subgroup_size = 0;
    BrightestDeal deal;
    Size shape;
};

/// As it was timed; none where that is no such workgroup.
std::optional<SearchingGroup> timed_searching_group(const TimedMethod& timed) {
    SearchingGroup group = {0, {}, timed.shape};
    const uint32_t invocations = timed.invocations == 0 ? group.deal.invocations : timed.invocations;
    const uint64_t squares = count(timed.shape) / 64;
    if (timed.shape.width != group.deal.along_x * square_side || squares == 0 || invocations % squares != 0)
        return std::nullopt;
    group.subgroup_size = static_cast<uint32_t>(invocations / squares * group.deal.squares);
    if (group.subgroup_size > 64 || invocations != group.deal.invocations ||
        timed.shape.height != squares / group.deal.along_x * square_side)
        return std::nullopt;
    return group;
}

/// For the device's subgroups; none where their size is not known, or too large.
std::optional<SearchingGroup> searching_group(const CodeRequest& request) {
    SearchingGroup group;
    BrightestDeal& deal = group.deal;
    group.subgroup_size = request.subgroup_size;
    deal.invocations = std::min(deal.invocations, limits_of(request).max_invocations);
    if (group.subgroup_size == 0 || group.subgroup_size > 64 || deal.invocations % group.subgroup_size != 0)
        return std::nullopt;
    const uint32_t squares = deal.invocations / group.subgroup_size * deal.squares;
    group.shape = {deal.along_x * square_side, squares / deal.along_x * square_side};
    return group;
}

/// Its invocations search squares of 8x8: the order is one of these.
std::optional<Code> brightest_by_subgroups(const CodeRequest& request) {
    const TimedMethod& timed = request.method;
    const auto group = is_timed(timed) ? timed_searching_group(timed) : searching_group(request);
    if (!group || timed.method != brightest_subgroups_name) return std::nullopt;
    const auto& [subgroup_size, deal, shape] = *group;
    const uint32_t invocations = deal.invocations;
    Code code = {{brightest_subgroups_variant(subgroup_size, deal)}};
    code.invocations = invocations;
    code.instead["order.glsl"] = order_text(timed, square_order(order_of(timed)), invocations);
    code.work = {1, 0, 2, shape};
    code.groups = [shape = shape](size_t, Size size) {
        const auto boxes = groups_over(size, shape);
        const uint32_t all = boxes[0] * boxes[1];
        return std::array{ceil_div(all, ticket_rounds(size, all).count), 1u, 1u};
    };
    code.about = fmt::format(
        "for subgroups of {} invocations\n"
        "binding 0: 512 bytes, zero before the first run; the first word is the number of points\n"
        "binding 1: the points, 32 bytes for each square of 8x8: colour, x, y, luminance\n"
        "binding 2: source, an image of width x height texels, {}\n"
        "push constants: int32_t width, height; float threshold\n"
        "specialization constants 16 to 20, and workgroups along x, on the host:\n"
        "  uint32_t tilewise_groups(uint32_t width, uint32_t height, uint32_t constants[5]) {{\n"
        "      const uint32_t x = (width + {}) / {}, y = (height + {}) / {};\n"
        "      const uint32_t squares = ((width + 7) / 8) * ((height + 7) / 8);\n"
        "      uint32_t bits = 0;\n"
        "      while (squares >> bits) bits++;\n"
        "      const uint32_t max_groups = 1u << (32 - bits), rounds = (x * y + max_groups - 1) / max_groups;\n"
        "      constants[0] = {}, constants[1] = {};\n"
        "      constants[2] = x, constants[3] = rounds, constants[4] = bits;\n"
        "      return (x * y + rounds - 1) / rounds;\n"
        "  }}\n",
        subgroup_size, format_name(request), shape.width - 1, shape.width, shape.height - 1, shape.height,
        shape.width / square_side, shape.height / square_side);
    return code;
}

/// A workgroup for each square of 8x8.
Code brightest_by_tree(const CodeRequest& request) {
    const Language language = request.language;
    Code code = {{{"brightest_shared.comp", {{"REGION", "1"}, {"TREE", ""}}}}};
    TimedMethod square = request.method;
    square.groups = {};
    square.remap = row_order({square_side, square_side, 1, 1});
    take_order(code, square);
    code.work = {1, 0, static_cast<uint32_t>(std::bit_width(code.invocations) - 1), {square_side, square_side}};
    code.groups = groups_of({square_side, square_side});
    code.about = compile_text(code, request, {""}) +
                 buffers_text(language,
                              {"512 bytes, zero before each run; the first word is the number of points",
                               "the points, 32 bytes for each square of 8x8: colour, x, y, luminance"},
                              fmt::format("source, an image of width x height texels, {}", format_name(request))) +
                 fmt::format("{}: int32_t width, height; float threshold\n", push_place(language, 3, 3)) +
                 groups_text({square_side, square_side});
    return code;
}

Chosen brightest_code(const CodeRequest& request, bool may_depart) {
    const TimedMethod& timed = request.method;
    const bool by_subgroups = timed.method == brightest_subgroups_name;
    if (request.language == Language::glsl && by_subgroups)
        if (const auto code = brightest_by_subgroups(request)) return {*code, brightest_subgroups_name, ""};
    if (!may_depart)
        throw Error(
            fmt::format("brightest, {} in workgroups of {}x{} is not given as code; its shaders are in the "
                        "source, in kernels/",
                        timed.method, timed.shape.width, timed.shape.height));
    const std::string why = request.language != Language::glsl
                                ? "whole subgroups are searched in GLSL alone: this goes through shared memory\n"
                                : "subgroups search where their size is known: this goes through shared memory\n";
    return {brightest_by_tree(request), "groupshared, tree", by_subgroups ? why : ""};
}

/// Levels of half the size each have so many texels for each of the first one's, in all: 1 + 1/4 + 1/16 + ..
constexpr double texels_of_levels = 4.0 / 3;

/// Of an image's texel.
double texel_bytes(const std::string& name) {
    const KernelFormat& format = kernel_format(name, Language::glsl);
    return format.channel == Channel::packed ? 4 : format.channels * channel_bytes(format.channel);
}

/// All levels by the workgroups of the first ones; the last of them goes on.
Code mip_chain_in_one(const CodeRequest& request, const MipShape& shape) {
    constexpr uint32_t max_levels = 15;  // as many as mip_chain_one.comp declares
    const TimedMethod& timed = request.method;
    const uint32_t levels = all_levels(request.size) - 1;
    if (levels == 0 || levels > max_levels)
        throw Error(fmt::format("a mip chain has 1 to {} levels below an image: one of {}x{} has {}", max_levels,
                                request.size.width, request.size.height, levels));
    Code code = {{mip_chain_one_variant(timed.format, levels, shape)}};
    code.invocations = mip_chain_invocations(shape.quads);
    code.instead["order.glsl"] = order_text(timed, mip_chain_order(order_of(timed)), code.invocations);
    code.writes = {format_name(request)};
    const uint32_t barriers = levels > 6 ? 7 : levels;  // five between six levels, one before them, one for the others
    code.work = {1 + 1.0 / (64 * 64), texels_of_levels * texel_bytes(format_name(request)), barriers, {64, 64}};
    code.groups = [shape](size_t, Size size) { return mip_chain_groups(size, shape); };
    const uint32_t most = shape.workgroups == 0 ? UINT32_MAX : shape.workgroups;
    code.about = fmt::format(
        "for images whose longer side has {} to {} texels: it can be halved LEVELS times\n"
        "binding 0: 4 bytes, zero before the first run; bindings 1 to {}: levels 1 to {} of an image, each a view of "
        "its\n"
        "own, {}; binding {}: its level 0, width x height texels\n"
        "push constants: int32_t width, height\n"
        "workgroups to dispatch, on the host:\n"
        "  void tilewise_groups(uint32_t width, uint32_t height, uint32_t groups[3]) {{\n"
        "      const uint32_t tiles = ((width + 63) / 64) * ((height + 63) / 64);\n"
        "      groups[0] = tiles < {}u ? tiles : {}u;\n"
        "      groups[1] = groups[2] = 1;\n"
        "  }}\n",
        1u << levels, (2u << levels) - 1, levels, levels, format_name(request), levels + 1, most, most);
    return code;
}

/// A dispatch for each level.
Code mip_chain_by_level(const CodeRequest& request) {
    const TimedMethod& timed = request.method;
    const Language language = request.language;
    Code code = {{mip_chain_level_variant(timed.format)}};
    take_order(code, timed);
    code.writes = {format_name(request)};
    // Every level but the last is read, and every one but the first is written.
    code.work = {texels_of_levels, (2 * texels_of_levels - 1) * texel_bytes(format_name(request)), 0,
                 shape_of(order_of(timed))};
    code.groups = [groups = ordered_groups(timed)](size_t pass, Size size) {
        return groups(pass, level_size(size, 1));
    };
    code.about = fmt::format(
        "a dispatch for each level but the first, with a barrier between two of them{}:\n"
        "{}{}: a level and the one above it, each a view of its own, {}\n"
        "{}{}: int32_t width, height of the source; the workgroups are over the result\n{}",
        barrier_text(language), compile_text(code, request, {""}), places_text(language), format_name(request),
        read_mode_text(code, request), push_place(language, 2, 0), groups_text(timed));
    return code;
}

Chosen mip_chain_code(const CodeRequest& request, bool may_depart) {
    const TimedMethod& timed = request.method;
    if (timed.method == mip_chain_level_name) return {mip_chain_by_level(request), mip_chain_level_name, ""};
    MipShape shape;
    bool is_known = false;
    for (const uint32_t workgroups : {0u, 264u}) {
        if (timed.method != mip_chain_one_name({workgroups})) continue;
        shape.workgroups = workgroups;
        is_known = !is_timed(timed) || timed.invocations == mip_chain_invocations(shape.quads);
    }
    if (!may_depart && !is_known)
        throw Error(
            fmt::format("mip-chain, {} in workgroups of {} invocations is not given as code; its shaders are "
                        "in the source, in kernels/",
                        timed.method, timed.invocations));
    if (request.language != Language::glsl)
        return {mip_chain_by_level(request), mip_chain_level_name,
                fmt::format("one dispatch for all levels needs images that workgroups share, for which {} has no "
                            "words: this is one a level\n",
                            language_name(request.language))};
    const char* departure = timed.method == mip_chain_blits_name ? "blits are no shader: this is one dispatch\n" : "";
    const uint32_t most = limits_of(request).max_invocations;
    if (!is_timed(timed))
        while (mip_chain_invocations(shape.quads) > most && shape.quads < 16) shape.quads *= 2;
    return {mip_chain_in_one(request, shape), mip_chain_one_name(shape), departure};
}

/// The push constants and workgroups of a pass that strides over the image in steps.
std::string steps_host(Size step, uint32_t workgroups) {
    return fmt::format(
        "push constants and workgroups along x, on the host:\n"
        "  struct tilewise_push {{ uint32_t size[2], steps[2], stride[2]; }};\n"
        "  uint32_t tilewise_groups(uint32_t width, uint32_t height, struct tilewise_push* push) {{\n"
        "      const uint32_t x = (width + {}) / {}, y = (height + {}) / {}, groups = x * y < {} ? x * y : {};\n"
        "      push->size[0] = width, push->size[1] = height;\n"
        "      push->steps[0] = x, push->steps[1] = y;\n"
        "      push->stride[0] = groups % x, push->stride[1] = groups / x;\n"
        "      return groups;\n"
        "  }}\n",
        step.width - 1, step.width, step.height - 1, step.height, workgroups, workgroups);
}

Chosen histogram_code(const CodeRequest& request, bool may_depart) {
    const TimedMethod& timed = request.method;
    if (request.language != Language::glsl)
        throw Error(
            fmt::format("no histogram in {}: its bins are arrays of atomics, which are not translated; there "
                        "is --code glsl",
                        language_name(request.language)));
    const bool is_one = timed.method == histogram_one_name;
    if (!is_one && !may_depart)
        throw Error(fmt::format("histogram, {} is not given as code; its shaders are in the source, in kernels/",
                                timed.method));
    const HistogramSteps steps;
    Code code = {{histogram_variant(timed.format, steps, true)}};
    take_order(code, timed);
    const uint32_t most = histogram_workgroups(steps, code.invocations);
    const Size box = shape_of(order_of(timed)), step = {box.width, box.height * steps.along_y};
    code.work = {1, static_cast<double>(texel_bytes(format_name(request))), 4, step};
    code.groups = striding_groups(step, most);
    code.about = fmt::format(
        "binding 0: {} bytes, all zero before the first run; binding 1: {} bytes: the texels of each bin, then as "
        "floats "
        "the\n"
        "average luminance and the exposure; binding 2: source, an image of width x height texels, {}\n{}",
        histogram_bytes(steps), sizeof(Histogram), format_name(request), steps_host(step, most));
    return {code, histogram_one_name, is_one ? "" : "a method that counts in shared memory, in one dispatch\n"};
}

/// A step down and a step up: each is dispatched for several levels.
Chosen bloom_code(const CodeRequest& request, bool may_depart) {
    const TimedMethod& timed = request.method;
    const Language language = request.language;
    const bool is_sampled = timed.method == bloom_name(BloomTaps::sampler),
               is_fetched = timed.method == bloom_name(BloomTaps::fetches);
    if (!is_sampled && !is_fetched && !may_depart)
        throw Error(fmt::format("bloom, {} is not given as code", timed.method));
    const BloomTaps taps = is_fetched || language == Language::cuda ? BloomTaps::fetches : BloomTaps::sampler;
    const std::string departures =
        is_sampled && language == Language::cuda
            ? "CUDA's texture objects of points have no samples between texels: each is computed from four\n"
            : "";
    Code code = {
        {bloom_variant(timed.format, BloomStep::down, taps), bloom_variant(timed.format, BloomStep::up, taps)}};
    take_order(code, timed);
    code.sampling = taps == BloomTaps::sampler ? Sampling::approximate : Sampling::exact;
    code.writes = {format_name(request), format_name(request)};
    code.has_intermediate = false;
    // Five samples for each texel of the levels below the image, eight for each of the image and the levels above the last.
    const double samples = 5 * (texels_of_levels - 1) + 8 * texels_of_levels;
    code.work = {taps == BloomTaps::fetches ? 4 * samples : samples,
                 2 * (2 * texels_of_levels - 1) * texel_bytes(format_name(request)), 0, shape_of(order_of(timed))};
    code.groups = [groups = ordered_groups(timed)](size_t pass, Size size) {
        return groups(pass, pass == 0 ? level_size(size, 1) : size);
    };
    code.about = fmt::format(
        "two shaders, each dispatched once a level, with a barrier between two dispatches{}{}:\n{}"
        "{}; down from the image through levels of half the size each, then up again to one of its own size, all {}\n"
        "{}{}{}: int32_t width, height of the result, width, height of the source\n"
        "the workgroups are over the result\n{}",
        barrier_text(language), language == Language::glsl ? "; the text is compiled for each" : "",
        compile_text(code, request, {"down", "up"}), places_text(language), format_name(request),
        sampler_text(code, language), read_mode_text(code, request), push_place(language, 2, 0), groups_text(timed));
    return {code, bloom_name(taps), departures};
}

Chosen code_for(const CodeRequest& request, bool may_depart) {
    const TimedMethod& timed = request.method;
    if (timed.kernel == "box") return box_code(request, may_depart);
    if (timed.kernel == "average") return average_code(request, may_depart);
    if (timed.kernel == "brightest") return brightest_code(request, may_depart);
    if (timed.kernel == "mip-chain") return mip_chain_code(request, may_depart);
    if (timed.kernel == "bloom") return bloom_code(request, may_depart);
    if (timed.kernel == "histogram") return histogram_code(request, may_depart);
    if (timed.filter) return filter_code(request, may_depart);
    throw Error(fmt::format("{}, {} is not given as code", timed.kernel, timed.method));
}

/// The images' formats, where they are others than those that the method was made for.
void take_formats(Code& code, const CodeRequest& request) {
    for (size_t i = 0; i < code.writes.size(); i++) {
        code.writes[i] = written_name(code.writes[i], request.language);
        const KernelFormat& format = kernel_format(code.writes[i], request.language);
        for (auto& [name, value] : code.passes[i].defines)
            if (name == "FORMAT") value = format.glsl;
    }
}

/// The kernels' own text, in the language.
std::string body_text(const Code& code, const CodeRequest& request) {
    std::string glsl = whole_text(code.passes, code.instead);
    if (request.language == Language::glsl) return glsl;
    const std::string text = "#version 450\n" + glsl;
    const Variant& first = code.passes.front();
    std::vector<ShaderPass> passes;
    for (size_t i = 0; i < code.passes.size(); i++) {
        ShaderPass pass;
        pass.glsl = text;
        pass.spirv = compile_for_translation(text, i + 1, is_foreign(first) ? first.filter_name : "");
        pass.entry = entry_name(request.language, i, code.passes.size());
        if (i < code.writes.size()) pass.format = code.writes[i];
        if (i + 1 < code.writes.size() && code.has_intermediate) pass.renamed = {{"result", "intermediate"}};
        passes.push_back(std::move(pass));
    }
    return translated(passes, request.language, name_space(request.method));
}

/// What the numbers in a translated text were called.
std::string numbers_text(const Code& code, Language language) {
    if (language == Language::glsl) return "";
    std::vector<std::string> numbers;
    for (const auto& [name, value] : code.passes.front().defines)
        if (!value.empty() && std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; }))
            numbers.push_back(fmt::format("{} {}", name, value));
    return numbers.empty() ? "" : fmt::format("in numbers: {}\n", fmt::join(numbers, ", "));
}

/// Each pass reads what the one before it wrote; the first one reads the source.
double moved_bytes(const Code& code, const CodeRequest& request) {
    double bytes = texel_bytes(format_name(request));
    for (size_t i = 0; i < code.writes.size(); i++)
        bytes += texel_bytes(code.writes[i]) * (i + 1 < code.writes.size() ? 2 : 1);
    return bytes;
}

MethodCode made_code(const CodeRequest& request, const std::string& comment, bool may_depart) {
    if (request.language >= Language::cpp)
        throw UsageError(
            fmt::format("no kernel in {}; there are glsl, hlsl, wgsl, msl and cuda", language_name(request.language)));
    Chosen made = code_for(request, may_depart);
    Code& code = made.code;
    take_formats(code, request);
    const std::string about = code.about.empty() ? images_text(code, request) : code.about;
    const std::string head = comment_lines(comment + made.departures + about + numbers_text(code, request.language));
    MethodCode result = {(request.language == Language::glsl ? "#version 450\n" : "") + head + body_text(code, request),
                         {},
                         made.method,
                         made.departures,
                         code.work};
    if (result.work.bytes == 0) result.work.bytes = moved_bytes(code, request);
    for (size_t i = 0; i < code.passes.size(); i++) {
        const bool is_several = code.passes.size() > 1, is_image = !code.writes.empty();
        CodePass pass = {entry_name(request.language, i, code.passes.size()),
                         request.language == Language::glsl && is_several ? fmt::format("PASS={}", i + 1) : "",
                         code.invocations,
                         is_image && i > 0 ? code.writes[i - 1]
                         : i == 0          ? format_name(request)
                                           : "",
                         is_image ? code.writes[i] : "",
                         code.groups(i, request.size)};
        result.passes.push_back(std::move(pass));
    }
    return result;
}

}  // namespace

MethodCode method_code(const CodeRequest& request, const std::string& comment) {
    CodeRequest asked = request;
    TimedMethod& timed = asked.method;
    if (!timed.remap) {
        // Where no order is known: one that every device can run.
        timed.remap = row_order(limits_of(asked).max_invocations < 256 ? Coord{16, 8, 1, 1} : Coord{16, 16, 1, 1});
        timed.groups = {};
    }
    return made_code(asked, comment, true);
}

std::string method_code(const TimedMethod& timed, const std::string& comment) {
    return made_code({timed, "", Language::glsl, 0, 0, {4096, 4096}}, comment, false).text;
}

}  // namespace tilewise::kernels
