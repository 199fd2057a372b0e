// The result of a probe and the input of the solver: the byte offset of every element of one image.
#pragma once
#include "patterns/model/layout.h"
#include <string>
#include <string_view>
#include <vector>

namespace tilewise {

/// offsets[element_index(extent, e)] is the byte offset of element e, or `missing_offset` if it was not found.
struct Table {
    static constexpr uint64_t missing_offset = ~uint64_t{0};
    Element element;
    Coord extent = unit_extent;     ///< elements
    std::vector<uint64_t> offsets;  ///< bytes, from the prober's origin
    /// Observations that contradict a layout, one line each ("element (3,5) lies at 0x140 and at 0x1c0"). A table with
    /// faults has no layout.
    std::vector<std::string> faults;
};

/// Reads rows of `x,y,byte_offset`, `x,y,z,byte_offset` or `x,y,z,s,byte_offset` (decimal, or 0x hexadecimal). A header
/// line of these names may give another order (`x,y,s,byte_offset`); a header of other words is skipped. Lines that
/// begin with `#` are comments. The element's size is `element_bytes` or, if that is 0, the number in
/// `# bytes_per_texel: N`; without either it is the smallest distance between two elements. The extent is the largest
/// coordinate + 1. An element given twice becomes a fault of the table; an element never given gets the missing offset.
///
/// Throws Error naming the line (wrong number of columns, not a number, negative, over 64 bits, no rows).
/// Example:
///     const Table table = parse_table_csv("x,y,byte_offset\n0,0,0\n1,0,4\n");
///     assert(table.element.bytes == 4 && table.offsets[1] == 4);
Table parse_table_csv(std::string_view text, uint32_t element_bytes = 0);

}  // namespace tilewise
