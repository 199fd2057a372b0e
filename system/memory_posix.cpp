#include "patterns/model/bits.h"
#include "patterns/model/parallel.h"
#include "system/memory.h"
#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

namespace tilewise::system {

void prefer_large_pages(void* memory, size_t size) {
    constexpr uintptr_t page = 2 << 20;
    const auto first = (reinterpret_cast<uintptr_t>(memory) + page - 1) / page * page;
    const auto end = (reinterpret_cast<uintptr_t>(memory) + size) / page * page;
    if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

void fetch_pages([[maybe_unused]] void* memory, [[maybe_unused]] size_t size) {
#ifdef MADV_POPULATE_WRITE
    // On arm64 it may have 4, 16 or 64 KiB.
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto first = round_up(reinterpret_cast<uintptr_t>(memory), page);
    const auto end = (reinterpret_cast<uintptr_t>(memory) + size) / page * page;
    constexpr uintptr_t at_once = 8 << 20;
    if (first + at_once < end)
        for_parts(end - first, at_once, [&](uint64_t from, uint64_t to) {
            madvise(reinterpret_cast<void*>(first + from), to - from, MADV_POPULATE_WRITE);
        });
#endif
}

}  // namespace tilewise::system
