#include "patterns/snippet/triton.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/snippet/comment.h"
#include "patterns/snippet/tile_layout.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

namespace tilewise {

namespace {

/// The results for a bit of an input: one number per output.
using Basis = std::vector<uint64_t>;

std::string bases_text(const std::vector<Basis>& bases) { return fmt::format("{}", bases); }

/// The outermost axis comes first, as in tensors.
std::vector<Axis> tensor_axes(unsigned dimensions) { return {all_axes.rend() - dimensions, all_axes.rend()}; }

Basis basis_of(const Coord& texel, const std::vector<Axis>& axes) {
    Basis basis;
    basis.reserve(axes.size());
    for (const Axis axis : axes) basis.push_back(texel[axis]);
    return basis;
}

std::string axis_names(const std::vector<Axis>& axes) {
    std::vector<std::string> names;
    names.reserve(axes.size());
    for (const Axis axis : axes) names.push_back(fmt::format("\"{}\"", axis_name(axis)));
    return fmt::format("[{}]", fmt::join(names, ", "));
}

unsigned log2_of(uint32_t count, const char* what) {
    if (!std::has_single_bit(count)) throw UsageError(fmt::format("{} {}: Triton takes powers of two", what, count));
    return log2_exact(count);
}

std::string remap_text(const SnippetRequest& request) {
    const Remap& remap = request.remap;
    const std::vector<Axis> axes = tensor_axes(remap.shape[axis_s] > 1 ? 4 : remap.shape[axis_z] > 1 ? 3 : 2);
    std::vector<Basis> bases;
    for (const Coord& column : remap.columns) {
        if (std::ranges::count(column, 0U) + 1 < std::ssize(column))
            throw Error(
                "not expressible in Triton: a bit of the index moves along two axes at once (an XOR), and a "
                "distributed layout's base "
                "moves along one");
        bases.push_back(basis_of(column, axes));
    }
    const unsigned lane_bits = log2_of(request.subgroup_size, "--subgroup");
    const auto bits = static_cast<unsigned>(bases.size());
    if (bits < lane_bits)
        throw UsageError(fmt::format("{} texels are less than a warp of {} lanes: give more --invocations",
                                     element_count(remap.shape), request.subgroup_size));
    const unsigned warp_bits = request.warps ? log2_of(*request.warps, "--warps") : bits - lane_bits;
    if (lane_bits + warp_bits > bits)
        throw UsageError(fmt::format("{} texels are less than {} warps of {} lanes: give more --invocations",
                                     element_count(remap.shape), *request.warps, request.subgroup_size));
    const auto part = [&](unsigned first, unsigned count) {
        const auto begin = bases.begin() + first;
        return bases_text({begin, begin + count});
    };
    const unsigned shared = lane_bits + warp_bits;
    return fmt::format(
        "from triton.experimental.gluon import language as gl\n\n"
        "tilewise_remap = gl.DistributedLinearLayout(\n    reg_bases={},\n    lane_bases={},\n    warp_bases={},\n"
        "    block_bases=[],\n    shape={})\n",
        part(shared, bits - shared), part(0, lane_bits), part(lane_bits, warp_bits), basis_of(remap.shape, axes));
}

struct Input {
    std::string name;
    std::vector<Basis> bases;
};

std::string layout_text(const std::string& name, const std::vector<Input>& inputs, const std::string& outputs,
                        const Basis& sizes, bool surjective) {
    std::vector<std::string> lines;
    lines.reserve(inputs.size());
    for (const Input& input : inputs) lines.push_back(fmt::format("(\"{}\", {})", input.name, bases_text(input.bases)));
    return fmt::format(
        "from triton.tools import LinearLayout\n\n"
        "{} = LinearLayout.from_bases(\n    [{}],\n    {}, {}, {})\n",
        name, fmt::join(lines, ",\n     "), outputs, sizes, surjective ? "True" : "False");
}

std::string address_text(const Pattern& pattern, const std::vector<Axis>& axes) {
    std::vector<Input> inputs;
    for (const Axis axis : axes) {
        Input& input = inputs.emplace_back(Input{std::string(1, axis_name(axis)), {}});
        for (const uint64_t column : element_columns(pattern, axis)) input.bases.push_back({column});
    }
    return layout_text("tilewise_address", inputs, "[\"offset\"]", {uint64_t{1} << element_bits(pattern)}, false);
}

std::string texel_text(const Pattern& pattern, const std::vector<Axis>& axes) {
    gf2::Columns within;  // E alone, and the texel for each column
    std::vector<Coord> texels;
    for (const Axis axis : axes)
        for (unsigned bit = 0; bit < log2_exact(pattern.tile[axis]); bit++) {
            within.push_back(element_columns(pattern, axis)[bit]);
            texels.emplace_back(Coord{})[axis] = 1U << bit;
        }
    gf2::Columns inverse = gf2::left_inverse(within);
    inverse.resize(element_bits(pattern));  // no element has a bit beyond E's set
    const auto basis_at = [&](uint64_t place) {
        const uint64_t from = gf2::apply(inverse, place);
        Coord texel = {};
        for (size_t i = 0; i < texels.size(); i++)
            for (const Axis axis : axes)
                if (from >> i & 1) texel[axis] ^= texels[i][axis];
        return basis_of(texel, axes);
    };
    std::vector<Input> inputs = {{"offset", {}}};
    for (unsigned bit = 0; bit < inverse.size(); bit++) inputs[0].bases.push_back(basis_at(uint64_t{1} << bit));
    for (const Axis axis : axes) {
        const gf2::Columns columns = element_columns(pattern, axis);
        Input input = {fmt::format("tile_{}", axis_name(axis)), {}};
        for (const uint64_t column : std::span(columns).subspan(log2_exact(pattern.tile[axis])))
            input.bases.push_back(basis_at(column));
        if (!input.bases.empty()) inputs.push_back(std::move(input));
    }
    return layout_text("tilewise_texel", inputs, axis_names(axes), basis_of(pattern.tile, axes), true);
}

std::string triton_comment(const SnippetRequest& request) {
    if (request.kind == SnippetKind::remap)
        return "Triton 3.6 and later: the layout of a block's tensor; a load with it follows the pattern in memory\n";
    const Pattern& pattern = request.layout.pattern;
    return fmt::format(
        "Triton 3.6 and later: {}, offsets in elements of {} bytes\n"
        "before it come whole tiles ({} texels, {} bytes), by the image's strides\n",
        request.kind == SnippetKind::address ? "texel -> offset in its tile" : "offset in a tile -> texel of that tile",
        pattern.element.bytes, shape_text(pattern.tile), pattern.tile_bytes);
}

}  // namespace

std::string emit_triton(const SnippetRequest& request, const std::string& comment) {
    const bool is_remap = request.kind == SnippetKind::remap;
    if (request.image || (!is_remap && request.kind != SnippetKind::address && request.kind != SnippetKind::texel))
        throw UsageError("in Triton there are snippets of the kinds remap, and address and texel of one tile");
    if (!is_remap) require_tile_layout(request.layout, "Triton");
    const std::vector<Axis> axes = tensor_axes(snippet_dimensions(request.layout));
    return comment_lines(comment + triton_comment(request), "#") + (is_remap ? remap_text(request)
                                                                    : request.kind == SnippetKind::address
                                                                        ? address_text(request.layout.pattern, axes)
                                                                        : texel_text(request.layout.pattern, axes));
}

}  // namespace tilewise
