// Operations on words that all folders need: lower case, lists, similar names, text that is safe to show.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise {

/// Lowers ASCII letters only, whatever the locale.
/// Example:
///     assert(to_lower("RGBA8") == "rgba8");
std::string to_lower(std::string_view text);

/// Raises ASCII letters only, whatever the locale.
/// Example:
///     assert(to_upper("rgba8") == "RGBA8");
std::string to_upper(std::string_view text);

/// "a,b" -> {"a", "b"}; empty parts are dropped.
/// Example:
///     assert((split("a,,b") == std::vector<std::string>{"a", "b"}) && split("").empty());
std::vector<std::string> split(std::string_view text, char separator = ',');

/// "a,,b" -> {"a", "", "b"}; an empty text gives one empty field.
/// Example:
///     assert((split_fields("a,,b") == std::vector<std::string>{"a", "", "b"}) && split_fields("").size() == 1);
std::vector<std::string> split_fields(std::string_view text, char separator = ',');

/// Foreign text as part of one line, made so that a terminal, a compiler or a reader cannot take it for anything but
/// text. White space becomes a space. Other control characters, invisible characters and those that change the order of
/// the text (line and paragraph separators, bidirectional controls, zero-width and tag characters) become <U+202E> and
/// the like; invalid UTF-8 becomes U+FFFD. A text of more than `max_characters` is cut and ends in "...". Text that is
/// printable already stays as it is.
/// Example:
///     assert(printable("\x1b[31mred\nline") == "<U+001B>[31mred line");
///     assert(printable("R8G8B8A8", 6) == "R8G...");
std::string printable(std::string_view text, size_t max_characters = std::string::npos);

/// "1 image", "2 images"
/// Example:
///     assert(counted(1, "image") == "1 image" && counted(0, "image") == "0 images");
std::string counted(uint64_t number, std::string_view noun);

/// The number of letters to insert, remove or replace (Levenshtein).
/// Example:
///     assert(edit_distance("kitten", "sitting") == 3);
size_t edit_distance(std::string_view a, std::string_view b);

/// The name most likely meant by what was typed; case does not matter. Empty if none is similar enough. Two swapped
/// letters count as one mistake.
/// Example:
///     assert(nearest_name({"glsl", "hlsl", "wgsl"}, "GLLS") == "glsl");
///     assert(nearest_name({"glsl", "hlsl", "wgsl"}, "fortran").empty());
std::string nearest_name(const std::vector<std::string>& names, std::string_view typed);

/// "no language \"glls\"; did you mean glsl? There are: glsl, hlsl, wgsl"; without the question if no name is similar.
/// Example:
///     const std::string line = no_such_name("language", "glls", {"glsl", "hlsl"});
///     assert(line == "no language \"glls\"; did you mean glsl? There are: glsl, hlsl");
std::string no_such_name(std::string_view kind, std::string_view typed, const std::vector<std::string>& names);

}  // namespace tilewise
