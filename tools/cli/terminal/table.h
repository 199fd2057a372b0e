// Formats rows of cells as lines of text: in columns; or, if a line is too narrow, wrapped, or with each row as lines
// of names and values.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise {

using Row = std::vector<std::string>;

/// Lines of at most `width` columns, broken only between words: an id or a number stays whole. All lines but the first
/// are indented by `indent` spaces; there is no final line break.
std::string wrapped(std::string_view text, size_t width, size_t indent);

/// Likewise for a shell command: "\" marks a line that continues.
std::string wrapped_command(std::string_view line, size_t width);

/// Rows in aligned columns, two spaces apart, each indented by `indent` spaces. Rows may differ in length. If a line is
/// wider than `width`, cells are wrapped, never cut. In a table, whose first row names the columns, the columns with
/// the same value in all rows are then moved into lines above; and if wrapping is not enough, each row becomes lines of
/// a name and a value.
std::string table_text(const std::vector<Row>& rows, std::optional<size_t> width, size_t indent, bool is_table);

}  // namespace tilewise
