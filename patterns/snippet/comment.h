// The comment above a snippet.
#pragma once
#include <string>
#include <string_view>

namespace tilewise {

/// The text as comment lines, each beginning with `mark`; empty lines are dropped. The text may come from any source.
std::string comment_lines(std::string_view text, std::string_view mark = "//");

}  // namespace tilewise
