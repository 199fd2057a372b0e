// Memory of many megabytes: written once, all over, so that most of its cost is that of its pages.
#pragma once
#include "patterns/model/bits.h"
#include "patterns/model/parallel.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <sys/mman.h>
#include <vector>

namespace tilewise::probe {

/// Where the system has large pages for the asking; before the memory is written.
inline void prefer_large_pages(void* memory, size_t size) {
    constexpr uintptr_t page = 2 << 20;
    const auto first = (reinterpret_cast<uintptr_t>(memory) + page - 1) / page * page;
    const auto end = (reinterpret_cast<uintptr_t>(memory) + size) / page * page;
    if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

/// Room for so many in an empty list, of pages that several threads fetch.
template <typename T>
void reserve_large(std::vector<T>& list, size_t count) {
    list.reserve(count);
    prefer_large_pages(list.data(), count * sizeof(T));
#ifdef MADV_POPULATE_WRITE
    constexpr uintptr_t page = 4096;
    const auto first = round_up(reinterpret_cast<uintptr_t>(list.data()), page);
    const auto end = reinterpret_cast<uintptr_t>(list.data() + count) / page * page;
    constexpr uintptr_t at_once = 8 << 20;
    if (first + at_once < end)
        for_parts(end - first, at_once, [&](uint64_t from, uint64_t to) {
            madvise(reinterpret_cast<void*>(first + from), to - from, MADV_POPULATE_WRITE);
        });
#endif
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
            prefer_large_pages(data.get(), size);
        }
        return {data.get(), needed};
    }
};

}  // namespace tilewise::probe
