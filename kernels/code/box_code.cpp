// The code of the box blur: all neighbours, or running sums.
#include "kernels/code/code.h"
#include "kernels/code/comment.h"
#include "kernels/shader/order.h"
#include "patterns/model/error.h"
#include <fmt/format.h>
#include <optional>
#include <variant>

namespace tilewise::kernels {

namespace {

/// Texels of an image that is divided: 4096x4096 unless given.
BoxRequest box_request(const CodeRequest& request) {
    return {request.method.format, request.size, request.method.radius};
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
        // WebGPU cannot view an image in another format.
        code.of_words = false;
        code.passes.front().defines.emplace_back("SEEN_AS_IS", "");
    }
    code.fields = {fmt::format("strip_rows = {}", shape.strip_rows)};
    const Size strip = {strip_width(box, shape), shape.strip_rows};
    // Each column reads ahead by the rows between two barriers, and reads texels leaving the box again if these are not
    // kept.
    const double of_column = 2.0 * timed.radius + (shape.refetch ? 2 : 1) * (shape.rows + double{1} * shape.strip_rows);
    code.work = {shape.invocations * of_column / static_cast<double>(count(strip)), 0,
                 2 * (shape.strip_rows / shape.rows), strip};
    code.host = groups_text(strip);
    code.groups = groups_of(strip);
    return code;
}

Chosen chosen(const CodeRequest& request, const BoxMethod& method, const std::string& departures) {
    return {std::visit([&](const auto& each) { return code_of(request, each); }, method), method_name(method),
            departures};
}

}  // namespace

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
        if (!method) throw not_given(timed);
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

}  // namespace tilewise::kernels
