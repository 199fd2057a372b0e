// What text takes of a terminal's line.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace tilewise {

/// Columns that a terminal shows the text in: two for a wide character (Chinese, Japanese, Korean, emoji), none for a
/// mark that combines with the character before. The text is printable (patterns/model/text.h).
size_t display_width(std::string_view text);

/// With ".." at its end where it is wider; no character is parted, nor from the marks that combine with it.
std::string cut_to_width(std::string_view text, size_t width);

}  // namespace tilewise
