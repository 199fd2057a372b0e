// Rows of cells as lines of text: in columns; wrapped, or a row as lines of names and values, where a line has no room.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise {

using Row = std::vector<std::string>;

/// Lines of at most `width` columns, broken between words alone: an id or a number stays whole. All but the first stand
/// behind `indent` spaces; no line break is at the end.
std::string wrapped(std::string_view text, size_t width, size_t indent);

/// A line of a shell likewise: "\" stands where it goes on.
std::string wrapped_command(std::string_view line, size_t width);

/// Rows in aligned columns, two spaces apart, each behind `indent` spaces. Rows may differ in length. Where a line is
/// wider than `width`, cells are wrapped, never cut. Of a table, whose first row names the columns, those in which all
/// rows are alike then stand in lines above it; and where wrapping is not enough, each row becomes lines of a name and
/// a value.
std::string table_text(const std::vector<Row>& rows, std::optional<size_t> width, size_t indent, bool is_table);

}  // namespace tilewise
