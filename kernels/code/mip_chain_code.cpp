// The code of mip chains: all levels in one dispatch, or one a level.
#include "kernels/code/code.h"
#include "kernels/code/comment.h"
#include "kernels/image/texture.h"
#include "kernels/mip_chain/mip_chain.h"
#include "kernels/shader/order.h"
#include "patterns/model/error.h"
#include <fmt/format.h>

namespace tilewise::kernels {

namespace {

/// The workgroups of the first levels compute all levels; the last workgroup to finish continues.
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
    code.work = {(shape.is_sampled ? 0.25 : 1) + 1.0 / (64 * 64),
                 texels_of_levels * texel_bytes(format_name(request)),
                 barriers,
                 {64, 64}};
    code.groups = [shape](size_t, Size size) { return mip_chain_groups(size, shape); };
    const uint32_t most = shape.workgroups == 0 ? UINT32_MAX : shape.workgroups;
    code.about = fmt::format(
        "for images whose longer side has {} to {} texels: it can be halved LEVELS times\n"
        "binding 0: 4 bytes, zero before the first run; bindings 1 to {}: levels 1 to {} of an image, each a view of "
        "its\n"
        "own, {}; binding {}: its level 0, width x height texels{}\n"
        "push constants: int32_t width, height\n"
        "workgroups to dispatch, on the host:\n"
        "  void tilewise_groups(uint32_t width, uint32_t height, uint32_t groups[3]) {{\n"
        "      const uint32_t tiles = ((width + 63) / 64) * ((height + 63) / 64);\n"
        "      groups[0] = tiles < {}u ? tiles : {}u;\n"
        "      groups[1] = groups[2] = 1;\n"
        "  }}\n",
        1u << levels, (2u << levels) - 1, levels, levels, format_name(request), levels + 1,
        shape.is_sampled ? ", with a sampler that is bilinear and clamps to the edge" : "", most, most);
    return code;
}

/// A dispatch for each level.
Code mip_chain_by_level(const CodeRequest& request) {
    const TimedMethod& timed = request.method;
    const Language language = request.language;
    Code code = {{mip_chain_level_variant(timed.format)}};
    take_order(code, timed);
    code.writes = {format_name(request)};
    // Every level but the last is read, and every level but the first is written.
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

}  // namespace

Chosen mip_chain_code(const CodeRequest& request, bool may_depart) {
    const TimedMethod& timed = request.method;
    if (timed.method == mip_chain_level_name) return {mip_chain_by_level(request), mip_chain_level_name, ""};
    MipShape shape;
    bool is_known = false;
    for (const MipShape& each : mip_shapes) {
        if (timed.method != mip_chain_one_name(each)) continue;
        shape = each;
        is_known = !is_timed(timed) || timed.invocations == mip_chain_invocations(shape.quads);
    }
    if (!may_depart && !is_known) throw not_given(timed);
    if (request.language != Language::glsl)
        return {mip_chain_by_level(request), mip_chain_level_name,
                fmt::format("one dispatch for all levels needs images that workgroups share, which {} cannot express: "
                            "this is one per level\n",
                            language_name(request.language))};
    const char* departure = timed.method == mip_chain_blits_name ? "blits are not shaders: this is one dispatch\n" : "";
    const uint32_t most = limits_of(request).max_invocations;
    if (!is_timed(timed))
        while (mip_chain_invocations(shape.quads) > most && shape.quads < 16) shape.quads *= 2;
    return {mip_chain_in_one(request, shape), mip_chain_one_name(shape), departure};
}

}  // namespace tilewise::kernels
