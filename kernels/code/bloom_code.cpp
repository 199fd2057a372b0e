// The code of the bloom's steps down and up.
#include "kernels/bloom/bloom.h"
#include "kernels/code/code.h"
#include "kernels/code/comment.h"
#include "kernels/image/texture.h"
#include "kernels/shader/order.h"
#include "patterns/model/error.h"
#include <fmt/format.h>

namespace tilewise::kernels {

/// A step down and a step up: each is dispatched for several levels.
Chosen bloom_code(const CodeRequest& asked, bool may_depart) {
    CodeRequest request = asked;
    const std::string smaller = take_order_that_fits(request);
    const TimedMethod& timed = request.method;
    const Language language = request.language;
    const bool is_sampled = timed.method == bloom_name(BloomTaps::sampler),
               is_fetched = timed.method == bloom_name(BloomTaps::fetches);
    if (!is_sampled && !is_fetched && !may_depart) throw not_given(timed);
    const BloomTaps taps = is_fetched || language == Language::cuda ? BloomTaps::fetches : BloomTaps::sampler;
    const std::string departures =
        smaller +
        (is_sampled && language == Language::cuda
             ? "CUDA's point-sampled texture objects have no samples between texels: each is computed from four\n"
             : "");
    Code code = {
        {bloom_variant(timed.format, BloomStep::down, taps), bloom_variant(timed.format, BloomStep::up, taps)}};
    take_order(code, timed);
    code.sampling = taps == BloomTaps::sampler ? Sampling::approximate : Sampling::exact;
    code.writes = {format_name(request), format_name(request)};
    code.has_intermediate = false;
    // Five samples per texel of the levels below the image; eight per texel of the image and of the levels above the
    // last.
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

}  // namespace tilewise::kernels
