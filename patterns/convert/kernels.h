// The functions that convert one cell, by the instructions that they use.
#pragma once
#include "patterns/convert/plan.h"

// g++ for Windows keeps registers of 32 bytes on a stack that it aligns to 16 (GCC bug 54412).
#if defined(__x86_64__) && !defined(_WIN32)
#define TILEWISE_HAS_AVX
#endif
#if defined(TILEWISE_HAS_AVX) || defined(__aarch64__)
#define TILEWISE_HAS_SHUFFLES
#endif

namespace tilewise {

/// Moves the pieces of every step unchanged, whatever their size. Runs on any processor.
Kernel choose_move(ConvertDirection direction, size_t piece_bytes);

/// Moves and exchanges pieces. Null if there is no such function for this instruction set and these pieces.
Kernel choose_exchange_shuffles(ConvertDirection direction, unsigned stages, size_t piece_bytes);
/// With `streams` it writes past the caches: whatever it writes, pieces of 64 bytes or quads of 48, must begin at
/// 64-byte lines.
Kernel choose_exchange_avx512(ConvertDirection direction, unsigned stages, size_t piece_bytes, size_t element_bytes,
                              bool streams);

/// The instruction set of choose_exchange_shuffles().
#ifdef __aarch64__
inline constexpr const char* shuffles_name = "NEON";
#else
inline constexpr const char* shuffles_name = "AVX2";
#endif

/// The memory offset of a piece.
inline uint64_t memory_offset(const Step& step, uint64_t inner, uint64_t unit) {
    return step.shift + (step.inner ^ inner) * unit;
}

}  // namespace tilewise
