// The code of the luminance histogram: in one dispatch, or with the exposure in a second one.
#include "kernels/code/code.h"
#include "kernels/code/comment.h"
#include "kernels/histogram/histogram.h"
#include "kernels/shader/order.h"
#include "patterns/model/error.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace tilewise::kernels {

namespace {

/// A pass over the image, in the order of the timing.
struct Counting {
    HistogramSteps steps;
    /// The texels that a workgroup takes in at a time, and the most workgroups.
    Size step;
    uint32_t most = 0;
};

Counting take_counting(Code& code, const CodeRequest& request) {
    const TimedMethod& timed = request.method;
    take_order(code, timed);
    Counting counting;
    const Size box = shape_of(order_of(timed));
    counting.step = {box.width, box.height * counting.steps.along_y};
    counting.most = histogram_workgroups(counting.steps, code.invocations);
    code.work = {1, source_bytes(request), 0, counting.step};
    return counting;
}

constexpr const char* push_struct = "  struct tilewise_push { uint32_t size[2], steps[2], stride[2]; };\n";

/// Statements of the host's function that compute `groups` workgroups and the push constants for them.
std::string striding_host(const Counting& counting, const char* groups) {
    return fmt::format(
        "      const uint32_t x = (width + {}) / {}, y = (height + {}) / {}, {} = x * y < {} ? x * y : {};\n"
        "      push->size[0] = width, push->size[1] = height;\n"
        "      push->steps[0] = x, push->steps[1] = y;\n"
        "      push->stride[0] = {} % x, push->stride[1] = {} / x;\n",
        counting.step.width - 1, counting.step.width, counting.step.height - 1, counting.step.height, groups,
        counting.most, counting.most, groups, groups);
}

/// The workgroup that ends last computes the exposure.
Code histogram_in_one(const CodeRequest& request) {
    Code code = {{histogram_variant(request.method.format, {}, true)}};
    const Counting counting = take_counting(code, request);
    code.work.barriers = 4;
    code.groups = striding_groups(counting.step, counting.most);
    code.about = fmt::format(
        "binding 0: {} bytes, all zero before the first run; binding 1: {} bytes: the texels of each bin, then as "
        "floats "
        "the\n"
        "average luminance (of floats the geometric mean) and the exposure; binding 2: source, an image of width x "
        "height texels, {}\n"
        "push constants and workgroups along x, on the host:\n"
        "{}"
        "  uint32_t tilewise_groups(uint32_t width, uint32_t height, struct tilewise_push* push) {{\n"
        "{}"
        "      return groups;\n"
        "  }}\n",
        histogram_bytes(counting.steps), sizeof(Histogram), format_name(request), push_struct,
        striding_host(counting, "groups"));
    return code;
}

/// A dispatch of one workgroup computes the exposure.
Code histogram_in_two(const CodeRequest& request) {
    const Format format = request.method.format;
    const Language language = request.language;
    Code code = {{histogram_variant(format, {}, false), exposure_variant(format, {})}};
    const Counting counting = take_counting(code, request);
    // Barriers around the count, then down a tree of invocations that each have one bin or several.
    const uint32_t leaves = std::min(code.invocations, histogram_bins);
    code.work.barriers = 2 + static_cast<uint32_t>(std::bit_width(leaves) - 1);
    code.groups = [over_image = striding_groups(counting.step, counting.most)](size_t pass, Size size) {
        return pass == 0 ? over_image(pass, size) : std::array{1u, 1u, 1u};
    };
    code.arguments = {"bins, source, push", "bins, result"};
    code.about = fmt::format(
        "two dispatches, with a barrier between them{}{}:\n{}{}"
        "bins: {} bytes, all zero before the first run; result: {} bytes, the texels of each bin, then as floats the\n"
        "average luminance (of floats the geometric mean) and the exposure; source: an image of width x height texels, "
        "{}\n"
        "the first pass has no result, the second one no source and nothing pushed\n"
        "{}{}: struct tilewise_push\n"
        "workgroups to dispatch, on the host:\n"
        "{}"
        "  void tilewise_groups(uint32_t pass, uint32_t width, uint32_t height, uint32_t groups[3],\n"
        "                       struct tilewise_push* push) {{\n"
        "{}"
        "      groups[0] = pass == 1 ? all : 1;\n"
        "      groups[1] = groups[2] = 1;\n"
        "  }}\n",
        buffer_barrier_text(language), language == Language::glsl ? "; the text is compiled for each" : "",
        compile_text(code, request,
                     {"counts texels in bins", "adds up the bins, makes them zero again, computes the exposure"}),
        buffers_text(language, {"bins", "result"}, "source"), sizeof(uint32_t) * histogram_bins * counting.steps.sets,
        sizeof(Histogram), format_name(request), read_mode_text(code, request), push_place(language, 3, 3), push_struct,
        striding_host(counting, "all"));
    return code;
}

}  // namespace

Chosen histogram_code(const CodeRequest& request, bool may_depart) {
    const TimedMethod& timed = request.method;
    const bool is_one = timed.method == histogram_one_name, is_two = timed.method == histogram_two_name;
    if (!is_one && !is_two && !may_depart) throw not_given(timed);
    if (is_two || request.language != Language::glsl) {
        CodeRequest smaller = request;
        std::string departures = take_order_that_fits(smaller);
        if (!is_two)
            departures += fmt::format(
                "one dispatch needs memory that workgroups share while they run, which is not translated to {}: these "
                "are two\n",
                language_name(request.language));
        return {histogram_in_two(smaller), histogram_two_name, departures};
    }
    return {histogram_in_one(request), histogram_one_name,
            is_one ? "" : "a method that counts in shared memory, in one dispatch\n"};
}

}  // namespace tilewise::kernels
