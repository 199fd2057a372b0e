// The code of separable filters: in one pass, or in two with an image between them.
#include "kernels/code/code.h"
#include "kernels/code/comment.h"
#include "kernels/separable/separable.h"
#include "kernels/shader/order.h"
#include "patterns/model/error.h"
#include "patterns/snippet/kernel.h"
#include <fmt/format.h>
#include <optional>
#include <variant>

namespace tilewise::kernels {

namespace {

/// Boxes that lie along the line that the pass reads.
std::string turned_groups_lines(Size along) {
    return fmt::format(
        "      const uint32_t x = pass == 1 ? {0} : {1}, y = pass == 1 ? {1} : {0};\n"
        "      groups[0] = (width + x - 1) / x;\n"
        "      groups[1] = (height + y - 1) / y;\n"
        "      groups[2] = 1;\n",
        along.height, along.width);
}

/// The texels fetched on a line, with RADIUS of them to either side of the result.
double fetches_on_line(uint32_t radius, Sampling sampling) {
    return 1 + 2.0 * (sampling == Sampling::exact ? radius : (radius + 1) / 2);
}

/// The share for each of `results` side by side, all of which share the texels around them.
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
    // Fetched in addition to shared memory, whose samples lie midway: the centre and, for an odd radius, the outermost
    // texels.
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

/// Draws, so its code is not given.
Code code_of(const CodeRequest& request, const FragmentMethod&) { throw not_given(request.method); }

Chosen chosen(const CodeRequest& request, const FilterMethod& method, const std::string& departures) {
    return {std::visit([&](const auto& each) { return code_of(request, each); }, method), method_name(method),
            departures};
}

}  // namespace

Chosen filter_code(const CodeRequest& request, bool may_depart) {
    const TimedMethod& timed = request.method;
    const WorkgroupLimits limits = limits_of(request);
    std::optional<FilterMethod> method = is_timed(timed)
                                             ? filter_method_of(timed.method, timed.shape, timed.invocations)
                                             : filter_method_named(timed.method);
    if (!may_depart) {
        if (!method) throw not_given(timed);
        return chosen(request, *method, "");
    }
    const FusedShape fused = fused_shape(limits, timed.format, timed.radius);
    // If a workgroup is too narrow for the radius, the two-pass methods remain.
    const bool has_fused = fused.width > 0 && fused.width <= fused.invocations &&
                           fits(limits, fused.invocations, shared_bytes_of(fused, timed.radius));
    const FilterMethod exact = has_fused ? FilterMethod(fused) : FilterMethod(SharedMethod{});
    std::string departures;
    if (!method || std::holds_alternative<FragmentMethod>(*method)) {
        if (method)
            departures = "a fragment shader is not printed by itself: this is the exact method that follows it\n";
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

}  // namespace tilewise::kernels
