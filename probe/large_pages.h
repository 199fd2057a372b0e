// Memory of many megabytes that is written once, throughout, so that most of its cost is that of its pages.
#pragma once
#include "system/memory.h"
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace tilewise::probe {

/// Reserves room for `count` entries in an empty list, in pages that several threads fetch.
template <typename T>
void reserve_large(std::vector<T>& list, size_t count) {
    list.reserve(count);
    system::prefer_large_pages(list.data(), count * sizeof(T));
    system::fetch_pages(list.data(), count * sizeof(T));
}

/// Bytes that are not initialized, kept for the next use.
struct LargeBytes {
    std::unique_ptr<std::byte[]> data;
    size_t size = 0;

    /// Returns at least `needed` bytes; if they must grow, their contents are lost.
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
