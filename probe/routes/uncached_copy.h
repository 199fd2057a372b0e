// Reading memory that the CPU does not cache, such as a GPU's memory behind PCIe.
#pragma once
#include <cstddef>

namespace tilewise::probe {

/// Like memcpy, but uses loads that fetch whole lines of write-combined memory if the CPU has them: each ordinary load
/// is a bus transfer of its own, a few bytes at a time. `from` is aligned to 16 bytes.
void copy_from_uncached(std::byte* to, const std::byte* from, size_t size);

}  // namespace tilewise::probe
