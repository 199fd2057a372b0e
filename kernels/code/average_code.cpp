// The code of the mean of an image.
#include "kernels/average/average.h"
#include "kernels/code/code.h"
#include "kernels/code/comment.h"
#include "kernels/shader/order.h"
#include "patterns/model/error.h"
#include <bit>
#include <fmt/format.h>

namespace tilewise::kernels {

namespace {

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
    // One tree in each of two passes.
    code.work = {1, 0, 2 * static_cast<uint32_t>(std::bit_width(code.invocations) - 1), step};
    code.arguments = {"sums, source, push", "mean, sums, push"};
    code.groups = [step](size_t pass, Size size) {
        return pass == 0 ? groups_over(size, step) : std::array{1u, 1u, 1u};
    };
    const std::string source = fmt::format("source, an image of width x height texels, {}", format_name(request));
    code.about = fmt::format(
        "two dispatches, with a barrier between them{}{}:\n{}"
        "the first pass: {}the second pass: {}{}"
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
        buffer_barrier_text(language), language == Language::glsl ? "; the text is compiled for each" : "",
        compile_text(code, request, {"sums of boxes", "their sum"}),
        buffers_text(language, {"sums, 16 bytes a workgroup"}, source),
        buffers_text(language, {"the mean, four floats", "the sums of the first pass"}, ""),
        read_mode_text(code, request), push_place(language, 2, 2), step.width - 1, step.width, step.height - 1,
        step.height);
    return code;
}

}  // namespace

Chosen average_code(const CodeRequest& request, bool may_depart) {
    const TimedMethod& timed = request.method;
    const bool by_subgroups = timed.method == average_subgroups_name;
    if (by_subgroups && request.language == Language::glsl)
        return {average_by_subgroups(request), average_subgroups_name, ""};
    if (!may_depart) throw not_given(timed);
    const std::string why = by_subgroups ? fmt::format(
                                               "one dispatch by subgroups needs memory that workgroups share, which {} "
                                               "cannot express: these are two\n",
                                               language_name(request.language))
                                         : "";
    return {average_by_shared_memory(request), "groupshared", why};
}

}  // namespace tilewise::kernels
