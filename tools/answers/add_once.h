#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tilewise {

/// Appends the text, unless the list has it already.
inline void add_once(std::vector<std::string>& list, std::string text) {
    if (std::ranges::find(list, text) == list.end()) list.push_back(std::move(text));
}

}  // namespace tilewise
