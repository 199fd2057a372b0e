#include "patterns/model/layout_json.h"
#include "patterns/model/bits.h"
#include "patterns/model/drm_modifier.h"
#include "patterns/model/error.h"
#include "patterns/model/layout_text.h"
#include "patterns/model/one_to_one.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <bit>
#include <charconv>
#include <fmt/format.h>

namespace tilewise {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr uint64_t max_tile_bytes = uint64_t{1} << 48;
constexpr std::array<const char*, 3> tile_members = {"width", "height", "depth"};

/// The number of bits in an equation of the pattern: bits of the byte offset in the tile, or of the element index.
unsigned equation_bits(const Pattern& pattern) {
    return static_cast<unsigned>(std::bit_width(pattern.tile_bytes / pattern.offset_unit() - 1));
}

[[noreturn]] void fail(const std::string& member, const char* what) {
    throw Error(fmt::format("layout: \"{}\" {}", member, what));
}

const json& member(const json& object, const char* name, std::string_view path) {
    if (!object.is_object() || !object.contains(name)) fail(fmt::format("{}{}", path, name), "is missing");
    return object[name];
}

uint64_t number(const json& value, const std::string& path) {
    if (!value.is_number_integer() || (!value.is_number_unsigned() && value.get<int64_t>() < 0))
        fail(path, "must be a whole number of 0 or more");
    return value.get<uint64_t>();
}

uint32_t small_number(const json& value, const std::string& path) {
    uint64_t n = number(value, path);
    if (n == 0 || n > uint64_t{1} << 31) fail(path, "is out of range");
    return static_cast<uint32_t>(n);
}

void toggle_term(LinearMap& map, std::string_view term, unsigned bit, std::string_view prefix,
                 const std::string& path) {
    if (!term.starts_with(prefix)) fail(path, "has a term of another kind");
    term.remove_prefix(prefix.size());
    size_t axis = term.empty() ? std::string_view::npos : std::string_view("xyzs").find(term.front());
    if (axis == std::string_view::npos) fail(path, "names a coordinate other than x, y, z, s");
    unsigned coordinate_bit = 0;
    auto [end, error] = std::from_chars(term.data() + 1, term.data() + term.size(), coordinate_bit);
    if (error != std::errc() || end != term.data() + term.size() || coordinate_bit > 31)
        fail(path, "has a term that is not a coordinate bit");
    std::vector<uint64_t>& columns = map.columns[axis];
    if (columns.size() <= coordinate_bit) columns.resize(coordinate_bit + 1);
    columns[coordinate_bit] ^= uint64_t{1} << bit;
}

void add_row(LinearMap& map, const json& row, unsigned bit, std::string_view prefix, const std::string& path) {
    if (!row.is_string()) fail(path, "must be a string such as \"x0^y1\" or \"0\"");
    const std::string text = row.get<std::string>();
    if (text == "0") return;
    for (const std::string& term : split_fields(text, '^')) toggle_term(map, term, bit, prefix, path);
}

LinearMap sparse_map(const json& rows, const std::string& path) {
    if (!rows.is_object()) fail(path, "must be an object of bit -> terms");
    LinearMap map;
    for (const auto& [key, row] : rows.items()) {
        unsigned bit = 64;
        std::from_chars(key.data(), key.data() + key.size(), bit);
        if (bit > 63 || key != fmt::format("{}", bit)) fail(path, "has a key that is not a bit number");
        add_row(map, row, bit, "t", fmt::format("{}.{}", path, key));
    }
    map.trim();
    return map;
}

LinearMap read_equation(const json& rows, const Pattern& pattern) {
    if (!rows.is_array() || rows.size() != equation_bits(pattern))
        fail("equation", "must have one row a bit of tile.bytes");
    LinearMap map;
    for (unsigned bit = 0; bit < rows.size(); bit++) add_row(map, rows[bit], bit, "", fmt::format("equation[{}]", bit));
    for (Axis a : all_axes) {
        const unsigned bits = log2_exact(pattern.tile[a]);
        if (map.columns[a].size() > bits) fail("equation", "uses coordinate bits beyond the tile");
        map.columns[a].resize(bits);
    }
    const gf2::Columns columns = map.all_columns();
    if (columns.size() > 64 || !gf2::is_injective(columns)) fail("equation", "gives two elements the same offset");
    return map;
}

std::array<Axis, axis_count> order_by_stride(const std::array<uint64_t, axis_count>& stride) {
    std::vector<Axis> places;
    for (Axis a : all_axes)
        if (stride[a] != 0) places.push_back(a);
    std::vector<Axis> sorted = places;
    std::ranges::stable_sort(sorted, {}, [&](Axis a) { return stride[a]; });
    std::array<Axis, axis_count> order = all_axes;
    for (size_t i = 0; i < places.size(); i++) order[places[i]] = sorted[i];
    return order;
}

}  // namespace

std::string equation_row(const LinearMap& map, unsigned bit, const char* prefix) {
    std::string row;
    for (Axis a : all_axes)
        for (size_t i = 0; i < map.columns[a].size(); i++) {
            if (!(map.columns[a][i] >> bit & 1)) continue;
            if (!row.empty()) row += '^';
            row += prefix;
            row += axis_name(a);
            row += std::to_string(i);
        }
    return row.empty() ? "0" : row;
}

std::string layout_text(const Layout& layout) {
    const Pattern& pattern = layout.pattern;
    std::string text;
    const auto put = [&](std::string_view before, uint64_t number) {
        text += before;
        text += std::to_string(number);
    };
    const auto put_rows = [&](std::string_view before, const LinearMap& map) {
        text += before;
        uint64_t used = 0;
        for (const std::vector<uint64_t>& columns : map.columns)
            for (uint64_t column : columns) used |= column;
        const char* separator = "\"";
        for (unsigned bit = 0; bit < 64; bit++) {
            const std::string row = used >> bit & 1 ? equation_row(map, bit, "t") : "0";
            if (row == "0") continue;
            put(separator, bit);
            text += "\":\"" + row + "\"";
            separator = ",\"";
        }
        text += "}";
    };
    put(R"({"element":{"bytes":)", pattern.element.bytes);
    put(R"(,"width":)", pattern.element.width);
    put(R"(,"height":)", pattern.element.height);
    put(R"(},"tile":{"width":)", pattern.tile[axis_x]);
    put(R"(,"height":)", pattern.tile[axis_y]);
    put(R"(,"depth":)", pattern.tile[axis_z]);
    if (pattern.tile[axis_s] > 1) put(R"(,"samples":)", pattern.tile[axis_s]);
    put(R"(,"bytes":)", pattern.tile_bytes);
    text += R"(},"equation":[)";
    for (unsigned bit = 0; bit < equation_bits(pattern); bit++)
        text += (bit == 0 ? "\"" : ",\"") + equation_row(pattern.equation, bit) + "\"";
    put_rows(R"(],"outer_xor":{)", pattern.outer_xor);
    put(R"(,"stride":{"x":)", layout.stride[axis_x]);
    put(R"(,"y":)", layout.stride[axis_y]);
    put(R"(,"z":)", layout.stride[axis_z]);
    if (layout.stride[axis_s] != 0 || pattern.tile[axis_s] > 1) put(R"(,"s":)", layout.stride[axis_s]);
    put_rows(R"(,"xor":{)", pattern.index_xor);
    put(R"(},"constant":)", layout.constant);
    put(R"(,"base":)", layout.base);
    return text + "}";
}

std::string placement_text(const Layout& layout) {
    const std::string samples = layout.stride[axis_s] != 0 || layout.pattern.tile[axis_s] > 1
                                    ? fmt::format(R"(,"s":{})", layout.stride[axis_s])
                                    : "";
    return fmt::format(
        R"({{"element":{{"width":{},"height":{}}},"stride":{{"x":{},"y":{},"z":{}{}}},"constant":{},"base":{}}})",
        layout.pattern.element.width, layout.pattern.element.height, layout.stride[axis_x], layout.stride[axis_y],
        layout.stride[axis_z], samples, layout.constant, layout.base);
}

ordered_json to_json(const Layout& layout) { return ordered_json::parse(layout_text(layout)); }

nlohmann::ordered_json to_json(const Mode& mode) {
    return {{"name", mode.name},
            {"size", mode.size},
            {"modifier", mode.modifier},
            {"modifier_number", drm_modifier_text(mode.modifier)}};
}

namespace {

Pattern read_pattern(const json& object) {
    if (object.is_object() && object.contains("subresources"))
        throw Error(
            "layout: this is a whole image, as `tilewise layout --json` prints it: each of its \"subresources\" has a "
            "\"layout\"");
    Pattern pattern;
    const json& element = member(object, "element", "");
    pattern.element.bytes = small_number(member(element, "bytes", "element."), "element.bytes");
    if (pattern.element.bytes > max_element_bytes) fail("element.bytes", "is out of range");

    const json& tile = member(object, "tile", "");
    for (Axis a : {axis_x, axis_y, axis_z})
        pattern.tile[a] = small_number(member(tile, tile_members[a], "tile."), std::string("tile.") + tile_members[a]);
    if (tile.contains("samples")) pattern.tile[axis_s] = small_number(tile["samples"], "tile.samples");
    for (uint32_t n : pattern.tile)
        if (!std::has_single_bit(n)) fail("tile", "must have a power of two along each axis");
    pattern.tile_bytes = number(member(tile, "bytes", "tile."), "tile.bytes");
    uint64_t elements_bytes = pattern.element.bytes;
    for (uint32_t n : pattern.tile)
        if (__builtin_mul_overflow(elements_bytes, n, &elements_bytes) || elements_bytes > max_tile_bytes)
            fail("tile", "has more bytes than 2^48");
    if (pattern.tile_bytes > max_tile_bytes) fail("tile.bytes", "is more than 2^48");
    if (pattern.tile_bytes < elements_bytes || pattern.tile_bytes % elements_bytes != 0 ||
        !std::has_single_bit(pattern.tile_bytes / elements_bytes))
        fail("tile.bytes", "must be the bytes of the tile's elements, or that times a power of two");

    pattern.equation = read_equation(member(object, "equation", ""), pattern);
    pattern.outer_xor = sparse_map(member(object, "outer_xor", ""), "outer_xor");
    pattern.index_xor = sparse_map(member(member(object, "stride", ""), "xor", "stride."), "stride.xor");
    return pattern;
}

}  // namespace

Layout layout_from_json(const json& object) { return layout_from_json(object, read_pattern(object)); }

Layout layout_from_json(const json& object, const Pattern& known) {
    Layout layout{.pattern = known};
    Pattern& pattern = layout.pattern;
    const json& element = member(object, "element", "");
    pattern.element.width = small_number(member(element, "width", "element."), "element.width");
    pattern.element.height = small_number(member(element, "height", "element."), "element.height");
    const json& stride = member(object, "stride", "");
    for (Axis a : {axis_x, axis_y, axis_z}) {
        const std::string name(1, axis_name(a));
        layout.stride[a] = number(member(stride, name.c_str(), "stride."), "stride." + name);
    }
    if (stride.contains("s")) layout.stride[axis_s] = number(stride["s"], "stride.s");
    pattern.order = order_by_stride(layout.stride);
    if (!index_xor_is_one_to_one(layout)) fail("stride.xor", "gives two tiles the same place");
    layout.constant = number(member(object, "constant", ""), "constant");
    layout.base = number(member(object, "base", ""), "base");

    uint64_t within = layout.constant;
    for (const std::vector<uint64_t>& columns : pattern.outer_xor.columns)
        for (uint64_t column : columns) within |= column;
    if (within >= pattern.tile_bytes / pattern.offset_unit())
        fail("outer_xor", "or \"constant\" reaches beyond the tile");
    if (const char* why = why_not_one_to_one(layout, pattern.tile)) throw Error(fmt::format("layout: {}", why));
    return layout;
}

}  // namespace tilewise
