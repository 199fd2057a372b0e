// The room that text takes in a line of the terminal.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace tilewise {

/// The number of columns in which a terminal shows the text: two for a wide character (Chinese, Japanese, Korean,
/// emoji), none for a mark that combines with the character before. The text must be printable (patterns/model/text.h).
size_t display_width(std::string_view text);

/// The text, cut with ".." at its end if it is too wide. No character is split, nor separated from its combining marks.
std::string cut_to_width(std::string_view text, size_t width);

}  // namespace tilewise
