#include "patterns/snippet/cute.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/layout_json.h"
#include "patterns/snippet/comment.h"
#include "patterns/snippet/tile_layout.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise {

namespace {

struct Swizzle {
    int bits = 0, base = 0, shift = 0;

    uint64_t operator()(uint64_t offset) const {
        const uint64_t mask = (uint64_t{1} << bits) - 1;
        const uint64_t read = offset & mask << (base + std::max(shift, 0));
        return offset ^ (shift < 0 ? read << -shift : read >> shift);
    }
};

/// The columns of each mode: a digit of the coordinate for every run of bits that stay together.
struct Digit {
    uint64_t shape = 1, stride = 0;
};
using Digits = std::vector<Digit>;
using Modes = std::vector<gf2::Columns>;

bool moves_bits(const Modes& modes, const Swizzle& swizzle) {
    return std::ranges::all_of(modes, [&](const gf2::Columns& columns) {
        return std::ranges::all_of(columns, [&](uint64_t column) { return std::has_single_bit(swizzle(column)); });
    });
}

/// The swizzle of the fewest bits that leaves a map which only moves bits. It is its own inverse. The columns are
/// injective.
std::optional<Swizzle> find_swizzle(const Modes& modes, unsigned offset_bits) {
    if (moves_bits(modes, {})) return Swizzle{};
    const auto all = static_cast<int>(offset_bits);
    for (int bits = 1; bits <= all; bits++)
        for (int base = 0; base < all; base++)
            for (int distance = bits; base + distance + bits <= all; distance++)
                for (const int shift : {distance, -distance})
                    if (moves_bits(modes, {bits, base, shift})) return Swizzle{bits, base, shift};
    return std::nullopt;
}

Digits digits_of(const gf2::Columns& columns, const Swizzle& swizzle) {
    Digits digits;
    for (const uint64_t column : columns) {
        const uint64_t stride = swizzle(column);
        if (!digits.empty() && digits.back().shape * digits.back().stride == stride)
            digits.back().shape *= 2;
        else
            digits.push_back({2, stride});
    }
    if (digits.empty()) digits.push_back({});
    return digits;
}

/// A tuple of the digits' shapes or strides; a single digit stands alone.
std::string tuple_text(const Digits& digits, uint64_t Digit::*member, const char* number, const char* tuple) {
    std::vector<std::string> numbers;
    numbers.reserve(digits.size());
    for (const Digit& digit : digits) numbers.push_back(fmt::format(fmt::runtime(number), digit.*member));
    if (numbers.size() == 1) return numbers[0];
    return fmt::format(fmt::runtime(tuple), fmt::join(numbers, ","));
}

std::string modes_text(const std::vector<Digits>& modes, uint64_t Digit::*member, const char* number,
                       const char* tuple) {
    std::vector<std::string> texts;
    texts.reserve(modes.size());
    for (const Digits& digits : modes) texts.push_back(tuple_text(digits, member, number, tuple));
    if (texts.size() == 1) return texts[0];
    return fmt::format(fmt::runtime(tuple), fmt::join(texts, ","));
}

std::string layout_code(const std::string& name, const Modes& modes, const Swizzle& swizzle) {
    std::vector<Digits> digits;
    for (const gf2::Columns& columns : modes) digits.push_back(digits_of(columns, swizzle));
    std::string text = fmt::format("{}:{}", modes_text(digits, &Digit::shape, "{}", "({})"),
                                   modes_text(digits, &Digit::stride, "{}", "({})"));
    std::string type = fmt::format("cute::Layout<\n    {},\n    {}>",
                                   modes_text(digits, &Digit::shape, "cute::Int<{}>", "cute::Shape<{}>"),
                                   modes_text(digits, &Digit::stride, "cute::Int<{}>", "cute::Stride<{}>"));
    if (swizzle.bits > 0) {
        text = fmt::format("Swizzle<{},{},{}> o {}", swizzle.bits, swizzle.base, swizzle.shift, text);
        type = fmt::format("cute::ComposedLayout<cute::Swizzle<{}, {}, {}>, cute::Int<0>, {}>", swizzle.bits,
                           swizzle.base, swizzle.shift, type);
    }
    return comment_lines("  " + text) + "#include <cute/tensor.hpp>\n\nusing " + name + " = " + type + ";\n";
}

std::string remap_code(const Remap& remap) {
    gf2::Columns columns;
    for (const Coord& column : remap.columns) columns.push_back(element_index(remap.shape, column));
    const Modes modes = {columns};
    const auto swizzle = find_swizzle(modes, log2_exact(element_count(remap.shape)));
    if (!swizzle) throw Error("not expressible in CuTe: the remap's XORs are not a Swizzle<B,M,S>");
    return layout_code("tilewise_remap", modes, *swizzle);
}

/// "a9=x4^y4, ..": the rows that are not a single bit.
std::string xors_of(const Pattern& pattern) {
    std::vector<std::string> rows;
    for (unsigned bit = 0; uint64_t{1} << bit < pattern.tile_bytes; bit++)
        if (const std::string row = equation_row(pattern.equation, bit); row.find('^') != std::string::npos)
            rows.push_back(fmt::format("a{}={}", bit, row));
    return rows.empty() ? "a bit of a coordinate goes to several bits" : fmt::format("{}", fmt::join(rows, ", "));
}

std::string address_code(const Layout& layout) {
    require_tile_layout(layout, "CuTe");
    const Pattern& pattern = layout.pattern;
    if (!pattern.outer_xor.is_zero())
        throw Error(
            "not expressible in CuTe: bits of the tile's coordinates are XORed into the offset (G), and a layout is of "
            "one tile; take --lang triton or c-pdep");
    Modes modes;
    for (unsigned a = 0; a < snippet_dimensions(layout); a++) modes.push_back(element_columns(pattern, all_axes[a]));
    const auto swizzle = find_swizzle(modes, element_bits(pattern));
    if (!swizzle)
        throw Error(fmt::format(
            "not expressible in CuTe: the pattern's XORs are not a Swizzle<B,M,S> ({}); take --lang triton or c-pdep",
            xors_of(pattern)));
    return layout_code("tilewise_address", modes, *swizzle);
}

std::string cute_comment(const SnippetRequest& request) {
    if (request.kind == SnippetKind::remap)
        return fmt::format("CuTe 3 and later: index -> x + {} * y{} of the texel in the workgroup\n",
                           request.remap.shape[axis_x],
                           request.remap.shape[axis_z] > 1
                               ? fmt::format(" + {} * z", request.remap.shape[axis_x] * request.remap.shape[axis_y])
                               : "");
    const Pattern& pattern = request.layout.pattern;
    return fmt::format(
        "CuTe 3 and later: texel of a tile -> offset in the tile, in elements of {} bytes\n"
        "before it come whole tiles ({} texels, {} bytes), by the image's strides\n",
        pattern.element.bytes, shape_text(pattern.tile), pattern.tile_bytes);
}

}  // namespace

std::string emit_cute(const SnippetRequest& request, const std::string& comment) {
    if (request.image || (request.kind != SnippetKind::remap && request.kind != SnippetKind::address))
        throw UsageError("in CuTe there are snippets of the kinds remap, and address of one tile");
    const std::string code =
        request.kind == SnippetKind::remap ? remap_code(request.remap) : address_code(request.layout);
    return comment_lines(comment + cute_comment(request)) + code;
}

}  // namespace tilewise
