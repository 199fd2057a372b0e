// The code of the luminance histogram.
#include "kernels/code/code.h"
#include "kernels/histogram/histogram.h"
#include "kernels/shader/order.h"
#include "patterns/model/error.h"
#include <fmt/format.h>

namespace tilewise::kernels {

namespace {

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

}  // namespace

Chosen histogram_code(const CodeRequest& request, bool may_depart) {
    const TimedMethod& timed = request.method;
    if (request.language != Language::glsl)
        throw Error(
            fmt::format("no histogram in {}: its bins are arrays of atomics, which are not translated; there "
                        "is --code glsl",
                        language_name(request.language)));
    const bool is_one = timed.method == histogram_one_name;
    if (!is_one && !may_depart) throw not_given(timed);
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

}  // namespace tilewise::kernels
