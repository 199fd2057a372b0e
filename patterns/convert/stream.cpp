#include "patterns/convert/stream.h"
#include <algorithm>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tilewise {

void stream(std::byte* to, const std::byte* from, size_t bytes) {
#if defined(__SSE2__)
    constexpr size_t line = 64, word = sizeof(__m128i);
    const size_t head = std::min(bytes, (line - reinterpret_cast<uintptr_t>(to) % line) % line);
    std::memcpy(to, from, head);
    size_t at = head;
    for (; at + line <= bytes; at += line)
        for (size_t i = at; i < at + line; i += word)
            _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                             _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
    to += at, from += at, bytes -= at;
#endif
    std::memcpy(to, from, bytes);
}

void finish_streaming() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

}  // namespace tilewise
