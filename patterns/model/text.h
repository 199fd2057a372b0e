// What every room does to words: lower case, lists, which are near one another.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tilewise {

/// ASCII letters alone, whatever the locale.
std::string to_lower(std::string_view text);

/// "a,b" -> {"a", "b"}; empty parts are left out.
std::vector<std::string> split(std::string_view text, char separator = ',');

/// "a,,b" -> {"a", "", "b"}, and one empty field of an empty text.
std::vector<std::string> split_fields(std::string_view text, char separator = ',');

/// Letters to insert, remove or replace (Levenshtein).
size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace tilewise
