// What all folders do to words: lower case, lists, which are near one another, which are safe to show.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise {

/// ASCII letters alone, whatever the locale.
/// Example:
///     assert(to_lower("RGBA8") == "rgba8");
std::string to_lower(std::string_view text);

/// "a,b" -> {"a", "b"}; empty parts are left out.
/// Example:
///     assert((split("a,,b") == std::vector<std::string>{"a", "b"}) && split("").empty());
std::vector<std::string> split(std::string_view text, char separator = ',');

/// "a,,b" -> {"a", "", "b"}, and one empty field of an empty text.
/// Example:
///     assert((split_fields("a,,b") == std::vector<std::string>{"a", "", "b"}) && split_fields("").size() == 1);
std::vector<std::string> split_fields(std::string_view text, char separator = ',');

/// Foreign text as a part of one line that a terminal, a compiler or a reader takes for nothing but text. White space
/// is written as a space; other control characters, and what is not seen or turns the order of what is (line and
/// paragraph separators, bidirectional controls, zero-width and tag characters), as <U+202E>; what is no UTF-8, as
/// U+FFFD. What has more than `max_characters` ends in "...". Text that is printable already stays as it is.
/// Example:
///     assert(printable("\x1b[31mred\nline") == "<U+001B>[31mred line");
///     assert(printable("R8G8B8A8", 6) == "R8G...");
std::string printable(std::string_view text, size_t max_characters = std::string::npos);

/// "1 image", "2 images"
/// Example:
///     assert(counted(1, "image") == "1 image" && counted(0, "image") == "0 images");
std::string counted(uint64_t number, std::string_view noun);

/// Letters to insert, remove or replace (Levenshtein).
/// Example:
///     assert(edit_distance("kitten", "sitting") == 3);
size_t edit_distance(std::string_view a, std::string_view b);

/// The name that was meant by what was typed, in any case; empty where none is near enough. Two letters that changed
/// places are one mistake.
/// Example:
///     assert(nearest_name({"glsl", "hlsl", "wgsl"}, "GLLS") == "glsl");
///     assert(nearest_name({"glsl", "hlsl", "wgsl"}, "fortran").empty());
std::string nearest_name(const std::vector<std::string>& names, std::string_view typed);

/// "no language \"glls\"; did you mean glsl? There are: glsl, hlsl, wgsl"; without a question where none is near.
/// Example:
///     const std::string line = no_such_name("language", "glls", {"glsl", "hlsl"});
///     assert(line == "no language \"glls\"; did you mean glsl? There are: glsl, hlsl");
std::string no_such_name(std::string_view kind, std::string_view typed, const std::vector<std::string>& names);

}  // namespace tilewise
