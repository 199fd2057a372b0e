// How the system is to bring the pages of much memory. Where it has no such thing, nothing happens.
#pragma once
#include <cstddef>

namespace tilewise::system {

/// Large pages, before the memory is written.
void prefer_large_pages(void* memory, size_t size);

/// All pages that lie wholly in it, now, by several threads.
void fetch_pages(void* memory, size_t size);

}  // namespace tilewise::system
