// Pieces of 16 bytes, of two steps at a time: each takes one half of the registers.
#include "patterns/convert/kernels.h"
#ifdef TILEWISE_HAS_AVX
#include <immintrin.h>
#endif

namespace tilewise {

#ifdef TILEWISE_HAS_AVX

#define TILEWISE_AVX2 __attribute__((target("avx2")))

namespace {

TILEWISE_AVX2 inline __m256i load(const std::byte* low, const std::byte* high) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(low))),
                                   _mm_loadu_si128(reinterpret_cast<const __m128i*>(high)), 1);
}

TILEWISE_AVX2 inline void store(std::byte* low, std::byte* high, __m256i pieces) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(low), _mm256_castsi256_si128(pieces));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(high), _mm256_extracti128_si256(pieces, 1));
}

/// A byte of a shuffle is 0 where bit 7 of its index is set: that of the first register from 64 on, that of the second
/// below.
TILEWISE_AVX2 inline __m256i picked(__m256i first, const Pick& pick, __m256i second) {
    const __m256i source =
        _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(pick.source.data())));
    const __m256i half = _mm256_set1_epi8(64);
    return _mm256_or_si256(_mm256_shuffle_epi8(first, _mm256_add_epi8(source, half)),
                           _mm256_shuffle_epi8(second, _mm256_sub_epi8(source, half)));
}

template <ConvertDirection direction, unsigned stages>
TILEWISE_AVX2 void exchange_pieces(const Pass& pass, const Cell& cell, const Cell& next) {
    constexpr unsigned count = 1U << stages;
    const uint64_t unit = pass.unit;
    const Step* const pieces = pass.pieces.data();
    const Pick* const picks = pass.exchange.picks.data();
    for (size_t at = 0; at < pass.steps.size(); at += 2) {
        const Step &low = pass.steps[at], &high = at + 1 < pass.steps.size() ? pass.steps[at + 1] : low;
        __m256i piece[count];
        const auto in_rows = [&](const Step& step, unsigned i) { return step.rows + pieces[i].rows; };
        const auto in_memory = [&](const Step& step, unsigned i, uint64_t inner) {
            return step.shift + memory_offset(pieces[i], step.inner ^ inner, unit);
        };
#pragma GCC unroll 16
        for (unsigned i = 0; i < count; i++) {
            if (direction == ConvertDirection::tile) {
                _mm_prefetch(next.from + in_rows(low, i), _MM_HINT_T0);
                piece[i] = load(cell.from + in_rows(low, i), cell.from + in_rows(high, i));
            } else {
                _mm_prefetch(next.from + in_memory(low, i, next.inner), _MM_HINT_T0);
                piece[i] = load(cell.from + in_memory(low, i, cell.inner), cell.from + in_memory(high, i, cell.inner));
            }
        }
#pragma GCC unroll 4
        for (unsigned stage = 0; stage < (stages == 0 ? 1 : stages); stage++) {
            const unsigned bit = stages == 0 ? 0 : 1U << stage;
            __m256i picks_of[count];
#pragma GCC unroll 16
            for (unsigned i = 0; i < count; i++)
                picks_of[i] = picked(piece[i & ~bit], picks[stage * count + i], piece[i | bit]);
#pragma GCC unroll 16
            for (unsigned i = 0; i < count; i++) piece[i] = picks_of[i];
        }
#pragma GCC unroll 16
        for (unsigned i = 0; i < count; i++) {
            if (direction == ConvertDirection::tile)
                store(cell.to + in_memory(low, i, cell.inner), cell.to + in_memory(high, i, cell.inner), piece[i]);
            else
                store(cell.to + in_rows(low, i), cell.to + in_rows(high, i), piece[i]);
        }
    }
}

template <ConvertDirection direction>
Kernel choose(unsigned stages) {
    switch (stages) {
        case 0:
            return exchange_pieces<direction, 0>;
        case 1:
            return exchange_pieces<direction, 1>;
        case 2:
            return exchange_pieces<direction, 2>;
        case 3:
            return exchange_pieces<direction, 3>;
        case 4:
            return exchange_pieces<direction, 4>;
        default:
            return nullptr;
    }
}

}  // namespace

Kernel choose_exchange_avx2(ConvertDirection direction, unsigned stages, size_t piece_bytes) {
    if (piece_bytes != 16) return nullptr;
    return direction == ConvertDirection::detile ? choose<ConvertDirection::detile>(stages)
                                                 : choose<ConvertDirection::tile>(stages);
}

#else

Kernel choose_exchange_avx2(ConvertDirection, unsigned, size_t) { return nullptr; }

#endif

}  // namespace tilewise
