// The code of the search for the brightest texels of squares.
#include "kernels/brightest/brightest.h"
#include "kernels/code/code.h"
#include "kernels/code/comment.h"
#include "kernels/shader/order.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <optional>

namespace tilewise::kernels {

namespace {

/// A workgroup whose subgroups search squares.
struct SearchingGroup {
    uint32_t subgroup_size = 0;
    BrightestDeal deal;
    Size shape;
};

/// The group as it was timed; none if it is not such a workgroup.
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

/// The group for the device's subgroups; none if their size is unknown or too large.
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

/// Its invocations search squares of 8x8, so its order is an order of such squares.
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

/// One workgroup per square of 8x8.
Code brightest_by_tree(const CodeRequest& request) {
    const Language language = request.language;
    Code code = {{{"brightest_shared.comp", {{"REGION", "1"}, {"TREE", ""}}}}};
    TimedMethod square = request.method;
    square.groups = {};
    square.remap = row_order({square_side, square_side, 1, 1});
    take_order(code, square);
    code.work = {1, 0, static_cast<uint32_t>(std::bit_width(code.invocations) - 1), {square_side, square_side}};
    code.groups = groups_of({square_side, square_side});
    code.arguments = {"counters, list, source, push"};
    code.about = compile_text(code, request, {""}) +
                 buffers_text(language,
                              {"512 bytes, zero before each run; the first word is the number of points",
                               "the points, 32 bytes for each square of 8x8: colour, x, y, luminance"},
                              fmt::format("source, an image of width x height texels, {}", format_name(request))) +
                 read_mode_text(code, request) +
                 fmt::format("{}: int32_t width, height; float threshold\n", push_place(language, 3, 3)) +
                 groups_text({square_side, square_side});
    return code;
}

}  // namespace

Chosen brightest_code(const CodeRequest& request, bool may_depart) {
    const TimedMethod& timed = request.method;
    const bool by_subgroups = timed.method == brightest_subgroups_name;
    if (request.language == Language::glsl && by_subgroups)
        if (const auto code = brightest_by_subgroups(request)) return {*code, brightest_subgroups_name, ""};
    if (!may_depart) throw not_given(timed);
    const std::string why = request.language != Language::glsl
                                ? "only GLSL searches whole subgroups: this goes through shared memory\n"
                                : "subgroups search where their size is known: this goes through shared memory\n";
    return {brightest_by_tree(request), "groupshared, tree", by_subgroups ? why : ""};
}

}  // namespace tilewise::kernels
