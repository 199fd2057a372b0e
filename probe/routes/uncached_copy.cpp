#include "probe/routes/uncached_copy.h"
#include <cstring>
#ifdef __x86_64__
#include <smmintrin.h>
#endif

namespace tilewise::probe {

#ifdef __x86_64__
namespace {

__attribute__((target("sse4.1"))) void copy_lines(std::byte* to, const std::byte* from, size_t lines) {
    for (size_t line = 0; line < lines; ++line) {
        // MOVNTDQA's operand is not const in GCC's header.
        auto* source = reinterpret_cast<__m128i*>(const_cast<std::byte*>(from + 64 * line));
        auto* target = reinterpret_cast<__m128i*>(to + 64 * line);
        const __m128i a = _mm_stream_load_si128(source);
        const __m128i b = _mm_stream_load_si128(source + 1);
        const __m128i c = _mm_stream_load_si128(source + 2);
        const __m128i d = _mm_stream_load_si128(source + 3);
        _mm_storeu_si128(target, a);
        _mm_storeu_si128(target + 1, b);
        _mm_storeu_si128(target + 2, c);
        _mm_storeu_si128(target + 3, d);
    }
}

}  // namespace
#endif

void copy_from_uncached(std::byte* to, const std::byte* from, size_t size) {
    size_t copied = 0;
#ifdef __x86_64__
    if (__builtin_cpu_supports("sse4.1")) {
        copied = size / 64 * 64;
        copy_lines(to, from, size / 64);
    }
#endif
    std::memcpy(to + copied, from + copied, size - copied);
}

}  // namespace tilewise::probe
