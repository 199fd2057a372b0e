// Reading memory that the CPU does not cache, such as a GPU's memory behind PCIe.
#pragma once
#include <cstddef>

namespace tilewise::probe {

/// memcpy, but with loads that fetch whole lines of write-combined memory where the CPU has them: an ordinary load goes
/// over the bus by itself, a few bytes at a time. `from` is aligned to 16 bytes.
void copy_from_uncached(std::byte* to, const std::byte* from, size_t size);

}  // namespace tilewise::probe
