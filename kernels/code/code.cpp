#include "kernels/code/code.h"
#include "kernels/code/comment.h"
#include "kernels/separable/separable.h"
#include "kernels/shader/order.h"
#include "patterns/model/error.h"
#include "patterns/snippet/function.h"
#include "patterns/snippet/kernel.h"
#include "patterns/snippet/kernel_format.h"
#include "patterns/snippet/print.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise::kernels {

Error not_given(const TimedMethod& timed) {
    const std::string shape =
        is_timed(timed) ? fmt::format(" in workgroups of {}x{}", timed.shape.width, timed.shape.height) : "";
    return Error(fmt::format("{}, {}{} is not given as code; its shaders are in the source, in kernels/", timed.kernel,
                             timed.method, shape));
}

Remap order_of(const TimedMethod& timed) {
    if (timed.remap) return *timed.remap;
    throw Error(fmt::format("the order that {}, {} was timed in is not known", timed.kernel, timed.method));
}

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

double texel_bytes(const std::string& format) {
    const KernelFormat& texel = kernel_format(format, Language::glsl);
    return texel.channel == Channel::packed ? 4 : texel.channels * channel_bytes(texel.channel);
}

double source_bytes(const CodeRequest& request) {
    return request.source_bytes > 0 ? request.source_bytes : texel_bytes(format_name(request));
}

WorkgroupLimits limits_of(const CodeRequest& request) {
    struct Promise {
        uint32_t shared_bytes, max_invocations;
    };
    const auto promise = [&]() -> Promise {
        switch (request.language) {
            case Language::hlsl:  // Direct3D 12: D3D11_CS_TGSM_REGISTER_COUNT, ..._THREAD_GROUP_MAX_THREADS_PER_GROUP
                return {32768, 1024};
            case Language::wgsl:  // the limits of WebGPU that need not be requested
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

bool is_timed(const TimedMethod& method) { return count(method.shape) > 0; }

Remap order_that_fits(const CodeRequest& request) {
    return row_order(limits_of(request).max_invocations < 256 ? Coord{16, 8, 1, 1} : Coord{16, 16, 1, 1});
}

std::string take_order_that_fits(CodeRequest& request) {
    if (request.language == Language::glsl) return "";
    TimedMethod& timed = request.method;
    if (1u << order_of(timed).columns.size() <= limits_of(request).max_invocations) return "";
    timed.remap = order_that_fits(request);
    timed.groups = {};
    return too_large("the workgroup that was timed", request.language);
}

Groups groups_of(Size shape) {
    return [shape](size_t, Size size) { return groups_over(size, shape); };
}

Groups ordered_groups(const TimedMethod& timed) {
    return [groups = timed.groups, shape = order_of(timed).shape](size_t, Size size) {
        return dispatched_groups(groups, shape, {size.width, size.height});
    };
}

Groups striding_groups(Size step, uint32_t most) {
    return [step, most](size_t, Size size) {
        const auto boxes = groups_over(size, step);
        return std::array{std::min(boxes[0] * boxes[1], most), 1u, 1u};
    };
}

}  // namespace tilewise::kernels
