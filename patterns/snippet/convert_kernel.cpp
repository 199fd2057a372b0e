// An invocation's index names a piece: a number of bytes that are neighbours both in the rows and in a tile. From the
// index to the piece's two places, by example: NVIDIA, RGBA8, 300x200, tiles of 16x128 elements (8192 bytes); pieces of
// 16 bytes are 4 elements along x.
//
//   piece      tile 0 has pieces 0 to 511, tile 1, to its right, 512 to 1023, ..: 19 tiles along x, 2 along y
//   tile       piece / 512 = tile_y * 19 + tile_x
//   within     piece % 512, which stands for bits 12 to 4 of the offset in the tile
//
//   bit of offset        12  11  10   9   8   7   6   5   4 | 3   2   1   0
//   is                   y6  y5  y4  y3  x3  y2  x2  y1  y0 | x1  x0   .   .
//
//   x, in pieces         tile_x * 4 + (x3 x2)
//   y                    tile_y * 128 + (y6 .. y0)
//   in the image         base / 16 + tile_y * stride.y / 16 + tile_x * stride.x / 16 + within
//   in the rows          (y * 75 + x)
//
// If the image ends inside a tile, a piece beyond its end has no place in the rows, and nothing is moved. The same holds
// for a piece in a hole of the tile: bytes that belong to no element, because no coordinate moves some bit of the offset
// or several bits always go together. Parity checks of the equation find such pieces. The largest pieces are used that divide all the summands. Pieces smaller than a word are written into their word by two atomic
// operations.
#include "patterns/snippet/convert_kernel.h"
#include "patterns/convert/convert.h"
#include "patterns/convert/image.h"
#include "patterns/convert/runs.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/snippet/comment.h"
#include "patterns/snippet/function.h"
#include "patterns/snippet/linear_map.h"
#include "patterns/snippet/print.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <set>

namespace tilewise {

using namespace ir;

namespace {

constexpr uint64_t max_piece_B = 16;

/// A part, with its sizes in pieces.
struct PartPlan {
    const ConvertPart* part = nullptr;
    uint64_t piece_B = 0;
    bool rows = false;  ///< the memory is rows, too: a "tile" is then one piece
    uint64_t tile_B = 0;
    uint64_t row_pieces = 0, rows_slice_pieces = 0;
    std::array<uint64_t, 3> tiles = {1, 1, 1};  ///< along x, y, and z or layers
    uint64_t pieces = 0;                        ///< in whole tiles
    uint64_t first_group = 0, groups = 0;
};

uint64_t slices_of(const ConvertPart& part) { return std::max(part.extent[axis_z], part.layers); }

PartPlan plan_of(const ConvertPart& part, Language language) {
    const Pattern& pattern = part.layout.pattern;
    const uint64_t element_B = pattern.element.bytes, row_B = part.extent[axis_x] * element_B;
    if (part.extent[axis_s] != 1) throw Error("samples cannot be converted: rows have no place for them");
    if (part.layers > 1 && part.extent[axis_z] > 1) throw Error("an image has layers or slices, not both");
    const uint64_t run_el = run_elements(part.layout, part.extent[axis_x]);
    PartPlan plan = {.part = &part};
    // Elements of 3, 6 or 12 bytes: a piece is a part of one.
    const uint64_t together_B = pattern.counts_elements() ? element_B : run_el * element_B;
    uint64_t common = std::gcd(std::gcd(row_B, together_B), std::gcd(part.rows_B, part.rows_layer_stride_B));
    common = std::gcd(common, std::gcd(part.layout.base, part.layer_stride_B));
    for (const Axis a : {axis_x, axis_y, axis_z}) common = std::gcd(common, part.layout.stride[a]);
    plan.rows = pattern.is_linear() && pattern.index_xor.is_zero() &&
                (part.extent[axis_x] == 1 || part.layout.stride[axis_x] == element_B);
    if (!plan.rows) common = std::gcd(common, pattern.tile_bytes);
    plan.piece_B = std::gcd(common, max_piece_B);
    plan.tile_B = plan.rows ? plan.piece_B : pattern.tile_bytes;
    plan.row_pieces = row_B / plan.piece_B;
    plan.rows_slice_pieces =
        part.layers > 1 ? part.rows_layer_stride_B / plan.piece_B : plan.row_pieces * part.extent[axis_y];
    if (plan.rows) {
        plan.tiles = {plan.row_pieces, part.extent[axis_y], slices_of(part)};
    } else {
        for (const Axis a : {axis_x, axis_y, axis_z}) plan.tiles[a] = ceil_div(part.extent[a], pattern.tile[a]);
        plan.tiles[axis_z] = std::max<uint64_t>(plan.tiles[axis_z], part.layers);
    }
    const uint64_t tile_pieces = plan.tile_B / plan.piece_B;
    if (__builtin_mul_overflow(plan.tiles[0], plan.tiles[1], &plan.pieces) ||
        __builtin_mul_overflow(plan.pieces, plan.tiles[2], &plan.pieces) ||
        __builtin_mul_overflow(plan.pieces, tile_pieces, &plan.pieces) || plan.pieces >> 32 != 0)
        throw Error(fmt::format("the image has 2^32 pieces of {} bytes or more, and a shader counts them in 32 bits",
                                plan.piece_B));
    const Box box = {{}, part.extent};
    const uint64_t memory_B =
        tiled_bytes(part.layout, box) + (part.layers - 1) * part.layer_stride_B + part.layout.pattern.tile_bytes;
    const uint64_t rows_B =
        part.rows_B + (part.layers - 1) * part.rows_layer_stride_B + rows_bytes(pattern.element, part.extent);
    // HLSL's buffers are addressed in bytes, and Vulkan's maxStorageBufferRange has 32 bits.
    if (language != Language::cuda && std::max(memory_B, rows_B) >> 32 != 0)
        throw Error("the image reaches beyond 2^32 bytes, and no buffer of a shader does: take cuda");
    if (std::max(memory_B, rows_B) / plan.piece_B >> 32 != 0)
        throw Error(fmt::format("the image reaches beyond 2^32 pieces of {} bytes, and a shader counts them in 32 bits",
                                plan.piece_B));
    return plan;
}

/// Adds one more output to the task, which is not 0 if the piece lies in a hole of the tile; nothing if it has no holes.
void add_hole(LinearMapTask& task, const Layout& layout, unsigned first_bit) {
    const Pattern& pattern = layout.pattern;
    const uint64_t unit = pattern.offset_unit();
    const unsigned element_bit = log2_exact(pattern.element.bytes / unit);
    gf2::Columns filled = pattern.equation.all_columns();
    for (unsigned bit = 0; bit < element_bit; bit++) filled.push_back(uint64_t{1} << bit);
    const std::vector<uint64_t> checks = gf2::parity_checks(filled, log2_exact(pattern.tile_bytes / unit));
    if (checks.empty()) return;
    const auto output = static_cast<unsigned>(task.constants.size()), within = output;
    const auto is_odd = [](uint64_t bits) { return std::popcount(bits) % 2 != 0; };
    task.constants.push_back(0);
    for (unsigned i = 0; i < checks.size(); i++) {
        for (unsigned bit = first_bit; checks[i] >> bit != 0; bit++)
            if (checks[i] >> bit & 1) task.moves.push_back({within, bit - first_bit, output, i});
        for (unsigned a = 0; a < within; a++) {
            const gf2::Columns& outer = pattern.outer_xor.columns[a];
            for (unsigned bit = 0; bit < outer.size(); bit++)
                if (is_odd(outer[bit] & checks[i])) task.moves.push_back({a, bit, output, i});
        }
        if (is_odd(layout.constant & checks[i])) task.constants[output] |= uint64_t{1} << i;
    }
}

/// Coordinates of a piece, in elements but along x in pieces, from the tile's coordinates and the place `within` it; and
/// in a tile with holes whether the piece lies in one (not 0).
std::vector<Value> coordinates(Program& program, const PartPlan& plan, const std::array<Value, 3>& tile, Value within) {
    const Layout& layout = plan.part->layout;
    const uint64_t element_B = layout.pattern.element.bytes;
    LinearMapTask task = {.inputs = {tile[0], tile[1], tile[2], within}, .moves = {}, .constants = {}};
    if (layout.pattern.counts_elements()) {
        const uint64_t element_pieces = element_B / plan.piece_B;
        task.inputs[3] = apply_number(program, Op::divide, within, element_pieces);
        add_equation_inverse(task, layout, {});
        add_hole(task, layout, 0);
        std::vector<Value> at = emit_linear_map(program, task);
        at[0] = apply(program, Op::add, apply_number(program, Op::multiply, at[0], element_pieces),
                      apply_number(program, Op::modulo, within, element_pieces));
        return at;
    }
    const unsigned piece_bits = log2_exact(plan.piece_B);
    const int x_shift = static_cast<int>(log2_exact(element_B)) - static_cast<int>(piece_bits);
    for (unsigned bit = 0; static_cast<int>(bit) < x_shift; bit++)  // the pieces of one element
        task.moves.push_back({3, bit, axis_x, bit});
    add_equation_inverse(task, layout, {.first_bit = piece_bits, .x_shift = x_shift});
    add_hole(task, layout, piece_bits);
    return emit_linear_map(program, task);
}

/// tilewise_piece_N(piece) -> the piece's place in the image's memory and its x (both in pieces), its y and its slice.
Function piece_function(const PartPlan& plan, const std::string& name) {
    const Layout& layout = plan.part->layout;
    const Pattern& pattern = layout.pattern;
    Function function = {.name = name};
    Program& program = function.program;
    const Value piece = add_parameter(function, {"piece"}, std::bit_ceil(plan.pieces) - 1)[0];
    const uint64_t tile_pieces = plan.tile_B / plan.piece_B;
    Value number = apply_number(program, Op::divide, piece, tile_pieces);
    const Value within = apply_number(program, Op::modulo, piece, tile_pieces);
    give_name(program, within, "within");
    std::array<Value, 3> tile{};
    const auto bits_below = [](uint64_t count) { return std::bit_ceil(count) - 1; };
    for (const Axis a : {axis_x, axis_y}) {
        tile[a] = apply_number(program, Op::modulo, number, plan.tiles[a]);
        assume_bits(program, tile[a], bits_below(plan.tiles[a]));
        give_name(program, tile[a], fmt::format("tile_{}", axis_name(a)));
        number = apply_number(program, Op::divide, number, plan.tiles[a]);
    }
    const Value layer = tile[axis_z] = number;
    assume_bits(program, number, bits_below(plan.tiles[axis_z]));
    give_name(program, number, plan.part->layers > 1 ? "layer" : "tile_z");

    const bool layered = plan.part->layers > 1;
    const std::array<uint64_t, 3> stride_B = {plan.rows ? plan.piece_B : layout.stride[axis_x], layout.stride[axis_y],
                                              layout.stride[axis_z]};
    Value tiles = constant(program, 0);
    LinearMapTask swap = {.inputs = {tile[0], tile[1], tile[2]}, .moves = {}, .constants = {0}};
    for (const Axis a : {axis_x, axis_y, axis_z}) {
        if (a == axis_z && layered) continue;
        tiles =
            apply(program, Op::add, tiles, apply_number(program, Op::multiply, tile[a], stride_B[a] / plan.piece_B));
        const gf2::Columns& columns = pattern.index_xor.columns[a];
        for (unsigned bit = 0; bit < columns.size(); bit++) add_moves(swap.moves, a, bit, 0, columns[bit]);
    }
    if (!swap.moves.empty()) {
        tiles = apply_number(program, Op::divide, tiles, tile_pieces);
        tiles = apply(program, Op::bit_xor, tiles, emit_linear_map(program, swap)[0]);
        tiles = apply_number(program, Op::multiply, tiles, tile_pieces);
    }
    Value at = apply(program, Op::add, tiles, within);
    at = apply(program, Op::add, at, constant(program, layout.base / plan.piece_B));
    if (layered)
        at = apply(program, Op::add, at,
                   apply_number(program, Op::multiply, layer, plan.part->layer_stride_B / plan.piece_B));
    if (layered) tile[axis_z] = constant(program, 0);
    std::vector<Value> place =
        plan.rows ? std::vector<Value>{tile[0], tile[1], tile[2]} : coordinates(program, plan, tile, within);
    // A tile may be deeper than its image: elements beyond the image count as a layer beyond the last.
    if (layered)
        place[axis_z] =
            apply(program, Op::add, layer, apply_number(program, Op::multiply, place[axis_z], plan.part->layers));
    // Nor has a piece in a hole a place in the rows.
    if (place.size() > 3) {
        const Value hole = apply_number(program, Op::minimum, place[3], 1);
        place[axis_z] =
            apply(program, Op::add, place[axis_z], apply_number(program, Op::multiply, hole, slices_of(*plan.part)));
    }
    function.results = {at, place[0], place[1], place[2]};
    return function;
}

/// The differences between languages.
struct ConvertWords {
    const char* function;  ///< precedes a function's result
    const char* group;     ///< the workgroup's number
    const char* invocation;
};

ConvertWords words_of(Language language) {
    switch (language) {
        case Language::glsl:
            return {"", "gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x", "gl_LocalInvocationIndex"};
        case Language::hlsl:
            return {"", "id.x + id.y * TILEWISE_GROUPS_X", "index"};
        case Language::cuda:
            return {"__device__ ", "blockIdx.x + blockIdx.y * gridDim.x", "threadIdx.x"};
        default:
            throw UsageError(
                fmt::format("no convert kernel in {}; there are glsl, hlsl and cuda", language_name(language)));
    }
}

/// The function that moves a piece.
std::string move_function(Language language, uint64_t piece_B) {
    const std::string name = fmt::format("tilewise_move_{}", piece_B);
    if (language == Language::cuda) {
        const std::string type = piece_B == 1   ? "unsigned char"
                                 : piece_B == 2 ? "unsigned short"
                                 : piece_B == 4 ? "unsigned int"
                                                : fmt::format("uint{}", piece_B / 4);
        return fmt::format(
            "__device__ inline void {}(void* to_bytes, const void* from_bytes, unsigned int to, unsigned int from) {{\n"
            "    static_cast<{}*>(to_bytes)[to] = static_cast<const {}*>(from_bytes)[from];\n}}\n",
            name, type, type);
    }
    if (piece_B >= 4 && language == Language::glsl)
        return fmt::format("void {}(uint to, uint from) {{ to_{}[to] = from_{}[from]; }}\n", name, piece_B, piece_B);
    if (piece_B >= 4) {
        const std::string words = piece_B == 4 ? "" : std::to_string(piece_B / 4);
        return fmt::format(
            "void {}(uint to, uint from) {{ to_words.Store{}({}u * to, from_words.Load{}({}u * from)); }}\n", name,
            words, piece_B, words, piece_B);
    }
    const uint64_t in_word = 4 / piece_B;
    const unsigned shift = log2_exact(in_word), bits = static_cast<unsigned>(8 * piece_B);
    const std::string mask = fmt::format("{:#x}u", (uint64_t{1} << bits) - 1);
    std::string text = fmt::format("void {}(uint to, uint from) {{\n", name);
    const std::string load = language == Language::glsl ? fmt::format("from_4[from >> {}]", shift)
                                                        : fmt::format("from_words.Load((from >> {}) << 2)", shift);
    text += fmt::format("    uint value = ({} >> ((from & {}u) * {}u)) & {};\n", load, in_word - 1, bits, mask);
    text += fmt::format("    uint place = (to & {}u) * {}u;\n", in_word - 1, bits);
    if (language == Language::glsl)
        text += fmt::format(
            "    atomicAnd(to_4[to >> {}], ~({} << place));\n    atomicOr(to_4[to >> {}], value << place);\n", shift,
            mask, shift);
    else
        text += fmt::format(
            "    to_words.InterlockedAnd((to >> {}) << 2, ~({} << place));\n"
            "    to_words.InterlockedOr((to >> {}) << 2, value << place);\n",
            shift, mask, shift);
    return text + "}\n";
}

std::string bindings(Language language, const std::set<uint64_t>& piece_sizes) {
    if (language == Language::cuda) return "";
    if (language == Language::hlsl)
        return "[[vk::binding(0)]] ByteAddressBuffer from_words : register(t0);\n"
               "[[vk::binding(1)]] RWByteAddressBuffer to_words : register(u0);\n";
    // Views of the same buffer; pieces smaller than a word are moved through words.
    std::set<uint64_t> sizes;
    for (const uint64_t size : piece_sizes) sizes.insert(std::max<uint64_t>(size, 4));
    std::string text;
    for (const uint64_t size : sizes) {
        const std::string type = size == 4 ? "uint" : fmt::format("uvec{}", size / 4);
        text +=
            fmt::format("layout(std430, binding = 0) readonly buffer From{} {{ {} from_{}[]; }};\n", size, type, size);
        text += fmt::format("layout(std430, binding = 1) buffer To{} {{ {} to_{}[]; }};\n", size, type, size);
    }
    return text;
}

std::string part_function(const PartPlan& plan, size_t number, const ConvertRequest& request,
                          const ConvertWords& words) {
    const bool cuda = request.language == Language::cuda, tile = request.direction == ConvertDirection::tile;
    const ConvertPart& part = *plan.part;
    const std::string uint_type = type_name(request.language, 1);
    std::string rows = fmt::format("at.y + at.z * {}u", plan.row_pieces);
    if (slices_of(part) > 1) rows += fmt::format(" + at.w * {}u", plan.rows_slice_pieces);
    if (part.rows_B != 0) rows += fmt::format(" + {}u", part.rows_B / plan.piece_B);
    return fmt::format(
        "{}void tilewise_part_{}({}{} piece) {{\n"
        "    for ({} i = 0u; i < {}u && piece < {}u; i++, piece += {}u) {{\n"
        "        {} at = tilewise_piece_{}(piece);\n"
        "        if (at.y >= {}u || at.z >= {}u || at.w >= {}u) continue;\n"
        "        {} row = {};\n"
        "        tilewise_move_{}({}{});\n"
        "    }}\n}}\n",
        words.function, number, cuda ? "void* to, const void* from, " : "", uint_type, uint_type,
        request.pieces_per_invocation, plan.pieces, request.invocations, type_name(request.language, 4), number,
        plan.row_pieces, part.extent[axis_y], slices_of(part), uint_type, rows, plan.piece_B, cuda ? "to, from, " : "",
        tile ? "at.x, row" : "row, at.x");
}

std::string main_function(const std::vector<PartPlan>& plans, const ConvertRequest& request, const ConvertWords& words,
                          const std::array<uint32_t, 2>& groups) {
    const uint32_t group_pieces = request.invocations * request.pieces_per_invocation;
    std::string text;
    switch (request.language) {
        case Language::glsl:
            text = fmt::format("layout(local_size_x = {}) in;\n\nvoid main() {{\n", request.invocations);
            break;
        case Language::hlsl:
            text = fmt::format(
                "#define TILEWISE_GROUPS_X {}u\n\n[numthreads({}, 1, 1)]\n"
                "void main(uint3 id : SV_GroupID, uint index : SV_GroupIndex) {{\n",
                groups[0], request.invocations);
            break;
        default:
            text =
                fmt::format("__global__ void __launch_bounds__({}) tilewise_convert(const void* from, void* to) {{\n",
                            request.invocations);
    }
    text += fmt::format("    {} group = {};\n", type_name(request.language, 1), words.group);
    for (size_t i = 0; i < plans.size(); i++) {
        const PartPlan& plan = plans[i];
        const std::string local = plan.first_group == 0 ? "group" : fmt::format("(group - {}u)", plan.first_group);
        text +=
            fmt::format("    {}if (group < {}u)\n        tilewise_part_{}({}{} * {}u + {});\n", i == 0 ? "" : "else ",
                        plan.first_group + plan.groups, i, request.language == Language::cuda ? "to, from, " : "",
                        local, group_pieces, words.invocation);
    }
    return text + "}\n";
}

}  // namespace

std::vector<ConvertPart> convert_parts(const ImageLayout& image) {
    const std::vector<ImagePart> all = parts_of(image);
    const auto rows_at = [&](const Subresource& of, uint32_t layer) {
        return std::ranges::find_if(all,
                                    [&](const ImagePart& part) {
                                        return part.aspect == of.aspect && part.level == of.level &&
                                               part.layer == layer;
                                    })
            ->rows_at_B;
    };
    std::vector<ConvertPart> parts;
    for (const Subresource& of : image.subresources) {
        ConvertPart part = {.layout = of.layout, .extent = extent_el(image, of), .layers = of.layers};
        part.layer_stride_B = of.layer_stride_B;
        part.rows_B = rows_at(of, of.layer);
        if (of.layers > 1) part.rows_layer_stride_B = rows_at(of, of.layer + 1) - part.rows_B;
        parts.push_back(part);
    }
    return parts;
}

std::array<uint32_t, 2> groups_in_two_axes(uint64_t groups) {
    constexpr uint64_t max_groups = 32768;  // along an axis: every device has 65535
    return {static_cast<uint32_t>(std::clamp<uint64_t>(groups, 1, max_groups)),
            static_cast<uint32_t>(std::max<uint64_t>(ceil_div(groups, max_groups), 1))};
}

ConvertKernel emit_convert_kernel(const ConvertRequest& request) {
    const ConvertWords words = words_of(request.language);
    if (request.invocations == 0 || request.pieces_per_invocation == 0)
        throw UsageError("a workgroup has at least one invocation, which moves at least one piece");
    std::vector<PartPlan> plans;
    for (const ConvertPart& part : request.parts)
        if (element_count(part.extent) != 0) plans.push_back(plan_of(part, request.language));
    // The largest first: most workgroups then need only one comparison.
    std::ranges::stable_sort(plans, std::ranges::greater(), &PartPlan::pieces);
    const uint64_t group_pieces = uint64_t{request.invocations} * request.pieces_per_invocation;
    uint64_t groups = 0;
    std::set<uint64_t> sizes;
    for (PartPlan& plan : plans) {
        plan.first_group = groups;
        plan.groups = ceil_div(plan.pieces, group_pieces);
        groups += plan.groups;
        sizes.insert(plan.piece_B);
    }
    ConvertKernel kernel;
    kernel.groups = groups_in_two_axes(groups);

    const bool tile = request.direction == ConvertDirection::tile;
    std::string& code = kernel.code;
    code = comment_lines(request.provenance);
    code += comment_lines(fmt::format(
        "{} an image of {} subresource{}: from the {} to the {}\ndispatch {} x {} workgroups of {} invocations, once\n",
        tile ? "tiles" : "detiles", plans.size(), plans.size() == 1 ? "" : "s",
        tile ? "rows without gaps" : "image's memory", tile ? "image's memory" : "rows without gaps", kernel.groups[0],
        kernel.groups[1], request.invocations));
    if (request.language == Language::glsl) code = "#version 450\n" + code;
    code += bindings(request.language, sizes);
    for (const uint64_t size : sizes) code += move_function(request.language, size);
    for (size_t i = 0; i < plans.size(); i++) {
        const ConvertPart& part = *plans[i].part;
        code += "\n" + comment_lines(fmt::format(
                           "{}x{}x{} elements of {} bytes{}; pieces of {} bytes", part.extent[axis_x],
                           part.extent[axis_y], part.extent[axis_z], part.layout.pattern.element.bytes,
                           part.layers > 1 ? fmt::format(", {} layers", part.layers) : "", plans[i].piece_B));
        code += print_function(piece_function(plans[i], fmt::format("tilewise_piece_{}", i)), request.language);
        code += part_function(plans[i], i, request, words);
    }
    code += "\n" + main_function(plans, request, words, kernel.groups);
    return kernel;
}

}  // namespace tilewise
