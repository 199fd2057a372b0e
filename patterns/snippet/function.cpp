// What the functions compute, bit by bit. AMD Navi 21, RGBA8, tiles of 128x128 (64 KiB):
//
//   address   tile     (texel.x >> 7) * stride.x + (texel.y >> 7) * stride.y
//             within   bit     15  14  13  12  11  10      9   8   7   6   5   4   3   2   1   0
//                      E    x6^y6  x6  y3  x3  x5  y5  x4^y4  y4  y2  x2  y1  y0  x1  x0   .   .
//                      G        .  y7   .   .  y7  x7      .   .   .   .   .   .   .   .   .   .
//
// G reads the tile's coordinates, which are the texel's own bits from x7 and y7 on: so E and G are one map of the
// texel. If there is an F, it goes into the tile's part: its bit i is bit i + 16 of the sum of strides.
//
//   texel     The offset is divided by the strides, the largest first. The remainder is `within`, w15 to w0, and E's
//             inverse takes it to the low bits; the bits above are the tile's coordinates.
//
//             bit      31 .. 7            6        5      4    3   2   1   0
//             x         tile_x      w14^ty0  w11^ty0  w8^w9  w12  w6  w3  w2
//             y         tile_y  w14^w15^ty0  w10^tx0     w8  w13  w7  w5  w4
#include "patterns/snippet/function.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/one_to_one.h"
#include "patterns/snippet/linear_map.h"
#include <algorithm>
#include <bit>
#include <cassert>
#include <fmt/format.h>
#include <mutex>
#include <optional>

namespace tilewise {

using namespace ir;

namespace {

uint64_t below(unsigned bits) { return (uint64_t{1} << bits) - 1; }

void name_coordinates(Program& program, const std::vector<Value>& values) {
    if (values.size() > 1)
        for (size_t i = 0; i < values.size(); i++) give_name(program, values[i], std::string(1, "xyzw"[i]));
}

unsigned remap_dimensions(const Remap& remap) { return remap.shape[axis_s] > 1 ? 4 : remap.shape[axis_z] > 1 ? 3 : 2; }

Function remap_function(const Remap& remap, bool has_pdep) {
    Function function = {.name = "tilewise_remap"};
    Program& program = function.program;
    program.has_pdep = has_pdep;
    LinearMapTask task;
    const auto bits = static_cast<unsigned>(remap.columns.size());
    task.inputs = add_parameter(function, {"index"}, below(bits));
    task.constants.resize(remap_dimensions(remap));
    for (unsigned bit = 0; bit < bits; bit++)
        for (unsigned a = 0; a < task.constants.size(); a++) add_moves(task.moves, 0, bit, a, remap.columns[bit][a]);
    function.results = emit_linear_map(program, task);
    name_coordinates(program, function.results);
    return function;
}

/// Blocks of groups one after the other, from the outermost axis to the innermost, row by row in each. A block is cut
/// short where the grid ends, which changes the number of groups in each block further in.
Function blocks_function(const std::array<uint64_t, 3>& block, const std::array<Axis, 3>& order) {
    Function function = {.name = "tilewise_group"};
    Program& program = function.program;
    Value rest = add_parameter(function, {"id"})[0];
    const std::vector<Value> groups = add_parameter(function, {"groups", 3});
    const std::array<std::string, 3> start_names = {"left", "top", "front"}, size_names = {"width", "height", "depth"};
    std::array<Value, 3> start{}, size = {groups[0], groups[1], groups[2]};
    const Value zero = constant(program, 0);
    for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
        const Axis a = *axis;
        start[a] = zero;
        if (block[a] == 0) continue;  // the whole axis
        Value slab = constant(program, block[a]);
        for (Axis other : {axis_x, axis_y, axis_z})
            if (other != a) slab = apply(program, Op::multiply, size[other], slab);
        Value count = apply(program, Op::divide, rest, slab);
        rest = apply(program, Op::modulo, rest, slab);
        start[a] = apply_number(program, Op::multiply, count, block[a]);
        give_name(program, start[a], start_names[a]);
        size[a] = block[a] == 1 ? constant(program, 1)
                                : apply(program, Op::minimum, apply(program, Op::subtract, groups[a], start[a]),
                                        constant(program, block[a]));
        give_name(program, size[a], size_names[a]);
        give_name(program, rest, "rest");
        give_name(program, slab, "slab");
    }
    for (Axis a : {axis_x, axis_y, axis_z}) {
        const bool last = a == axis_z;
        function.results.push_back(
            apply(program, Op::add, start[a], last ? rest : apply(program, Op::modulo, rest, size[a])));
        if (!last) rest = apply(program, Op::divide, rest, size[a]);
    }
    return function;
}

Function group_function(const GroupOrder& order) {
    const auto no_samples = [&] {
        std::array<Axis, 3> axes{};
        std::ranges::copy_if(order.tile_order, axes.begin(), [](Axis a) { return a != axis_s; });
        return axes;
    };
    switch (order.kind) {
        case GroupOrderKind::strips:
            return blocks_function({order.strip_width, 0, 1}, {axis_x, axis_y, axis_z});
        case GroupOrderKind::tiles:
            return blocks_function({order.tile_groups[0], order.tile_groups[1], order.tile_groups[2]}, no_samples());
        case GroupOrderKind::linear:
            break;
    }
    return blocks_function({0, 0, 0}, {axis_x, axis_y, axis_z});
}

/// The byte offset of a texel from the base.
Value emit_address(Program& program, const Layout& layout, const std::vector<Value>& texel,
                   const std::vector<Value>& stride, bool wide) {
    const Pattern& pattern = layout.pattern;
    const auto dimensions = static_cast<unsigned>(texel.size());
    Value tiles = constant(program, 0, wide);
    for (unsigned a = 0; a < dimensions; a++) {
        const Value tile = apply_number(program, Op::shift_right, texel[a], log2_exact(pattern.tile[a]));
        const Value term = apply(program, Op::multiply, wide ? widen(program, tile) : tile, stride[a]);
        tiles = a == 0 ? term : apply(program, Op::add, tiles, term);
    }

    LinearMapTask within = {.inputs = texel, .moves = {}, .constants = {layout.constant}};
    LinearMapTask index = {.inputs = texel, .moves = {}, .constants = {0}};
    const bool has_index = !pattern.index_xor.is_zero();
    const bool by_bytes = std::has_single_bit(pattern.tile_bytes);
    for (unsigned a = 0; a < dimensions; a++) {
        const std::vector<uint64_t> columns = columns_within(pattern, all_axes[a]);
        for (unsigned bit = 0; bit < columns.size(); bit++) add_moves(within.moves, a, bit, 0, columns[bit]);
        // An XOR of the tile's index becomes an XOR of the bits of the sum of strides, because strides are whole tiles.
        const std::vector<uint64_t>& swap = pattern.index_xor.columns[a];
        for (unsigned bit = 0; bit < swap.size(); bit++)
            add_moves(by_bytes ? within.moves : index.moves, a, log2_exact(pattern.tile[a]) + bit, 0,
                      by_bytes ? swap[bit] * pattern.tile_bytes : swap[bit]);
    }
    Value inner = emit_linear_map(program, within)[0];
    inner = apply_number(program, Op::multiply, inner, pattern.offset_unit());
    if (has_index && !by_bytes) {
        tiles = apply_number(program, Op::divide, tiles, pattern.tile_bytes);
        const Value swap = emit_linear_map(program, index)[0];
        tiles = apply(program, Op::bit_xor, tiles, wide ? widen(program, swap) : swap);
        tiles = apply_number(program, Op::multiply, tiles, pattern.tile_bytes);
    }
    give_name(program, tiles, "tile");
    give_name(program, inner, "within");
    if (wide) inner = widen(program, inner);
    return apply(program, has_index && by_bytes ? Op::bit_xor : Op::add, tiles, inner);
}

/// With strides and offsets of 64 bits.
Function address_function(const Layout& layout, bool has_pdep) {
    const unsigned dimensions = snippet_dimensions(layout);
    Function function = {.name = "tilewise_address"};
    function.program.has_pdep = has_pdep;
    const std::vector<Value> texel = add_parameter(function, {"texel", dimensions, false, true});
    const std::vector<Value> stride = add_parameter(function, {"stride", dimensions, true});
    function.results = {emit_address(function.program, layout, texel, stride, true)};
    return function;
}

/// Undoes the XOR of the tile index by an axis whose coordinates are known.
Value undo_index_xor(Program& program, const Pattern& pattern, Axis axis, Value tile, Value bytes) {
    LinearMapTask task = {.inputs = {tile}, .moves = {}, .constants = {0}};
    const bool by_bytes = std::has_single_bit(pattern.tile_bytes);
    const std::vector<uint64_t>& columns = pattern.index_xor.columns[axis];
    for (unsigned bit = 0; bit < columns.size(); bit++)
        add_moves(task.moves, 0, bit, 0, by_bytes ? columns[bit] * pattern.tile_bytes : columns[bit]);
    if (task.moves.empty()) return bytes;
    Value swap = emit_linear_map(program, task)[0];
    if (program.nodes[bytes].wide) swap = widen(program, swap);
    if (by_bytes) return apply(program, Op::bit_xor, bytes, swap);
    const Value index = apply_number(program, Op::divide, bytes, pattern.tile_bytes);
    const Value whole = apply_number(program, Op::multiply, index, pattern.tile_bytes);
    const Value right =
        apply_number(program, Op::multiply, apply(program, Op::bit_xor, index, swap), pattern.tile_bytes);
    return apply(program, Op::add, right, apply(program, Op::subtract, bytes, whole));
}

/// The coordinates of the texel whose bytes include that offset from the base.
std::vector<Value> emit_texel(Program& program, const Layout& layout, Value rest, const std::vector<Value>& stride) {
    const Pattern& pattern = layout.pattern;
    const auto dimensions = static_cast<unsigned>(stride.size());
    // The largest stride first: the remainder belongs to the smaller ones.
    LinearMapTask task;
    task.inputs.resize(dimensions);
    for (auto axis = pattern.order.rbegin(); axis != pattern.order.rend(); ++axis) {
        if (*axis >= dimensions) continue;
        const Node divisor = program.nodes[stride[*axis]];
        const bool known = divisor.op == Op::constant;
        const Value tile = known && divisor.constant == 0
                               ? constant(program, 0, divisor.wide)
                               : apply(program, known ? Op::divide : Op::divide_or_zero, rest, stride[*axis]);
        give_name(program, tile, std::string("tile_") + axis_name(*axis));
        task.inputs[*axis] = narrow(program, tile);
        rest = apply(program, Op::subtract, rest, apply(program, Op::multiply, tile, stride[*axis]));
        rest = undo_index_xor(program, pattern, *axis, task.inputs[*axis], rest);
        give_name(program, rest, "within");
    }
    assume_bits(program, rest, std::bit_ceil(pattern.tile_bytes) - 1);
    rest = narrow(program, rest);
    const uint64_t unit = pattern.offset_unit();
    if (unit != 1 && !pattern.is_linear()) rest = apply_number(program, Op::divide, rest, unit);
    task.inputs.push_back(rest);

    add_equation_inverse(task, layout, {});
    return emit_linear_map(program, task);
}

/// With strides and offsets of 64 bits.
Function texel_function(const Layout& layout, bool has_pdep) {
    Function function = {.name = "tilewise_texel"};
    function.program.has_pdep = has_pdep;
    const Value offset = add_parameter(function, {"offset", 1, true})[0];
    const std::vector<Value> stride = add_parameter(function, {"stride", snippet_dimensions(layout), true});
    function.results = emit_texel(function.program, layout, offset, stride);
    name_coordinates(function.program, function.results);
    return function;
}

uint64_t bits_below(uint32_t count) { return below(static_cast<unsigned>(std::bit_width(count - 1))); }

/// The base of that layer, among those that the entry stands for.
Value emit_base(Program& program, const Subresource& part, const std::vector<Value>& layer, bool wide) {
    const Value base = constant(program, part.layout.base, wide);
    if (layer.empty()) return base;
    const Value index = apply_number(program, Op::subtract, layer[0], part.layer);
    const Value before = apply_number(program, Op::multiply, wide ? widen(program, index) : index, part.layer_stride_B);
    return apply(program, Op::add, before, base);
}

Function part_function(const SnippetRequest& request, const Subresource& part, bool wide) {
    const ImageLayout& image = *request.image;
    const unsigned dimensions = snippet_dimensions(image);
    const Coord extent = extent_el(image, part);
    const bool address = request.kind == SnippetKind::address;
    Function function = {.name = fmt::format("tilewise_{}_level{}", address ? "address" : "texel", part.level)};
    if (image.layers > part.layers) function.name += fmt::format("_layer{}", part.layer);
    Program& program = function.program;
    program.has_pdep = request.language == Language::c_pdep;
    const std::vector<Value> from = address ? add_parameter(function, {"texel", dimensions, false, true})
                                            : add_parameter(function, {"offset", 1, wide});
    if (address)
        for (unsigned a = 0; a < dimensions; a++) assume_bits(program, from[a], bits_below(extent[a]));
    std::vector<Value> layer;
    if (part.layers > 1) layer = add_parameter(function, {"layer"}, bits_below(part.layer + part.layers));
    Layout layout = part.layout;
    std::vector<Value> stride;
    for (unsigned a = 0; a < dimensions; a++) {
        if (extent[a] <= layout.pattern.tile[a]) layout.stride[a] = 0;  // a single tile
        stride.push_back(constant(program, layout.stride[a], wide));
    }
    const Value base = emit_base(program, part, layer, wide);
    if (address) {
        function.results = {apply(program, Op::add, emit_address(program, layout, from, stride, wide), base)};
    } else {
        function.results = emit_texel(program, layout, apply(program, Op::subtract, from[0], base), stride);
        name_coordinates(program, function.results);
    }
    return function;
}

}  // namespace

unsigned snippet_dimensions(const ImageLayout& image) { return image.samples > 1 ? 4 : image.extent_px[2] > 1 ? 3 : 2; }

ImageFunctions image_functions(const SnippetRequest& request, bool wide) {
    constexpr size_t most_parts = 512;
    const ImageLayout& image = *request.image;
    if (request.kind != SnippetKind::address && request.kind != SnippetKind::texel)
        throw UsageError("a whole image has snippets of the kinds address and texel");
    if (aspects_of(image).size() > 1) throw UsageError("a snippet is for one aspect: give --aspect");
    if (image.subresources.size() > most_parts)
        throw Error(fmt::format("the layers lie at no constant distance: {} functions would be too much code",
                                image.subresources.size()));
    ImageFunctions functions = {{}, image.levels > 1, image.layers > 1};
    std::vector<Subresource> parts = image.subresources;
    std::ranges::sort(parts, {}, [](const Subresource& part) { return std::pair(part.level, part.layer); });
    for (const Subresource& part : parts) {
        const uint64_t end = end_of_tiles(part.layout, extent_el(image, part));
        if (part.layout.pattern.tile_bytes >> 32 != 0 ||
            (!wide && (end + part.layer_stride_B * (part.layers - 1)) >> 32 != 0))
            throw Error("the image has 4 GiB or more, and the language computes in 32 bits; take cuda, cpp or rust");
        functions.parts.push_back({part.level, part.layer, part.layers, part_function(request, part, wide)});
    }
    return functions;
}

std::vector<uint64_t> columns_within(const Pattern& pattern, Axis axis) {
    std::vector<uint64_t> columns = pattern.equation.columns[axis];
    const std::vector<uint64_t>& outer = pattern.outer_xor.columns[axis];
    columns.resize(log2_exact(pattern.tile[axis]));
    columns.insert(columns.end(), outer.begin(), outer.end());
    return columns;
}

unsigned snippet_dimensions(const Layout& layout) {
    const Pattern& pattern = layout.pattern;
    const auto takes_part = [&](Axis a) {
        const auto reads = [&](const LinearMap& map) {
            return std::ranges::any_of(map.columns[a], [](uint64_t column) { return column != 0; });
        };
        return pattern.tile[a] > 1 || layout.stride[a] != 0 || reads(pattern.outer_xor) || reads(pattern.index_xor);
    };
    return takes_part(axis_s) ? 4 : takes_part(axis_z) ? 3 : 2;
}

void add_equation_inverse(LinearMapTask& task, const Layout& layout, const Pieces& pieces) {
    const Pattern& pattern = layout.pattern;
    const auto dimensions = static_cast<unsigned>(task.inputs.size()) - 1;
    task.constants.resize(dimensions);
    struct CoordinateBit {
        unsigned axis;
        int bit;  ///< of the result; negative: within a piece
    };
    const auto place = [&](unsigned axis, unsigned bit) {
        return CoordinateBit{axis, static_cast<int>(bit) + (axis == axis_x ? pieces.x_shift : 0)};
    };
    std::vector<CoordinateBit> coordinate;  // for each column of E
    for (unsigned a = 0; a < dimensions; a++)
        for (unsigned bit = 0; bit < log2_exact(pattern.tile[a]); bit++) coordinate.push_back(place(a, bit));
    const gf2::Columns inverse = gf2::left_inverse(pattern.equation.all_columns());
    const auto add_inverse = [&](unsigned input, unsigned in_bit, uint64_t coordinates) {
        for (unsigned i = 0; i < coordinate.size(); i++)
            if ((coordinates >> i & 1) && coordinate[i].bit >= 0)
                task.moves.push_back({input, in_bit, coordinate[i].axis, static_cast<unsigned>(coordinate[i].bit)});
    };
    for (unsigned bit = pieces.first_bit; bit < inverse.size(); bit++)
        add_inverse(dimensions, bit - pieces.first_bit, inverse[bit]);
    for (unsigned a = 0; a < dimensions; a++) {
        const gf2::Columns& outer = pattern.outer_xor.columns[a];
        for (unsigned bit = 0; bit < outer.size(); bit++) add_inverse(a, bit, gf2::apply(inverse, outer[bit]));
    }
    const uint64_t moved_by_constant = gf2::apply(inverse, layout.constant);
    for (unsigned i = 0; i < coordinate.size(); i++)
        if ((moved_by_constant >> i & 1) && coordinate[i].bit >= 0)
            task.constants[coordinate[i].axis] |= uint64_t{1} << coordinate[i].bit;
    for (unsigned a = 0; a < dimensions; a++) {
        const auto above = static_cast<unsigned>(place(a, log2_exact(pattern.tile[a])).bit);
        for (unsigned bit = 0; bit + above < 32; bit++) task.moves.push_back({a, bit, a, bit + above});
    }
    cancel_pairs(task.moves);
}

ir::Function snippet_function(const SnippetRequest& request, bool wide) {
    if (request.layout.pattern.tile_bytes >> 32 != 0)
        throw Error("the tile has 4 GiB or more: snippets compute its inside in 32 bits");
    if (request.kind == SnippetKind::group_order) return group_function(request.group_order);
    if (request.kind == SnippetKind::convert || request.kind == SnippetKind::kernel)
        throw Error("a whole shader is no function");
    // A caller that prints a remap or a layout in many languages would search for its operations anew for each. They
    // are found for 64 bits; those for 32 bits are the same.
    struct Key {
        SnippetKind kind = SnippetKind::remap;
        Remap remap;
        Layout layout;
        bool has_pdep = false;
        bool operator==(const Key&) const = default;
    };
    Key key;
    key.kind = request.kind;
    key.has_pdep = request.language == Language::c_pdep;
    if (key.kind == SnippetKind::remap)
        key.remap = request.remap;
    else
        key.layout = request.layout;
    static std::mutex guarding_last;
    static std::optional<std::pair<Key, ir::Function>> last;
    std::optional<ir::Function> function;
    {
        const std::scoped_lock lock(guarding_last);
        if (last && last->first == key) function = last->second;
    }
    if (!function) {
        function = key.kind == SnippetKind::remap     ? remap_function(key.remap, key.has_pdep)
                   : key.kind == SnippetKind::address ? address_function(key.layout, key.has_pdep)
                                                      : texel_function(key.layout, key.has_pdep);
        const std::scoped_lock lock(guarding_last);
        last.emplace(key, *function);
    }
    return wide || key.kind == SnippetKind::remap ? *function : in_32_bits(*function);
}

}  // namespace tilewise
