// Writes to memory that is not read again soon.
#pragma once
#include <cstddef>

namespace tilewise {

/// Copies past the caches if the processor can, otherwise as memcpy. Call finish_streaming() before other threads read
/// it.
void stream(std::byte* to, const std::byte* from, size_t bytes);
void finish_streaming();

}  // namespace tilewise
