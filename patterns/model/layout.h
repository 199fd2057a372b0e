// The address model: where each element of an image lies (see docs/address-model.md).
//
//   t = floor(e / tile), l = e mod tile
//   offset(e) = base + swap(sum of t[a] * stride[a], F(t)) + (E(l) XOR G(t) XOR c) * unit
//   swap(s, F) = s where F is zero, else ((s / tile_bytes) XOR F) * tile_bytes
//
//   E  the equation        where an element lies within its tile
//   G  the bank XOR        how the tile's coordinates change that place (AMD's pipes and banks)
//   F  the tile-index XOR  how they change the place of the tile itself (Broadcom's UIF)
//   c  the constant        changes the place within the tile, as G does, but alike in every tile of an image
//
// E, F and G are GF(2)-linear maps of coordinate bits: see patterns/model/gf2.h. Offsets and strides are in bytes. E, G
// and c are in bytes, too (unit = 1), unless the element's size is not a power of two: then they count elements (unit =
// element bytes).
//
//   AMD Navi 21, RGBA8: tiles of 128x128, 64 KiB. tx and ty are the bits of the tile's coordinates.
//     bit     15  14  13  12  11  10      9   8   7   6   5   4   3   2   1   0
//     E    x6^y6  x6  y3  x3  x5  y5  x4^y4  y4  y2  x2  y1  y0  x1  x0   0   0
//     G        0 ty0   0   0 ty0 tx0      0   0   0   0   0   0   0   0   0   0
#pragma once
#include "patterns/model/gf2.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewise {

/// The coordinates of an element: x, y and z in texels (or blocks of a compressed format), and the sample.
enum Axis : unsigned { axis_x, axis_y, axis_z, axis_s, axis_count };
constexpr std::array<Axis, axis_count> all_axes = {axis_x, axis_y, axis_z, axis_s};
/// Example:
///     assert(axis_name(axis_z) == 'z');
constexpr char axis_name(Axis axis) { return "xyzs"[axis]; }

/// One value per axis: a position or an extent, both in elements. An extent is 1 or more along each axis.
using Coord = std::array<uint32_t, axis_count>;
constexpr Coord unit_extent = {1, 1, 1, 1};
/// Example:
///     assert(element_count({256, 256, 1, 1}) == 65536);
///     assert(element_count({1u << 31, 1u << 31, 8, 1}) == ~uint64_t{0});
uint64_t element_count(const Coord& extent);  ///< the product, or 2^64 - 1 if it exceeds 64 bits
/// Position of `at` in a table of that extent: x fastest, then y, z, s.
/// Example:
///     assert(element_index({256, 256, 1, 1}, {77, 133, 0, 0}) == 133 * 256 + 77);
///     assert((element_at_index({256, 256, 1, 1}, 133 * 256 + 77) == Coord{77, 133, 0, 0}));
uint64_t element_index(const Coord& extent, const Coord& at);
Coord element_at_index(const Coord& extent, uint64_t index);  ///< the inverse; `index` must be below element_count()

constexpr uint32_t max_element_bytes = 4096;

/// The unit of addressing: a texel, or a block of a compressed format.
struct Element {
    uint32_t bytes = 0;   ///< at most max_element_bytes
    uint32_t width = 1;   ///< texels
    uint32_t height = 1;  ///< texels
    bool operator==(const Element&) const = default;
};

/// A GF(2)-linear map of coordinate bits: columns[axis][bit] is what that bit contributes, by XOR, to the result.
struct LinearMap {
    std::array<gf2::Columns, axis_count> columns;

    /// Example:
    ///     const LinearMap& equation = layout.pattern.equation;
    ///     assert(equation.axis(axis_x, 16) == 0x200 && equation.axis(axis_y, 16) == 0x300);
    ///     assert(equation({16, 16, 0, 0}) == (0x200 ^ 0x300));
    uint64_t operator()(const Coord& coord) const;
    uint64_t axis(Axis a, uint32_t value) const;  ///< the contribution of one axis; bits beyond the columns add nothing
    /// Example:
    ///     assert(layout.pattern.index_xor.is_zero() && !layout.pattern.outer_xor.is_zero());
    bool is_zero() const;
    /// Example:
    ///     assert(layout.pattern.equation.all_columns().size() == 7 + 7);
    ///     assert(gf2::is_injective(layout.pattern.equation.all_columns()));
    gf2::Columns all_columns() const;  ///< first those of x, then of y, z and s
    /// Example:
    ///     LinearMap map = {.columns = {gf2::Columns{4, 8, 0}}};
    ///     map.trim();
    ///     assert((map.columns[axis_x] == gf2::Columns{4, 8}));
    void trim();  ///< drops the zero columns at each axis' end, so that equal maps compare equal
    bool operator==(const LinearMap&) const = default;
};

/// The recurring part of a layout, independent of any image size. Two images, devices or formats whose patterns have
/// the same id arrange their elements alike.
struct Pattern {
    Element element;
    Coord tile = unit_extent;  ///< elements along each axis, powers of two
    uint64_t tile_bytes = 0;   ///< at least element bytes * elements of the tile; more if some bits are not used
    LinearMap equation;        ///< E: columns for the log2(tile[a]) low bits of each axis
    LinearMap outer_xor;       ///< G, the bank XOR: columns for the bits of the tile's coordinates
    LinearMap index_xor;       ///< F, the tile-index XOR: likewise
    /// The axes from the smallest stride to the largest; an axis with a single tile keeps its own position.
    /// {x,y,z,s} is row-major, {y,x,z,s} column-major.
    std::array<Axis, axis_count> order = all_axes;
    bool operator==(const Pattern&) const = default;

    /// Example:
    ///     Pattern rows;
    ///     rows.element.bytes = 12;
    ///     assert(rows.counts_elements() && rows.offset_unit() == 12 && rows.is_linear());
    ///     assert(!layout.pattern.counts_elements() && layout.pattern.offset_unit() == 1);
    bool counts_elements() const { return (element.bytes & (element.bytes - 1)) != 0; }
    /// Bytes per step of E, G and c: 1, or the element's bytes if they count elements.
    uint64_t offset_unit() const { return counts_elements() ? element.bytes : 1; }
    bool is_linear() const { return element_count(tile) == 1; }  ///< rows in scan order, without tiles
};

/// A pattern applied to one image.
struct Layout {
    Pattern pattern;
    std::array<uint64_t, axis_count> stride = {};  ///< bytes from one tile to the next; 0 along an axis with one tile
    uint64_t constant = 0;  ///< c, in offset units; not part of the pattern: drivers vary it from image to image
    uint64_t base = 0;      ///< bytes from the origin of the offsets to tile 0
    bool operator==(const Layout&) const = default;
};

/// Byte offset of an element's first byte. A layout has no extent, so coordinates beyond the image are not detected,
/// and sums wrap at 64 bits: patterns/model/one_to_one.h proves a layout for a given image.
/// Example:
///     assert(offset_of(layout, {77, 133, 0, 0}) == 170196);
uint64_t offset_of(const Layout& layout, const Coord& at);

/// The element of an image of this extent whose bytes include `offset`; none if the offset is padding or belongs to
/// another image.
/// Example:
///     assert((element_of(layout, {256, 256, 1, 1}, 170199) == Coord{77, 133, 0, 0}));
///     assert(!element_of(layout, {256, 256, 1, 1}, 262144));
std::optional<Coord> element_of(const Layout& layout, const Coord& extent, uint64_t offset);

/// The same for many offsets: E, which must be one-to-one, is inverted only once.
/// Example:
///     const ElementFinder find(layout, {256, 256, 1, 1});
///     assert((find(170196) == Coord{77, 133, 0, 0}) && !find(262144));
class ElementFinder {
public:
    ElementFinder(const Layout& layout, const Coord& extent);
    std::optional<Coord> operator()(uint64_t offset) const;

private:
    Layout layout_;
    Coord extent_;
    std::array<Axis, axis_count> largest_stride_first_ = all_axes;
    bool has_index_xor_;
    gf2::Columns inverse_;  ///< of E

    Coord divide_by_strides(uint64_t& shift) const;
};

/// Content hash of the pattern (XXH3, 64 bits) as 16 hexadecimal digits. The element's width and height belong to the
/// format and are left out.
/// Example:
///     const Layout of_table = layout_from_json(nlohmann::json::parse(solved)["layout"]);
///     assert(pattern_id(of_table.pattern) == pattern_id(layout.pattern));
std::string pattern_id(const Pattern& pattern);

/// Offsets of a whole image without a multiplication or a bit loop per element, from a table of each axis'
/// contribution.
///   offset = base + swap(sum of shift[a][e[a]], XOR of index[a][e[a]]) + (XOR of inner[a][e[a]]) * unit
/// Example:
///     const AxisTables tables(layout, {256, 256, 1, 1});
///     std::vector<uint64_t> row(256);
///     tables.row(133, 0, 0, row.data());
///     assert(row[77] == 170196 && tables.at({77, 133, 0, 0}) == 170196);
struct AxisTables {
    std::array<std::vector<uint64_t>, axis_count> shift, inner, index;
    uint64_t base = 0, constant = 0, unit = 1, tile_bytes = 0;
    bool has_index_xor = false;

    AxisTables(const Layout& layout, const Coord& extent);
    uint64_t at(const Coord& coord) const;
    /// Writes the offsets of the row (0..extent.x, y, z, s) to `out`.
    void row(uint32_t y, uint32_t z, uint32_t s, uint64_t* out) const;
};

}  // namespace tilewise
