// Memory that is written once and not read soon.
#pragma once
#include <cstddef>

namespace tilewise {

/// Copies past the caches where the processor can, else as memcpy. Call finish_streaming() before others read it.
void stream(std::byte* to, const std::byte* from, size_t bytes);
void finish_streaming();

}  // namespace tilewise
