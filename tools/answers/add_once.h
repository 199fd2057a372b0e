#pragma once
#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

namespace tilewise {

/// Appends the item, unless the list has it already.
template <typename Item>
void add_once(std::vector<Item>& list, std::type_identity_t<Item> item) {
    if (std::ranges::find(list, item) == list.end()) list.push_back(std::move(item));
}

}  // namespace tilewise
