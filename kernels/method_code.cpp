#include "kernels/method_code.h"
#include "kernels/average/average.h"
#include "kernels/box/box.h"
#include "kernels/brightest/brightest.h"
#include "kernels/separable/separable.h"
#include "patterns/model/error.h"
#include "patterns/snippet/comment.h"
#include "patterns/snippet/function.h"
#include "patterns/snippet/kernel.h"
#include "patterns/snippet/print.h"
#include <fmt/format.h>

namespace tilewise::kernels {

namespace {

struct Code {
    std::vector<Variant> passes;
    /// The comment has these lines.
    std::string about = {};
    /// They are as in whole_text().
    std::map<std::string, std::string> instead = {};
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
    code.instead["order.glsl"] = order_text(timed, remap, 1u << remap.columns.size());
}

/// As they are launched.
std::string groups_text(Size shape) { return groups_function({}, {shape.width, shape.height, 1, 1}); }

/// The function of the workgroup's position, for a method that takes workgroups in any order.
std::string groups_text(const TimedMethod& timed) { return groups_function(timed.groups, order_of(timed).shape); }

std::string images_text(const TimedMethod& timed) {
    return fmt::format("binding 0: result, binding 1: source, two images of width x height texels, {}\n",
                       traits_of(timed.format).name);
}

std::string sampler_text(Sampling sampling) {
    return sampling == Sampling::exact ? "" : "the source's sampler is bilinear and clamps to the edge\n";
}

constexpr const char* push_size = "push constants: int32_t width, height\n";

/// `groups`: the statements of either pass, which may ask for `pass`.
std::string two_passes_text(const TimedMethod& timed, Sampling sampling, const std::string& groups) {
    return fmt::format(
               "two dispatches, with a barrier between them; the text is compiled for each:\n"
               "  glslc --target-env=vulkan1.1 -fshader-stage=compute -DPASS=1: down the columns\n"
               "  glslc --target-env=vulkan1.1 -fshader-stage=compute -DPASS=2: along the rows\n"
               "binding 0: result, binding 1: source, both of width x height texels; the first pass reads {0} and\n"
               "writes {1}, which the second one reads to write {0}\n",
               traits_of(timed.format).name, traits_of(scratch_format(timed.format)).name) +
           sampler_text(sampling) + push_size +
           fmt::format(
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

template <typename MakeVariant>
std::vector<Variant> two_passes(const TimedMethod& timed, const MakeVariant& variant) {
    return {variant(scratch_format(timed.format), Direction::y), variant(timed.format, Direction::x)};
}

Code code_of(const TimedMethod& timed, const DirectMethod& direct) {
    Code code = {two_passes(timed, [&](Format to, Direction direction) {
        return direct_variant(*timed.filter, to, timed.radius, direction, direct.sampling);
    })};
    take_order(code, timed);
    code.about = two_passes_text(
        timed, direct.sampling,
        "      (void)pass;  // both are dispatched alike\n" + groups_lines(timed.groups, order_of(timed).shape));
    return code;
}

/// It draws.
std::optional<Code> code_of(const TimedMethod&, const FragmentMethod&) { return std::nullopt; }

Code code_of(const TimedMethod& timed, const SharedMethod& shared) {
    Code code = {two_passes(timed, [&](Format to, Direction direction) {
        return shared_variant(*timed.filter, to, timed.radius, direction, shared.shape, shared.sampling);
    })};
    code.about = two_passes_text(timed, shared.sampling, turned_groups_lines(timed.shape));
    return code;
}

Code code_of(const TimedMethod& timed, const FusedShape& fused) {
    return {{fused_variant(*timed.filter, timed.format, timed.radius, fused)},
            images_text(timed) + push_size + groups_text(timed.shape)};
}

Code code_of(const TimedMethod& timed, const BoxDirect& direct) {
    Code code = {{box_direct_variant({timed.format, {}, timed.radius}, direct)}};
    if (!direct.run_time_radius) code.passes.front().defines.emplace_back("RADIUS", std::to_string(timed.radius));
    take_order(code, timed);
    code.about = images_text(timed) + "push constants: int32_t width, height" +
                 (direct.run_time_radius ? fmt::format(", radius = {}", timed.radius) : "") + "\n" + groups_text(timed);
    return code;
}

Code code_of(const TimedMethod& timed, const RunningShape& shape) {
    return {{running_variant({timed.format, {}, timed.radius}, shape)},
            images_text(timed) +
                (timed.format == Format::rgba8
                     ? "the source is seen as R32_UINT: a view of an image with VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT\n"
                     : "") +
                fmt::format("push constants: int32_t width, height, strip_rows = {}\n", shape.strip_rows) +
                groups_text(timed.shape)};
}

template <typename Method>
std::optional<Code> code_of(const TimedMethod& timed, const std::optional<Method>& method) {
    if (!method) return std::nullopt;
    return std::visit([&](const auto& each) { return std::optional<Code>(code_of(timed, each)); }, *method);
}

std::optional<Code> filter_code(const TimedMethod& timed) {
    return code_of(timed, filter_method_of(timed.method, timed.shape, timed.invocations));
}

std::optional<Code> box_code(const TimedMethod& timed) {
    return code_of(timed,
                   box_method_of({timed.format, {}, timed.radius}, timed.method, timed.shape, timed.invocations));
}

std::optional<Code> average_code(const TimedMethod& timed) {
    if (timed.method != average_subgroups_name) return std::nullopt;
    const AverageSteps steps;
    Code code = {{average_subgroups_variant(steps)}};
    take_order(code, timed);
    const Size box = shape_of(order_of(timed));
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
        traits_of(timed.format).name, box.width * steps.along_x - 1, box.width * steps.along_x,
        box.height * steps.along_y - 1, box.height * steps.along_y, steps.workgroups, steps.workgroups);
    return code;
}

/// Its invocations search squares of 8x8: the order is one of these.
std::optional<Code> brightest_code(const TimedMethod& timed) {
    const BrightestDeal deal;
    const uint32_t invocations = timed.invocations == 0 ? deal.invocations : timed.invocations;
    const uint64_t squares = count(timed.shape) / 64;
    if (timed.method != brightest_subgroups_name || timed.shape.width != deal.along_x * 8 || squares == 0 ||
        invocations % squares != 0)
        return std::nullopt;
    const auto subgroup_size = static_cast<uint32_t>(invocations / squares * deal.squares);
    if (subgroup_size > 64 || invocations != deal.invocations || timed.shape.height != squares / deal.along_x * 8)
        return std::nullopt;
    Code code = {{brightest_subgroups_variant(subgroup_size, deal)}};
    code.instead["order.glsl"] = order_text(timed, square_order(order_of(timed)), invocations);
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
        subgroup_size, traits_of(timed.format).name, timed.shape.width - 1, timed.shape.width, timed.shape.height - 1,
        timed.shape.height, timed.shape.width / 8, timed.shape.height / 8);
    return code;
}

}  // namespace

std::string method_code(const TimedMethod& timed, const std::string& comment) {
    const std::optional<Code> code = timed.kernel == "box"         ? box_code(timed)
                                     : timed.kernel == "average"   ? average_code(timed)
                                     : timed.kernel == "brightest" ? brightest_code(timed)
                                     : timed.filter                ? filter_code(timed)
                                                                   : std::nullopt;
    if (!code)
        throw Error(fmt::format(
            "{}, {} in workgroups of {}x{} is not given as code; its shaders are in the source, in kernels/",
            timed.kernel, timed.method, timed.shape.width, timed.shape.height));
    return "#version 450\n" + comment_lines(comment + code->about) + whole_text(code->passes, code->instead);
}

}  // namespace tilewise::kernels
