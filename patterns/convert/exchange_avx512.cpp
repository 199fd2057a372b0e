// Pieces of 64 bytes, or of 48 if elements have 3, 6 or 12; a stage is one instruction per register. Written by hand:
// the Highway of Debian 12 (1.0) has nothing that picks bytes from two registers of 64 bytes.
#include "patterns/convert/kernels.h"
#ifdef TILEWISE_HAS_AVX
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // in g++ 12's own immintrin.h (GCC bug 105593)
#endif
#include <immintrin.h>
#endif

namespace tilewise {

#ifdef TILEWISE_HAS_AVX

#define TILEWISE_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))

namespace {

template <size_t bytes>
TILEWISE_AVX512 inline __m512i load(const std::byte* from) {
    static_assert(bytes == 64 || bytes == 48);
    if constexpr (bytes == 64) return _mm512_loadu_si512(from);
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 32));
    return _mm512_inserti32x4(_mm512_castsi256_si512(low), high, 2);
}

template <size_t bytes, bool streams>
TILEWISE_AVX512 inline void store(std::byte* to, __m512i piece) {
    if constexpr (streams) {
        static_assert(bytes == 64);
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to), piece);
    } else if constexpr (bytes == 64) {
        _mm512_storeu_si512(to, piece);
    } else {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_castsi512_si256(piece));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 32), _mm512_extracti32x4_epi32(piece, 2));
    }
}

/// On some processors, instructions that permute words are faster than those that permute bytes.
template <bool by_words>
TILEWISE_AVX512 inline __m512i picked(__m512i first, __m512i pick, __m512i second) {
    return by_words ? _mm512_permutex2var_epi32(first, pick, second) : _mm512_permutex2var_epi8(first, pick, second);
}

template <bool by_words>
TILEWISE_AVX512 inline __m512i load_pick(const Pick& pick) {
    const __m512i bytes = _mm512_load_si512(pick.source.data());
    return by_words ? _mm512_srli_epi32(_mm512_and_si512(bytes, _mm512_set1_epi32(0xff)), 2) : bytes;
}

template <ConvertDirection direction, unsigned stages, bool by_words, size_t bytes, bool streams>
TILEWISE_AVX512 void exchange_pieces(const Pass& pass, const Cell& cell, const Cell& next) {
    constexpr unsigned count = 1U << stages, picks = stages == 0 ? 1 : stages * count;
    __m512i pick[picks];
    Step pieces[count];
    for (unsigned i = 0; i < picks; i++) pick[i] = load_pick<by_words>(pass.exchange.picks[i]);
    for (unsigned i = 0; i < count; i++) pieces[i] = pass.pieces[i];
    const uint64_t unit = bytes == 64 ? 1 : pass.unit;  // elements that fill 64 bytes have a power of two as their size
    // Copies, because the compiler must assume that any byte may be overwritten.
    const std::byte *const from = cell.from, *const ahead = next.from;
    std::byte* const to = cell.to;
    const uint64_t inner = cell.inner, next_inner = next.inner;
    const Step *const begin = pass.steps.data(), *const end = begin + pass.steps.size();
    constexpr bool by_quads = bytes == 48 && streams;
    // The quads of four steps are written after those of the next four are stored: data that was just stored in parts
    // cannot be loaded at once.
    alignas(64) std::byte gathered[2][by_quads ? 4 * count * bytes : 1];
    const auto write_quads = [&](const Step* at) TILEWISE_AVX512 {
        const std::byte* const quads = gathered[(at - begin) / 4 % 2];
#pragma GCC unroll 16
        for (unsigned i = 0; i < count; i++) {
            const Step& quad = pass.quads[i];
            std::byte* const place =
                to + (direction == ConvertDirection::detile ? at->rows + quad.rows
                                                            : at->shift + memory_offset(quad, at->inner ^ inner, unit));
#pragma GCC unroll 3
            for (size_t line = 0; line < 4 * 48; line += 64)
                store<64, true>(place + line, load<64>(quads + i * 4 * 48 + line));
        }
    };
    for (const Step* at = begin; at != end; at++) {
        const Step step = *at;
        const auto in_memory = [&](unsigned i, uint64_t cell_inner) {
            return step.shift + memory_offset(pieces[i], step.inner ^ cell_inner, unit);
        };
        __m512i piece[count];
#pragma GCC unroll 16
        for (unsigned i = 0; i < count; i++) {
            if (direction == ConvertDirection::tile) {
                _mm_prefetch(ahead + step.rows + pieces[i].rows, _MM_HINT_T0);
                piece[i] = load<bytes>(from + step.rows + pieces[i].rows);
            } else {
                _mm_prefetch(ahead + in_memory(i, next_inner), _MM_HINT_T0);
                piece[i] = load<bytes>(from + in_memory(i, inner));
            }
        }
#pragma GCC unroll 4
        for (unsigned stage = 0; stage < (stages == 0 ? 1 : stages); stage++) {
            const unsigned bit = stages == 0 ? 0 : 1U << stage;
            __m512i picks_of[count];
#pragma GCC unroll 16
            for (unsigned i = 0; i < count; i++)
                picks_of[i] = picked<by_words>(piece[i & ~bit], pick[stage * count + i], piece[i | bit]);
#pragma GCC unroll 16
            for (unsigned i = 0; i < count; i++) piece[i] = picks_of[i];
        }
        if constexpr (by_quads) {
            const size_t index = static_cast<size_t>(at - begin);
            std::byte* const quads = gathered[index / 4 % 2];
#pragma GCC unroll 16
            for (unsigned i = 0; i < count; i++)
                store<bytes, false>(quads + pass.seats[index % 4 * count + i], piece[i]);
            if (index % 4 == 3 && index > 4) write_quads(at - 7);
        } else {
#pragma GCC unroll 16
            for (unsigned i = 0; i < count; i++)
                store<bytes, streams>(
                    to + (direction == ConvertDirection::detile ? step.rows + pieces[i].rows : in_memory(i, inner)),
                    piece[i]);
        }
    }
    if constexpr (by_quads) write_quads(end - 4);
}

template <ConvertDirection direction, bool by_words, size_t bytes, bool streams>
Kernel choose_stages(unsigned stages) {
    switch (stages) {
        case 0:
            return exchange_pieces<direction, 0, by_words, bytes, streams>;
        case 1:
            return exchange_pieces<direction, 1, by_words, bytes, streams>;
        case 2:
            return exchange_pieces<direction, 2, by_words, bytes, streams>;
        case 3:
            return exchange_pieces<direction, 3, by_words, bytes, streams>;
        case 4:
            return exchange_pieces<direction, 4, by_words, bytes, streams>;
        default:
            return nullptr;
    }
}

template <ConvertDirection direction, bool by_words>
Kernel choose(unsigned stages, size_t bytes, bool streams) {
    if (bytes == 64)
        return streams ? choose_stages<direction, by_words, 64, true>(stages)
                       : choose_stages<direction, by_words, 64, false>(stages);
    if (bytes != 48) return nullptr;
    return streams ? choose_stages<direction, by_words, 48, true>(stages)
                   : choose_stages<direction, by_words, 48, false>(stages);
}

template <ConvertDirection direction>
Kernel choose(unsigned stages, size_t bytes, bool by_words, bool streams) {
    return by_words ? choose<direction, true>(stages, bytes, streams)
                    : choose<direction, false>(stages, bytes, streams);
}

}  // namespace

Kernel choose_exchange_avx512(ConvertDirection direction, unsigned stages, size_t piece_bytes, size_t element_bytes,
                              bool streams) {
    const bool by_words = element_bytes % 4 == 0;
    return direction == ConvertDirection::detile
               ? choose<ConvertDirection::detile>(stages, piece_bytes, by_words, streams)
               : choose<ConvertDirection::tile>(stages, piece_bytes, by_words, streams);
}

#else

Kernel choose_exchange_avx512(ConvertDirection, unsigned, size_t, size_t, bool) { return nullptr; }

#endif

}  // namespace tilewise
