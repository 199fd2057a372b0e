// Memory of many megabytes: written once, all over, so that most of its cost is that of its pages.
#pragma once
#include "system/memory.h"
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace tilewise::probe {

/// Room for so many in an empty list, of pages that several threads fetch.
template <typename T>
void reserve_large(std::vector<T>& list, size_t count) {
    list.reserve(count);
    system::prefer_large_pages(list.data(), count * sizeof(T));
    system::fetch_pages(list.data(), count * sizeof(T));
}

/// Bytes that are not filled with anything first, kept for the next use.
struct LargeBytes {
    std::unique_ptr<std::byte[]> data;
    size_t size = 0;

    /// At least so many; what was in them is lost where they must grow.
    std::span<std::byte> reserve(size_t needed) {
        if (size < needed) {
            data.reset();
            data = std::make_unique_for_overwrite<std::byte[]>(needed);
            size = needed;
            system::prefer_large_pages(data.get(), size);
        }
        return {data.get(), needed};
    }
};

}  // namespace tilewise::probe
