// What every room does to words: lower case, lists.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tilewise {

/// ASCII letters alone, whatever the locale.
std::string to_lower(std::string_view text);

/// "a,b" -> {"a", "b"}; empty parts are left out.
std::vector<std::string> split(std::string_view text, char separator = ',');

}  // namespace tilewise
