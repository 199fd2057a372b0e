// The comment above a snippet.
#pragma once
#include <string>
#include <string_view>

namespace tilewise {

/// Each line of the text as a line that begins with the mark of a comment; empty ones are left out. The text may come
/// from anywhere.
std::string comment_lines(std::string_view text, std::string_view mark = "//");

}  // namespace tilewise
