// What a probe finds and the solver takes: the byte offset of every element of one image.
#pragma once
#include "patterns/model/layout.h"
#include <string>
#include <string_view>
#include <vector>

namespace tilewise {

/// offsets[element_index(extent, e)] is the byte offset of element e, or `missing_offset` where it was not found.
struct Table {
    static constexpr uint64_t missing_offset = ~uint64_t{0};
    Element element;
    Coord extent = unit_extent;     ///< elements
    std::vector<uint64_t> offsets;  ///< bytes, from wherever the prober counted
    /// What was seen and does not belong: one line each ("element (3,5) lies at 0x140 and at 0x1c0"). A table with
    /// faults has no layout.
    std::vector<std::string> faults;
};

/// Reads rows of `x,y,byte_offset`, `x,y,z,byte_offset` or `x,y,z,s,byte_offset` (decimal, or 0x hexadecimal); a header
/// line of these names gives another order (`x,y,s,byte_offset`), and one of other words is skipped. Lines that begin
/// with `#` are comments; `# bytes_per_texel: N` gives the element's size unless element_bytes does; without either it
/// is the smallest distance of two elements. The extent is the largest coordinate + 1.
/// Throws Error naming the line (wrong number of columns, not a number, negative, over 64 bits, no rows).
/// An element given twice becomes a fault of the table, an element never given a missing offset.
/// Example:
///     const Table table = parse_table_csv("x,y,byte_offset\n0,0,0\n1,0,4\n");
///     assert(table.element.bytes == 4 && table.offsets[1] == 4);
Table parse_table_csv(std::string_view text, uint32_t element_bytes = 0);

}  // namespace tilewise
