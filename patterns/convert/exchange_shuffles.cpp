// Pieces of 16 bytes, which one instruction can shuffle. AVX2 does so for two steps at a time, each in one half of the
// registers; NEON for one.
#include "patterns/convert/kernels.h"
#ifdef TILEWISE_HAS_SHUFFLES
#ifdef __x86_64__
#define HWY_BASELINE_TARGETS HWY_AVX2  // best_isa() checks that the processor has it
#endif
#define HWY_COMPILE_ONLY_STATIC
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilewise {

namespace {

namespace vectors = hwy::HWY_NAMESPACE;
constexpr vectors::CappedTag<uint8_t, 32> registers;
using Register = vectors::Vec<decltype(registers)>;
constexpr size_t bytes_of_piece = 16, steps_at_once = vectors::MaxLanes(registers) / bytes_of_piece;

HWY_INLINE const uint8_t* bytes_at(const std::byte* at) { return reinterpret_cast<const uint8_t*>(at); }
HWY_INLINE uint8_t* bytes_at(std::byte* at) { return reinterpret_cast<uint8_t*>(at); }

HWY_INLINE Register load(const std::byte* low, [[maybe_unused]] const std::byte* high) {
    if constexpr (steps_at_once == 1) {
        return vectors::LoadU(registers, bytes_at(low));
    } else {
        constexpr vectors::Half<decltype(registers)> half;
        return vectors::Combine(registers, vectors::LoadU(half, bytes_at(high)), vectors::LoadU(half, bytes_at(low)));
    }
}

HWY_INLINE void store(std::byte* low, [[maybe_unused]] std::byte* high, Register pieces) {
    if constexpr (steps_at_once == 1) {
        vectors::StoreU(pieces, registers, bytes_at(low));
    } else {
        constexpr vectors::Half<decltype(registers)> half;
        vectors::StoreU(vectors::LowerHalf(half, pieces), half, bytes_at(low));
        vectors::StoreU(vectors::UpperHalf(half, pieces), half, bytes_at(high));
    }
}

/// A shuffled byte is 0 if bit 7 of its index is set. So the first register gives 0 for indices from 64 on, the second
/// for indices below. Highway requires bits 6 to 4 to be clear in the other indices.
HWY_INLINE Register picked(Register first, const Pick& pick, Register second) {
    const Register source = vectors::LoadDup128(registers, pick.source.data());
    const Register half = vectors::Set(registers, 64);
    const Register of_first = vectors::And(vectors::Add(source, half), vectors::Set(registers, 0x8f));
    return vectors::Or(vectors::TableLookupBytesOr0(first, of_first),
                       vectors::TableLookupBytesOr0(second, vectors::Sub(source, half)));
}

template <ConvertDirection direction, unsigned stages>
void exchange_pieces(const Pass& pass, const Cell& cell, const Cell& next) {
    constexpr unsigned count = 1U << stages;
    const uint64_t unit = pass.unit;
    const Step* const pieces = pass.pieces.data();
    const Pick* const picks = pass.exchange.picks.data();
    for (size_t at = 0; at < pass.steps.size(); at += steps_at_once) {
        const size_t last = at + steps_at_once - 1;
        const Step &low = pass.steps[at], &high = last < pass.steps.size() ? pass.steps[last] : low;
        Register piece[count];
        const auto in_rows = [&](const Step& step, unsigned i) { return step.rows + pieces[i].rows; };
        const auto in_memory = [&](const Step& step, unsigned i, uint64_t inner) {
            return step.shift + memory_offset(pieces[i], step.inner ^ inner, unit);
        };
#pragma GCC unroll 16
        for (unsigned i = 0; i < count; i++) {
            if (direction == ConvertDirection::tile) {
                hwy::Prefetch(next.from + in_rows(low, i));
                piece[i] = load(cell.from + in_rows(low, i), cell.from + in_rows(high, i));
            } else {
                hwy::Prefetch(next.from + in_memory(low, i, next.inner));
                piece[i] = load(cell.from + in_memory(low, i, cell.inner), cell.from + in_memory(high, i, cell.inner));
            }
        }
#pragma GCC unroll 4
        for (unsigned stage = 0; stage < (stages == 0 ? 1 : stages); stage++) {
            const unsigned bit = stages == 0 ? 0 : 1U << stage;
            Register picks_of[count];
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

Kernel choose_exchange_shuffles(ConvertDirection direction, unsigned stages, size_t piece_bytes) {
    if (piece_bytes != bytes_of_piece) return nullptr;
    return direction == ConvertDirection::detile ? choose<ConvertDirection::detile>(stages)
                                                 : choose<ConvertDirection::tile>(stages);
}

}  // namespace tilewise
HWY_AFTER_NAMESPACE();

#else

namespace tilewise {

Kernel choose_exchange_shuffles(ConvertDirection, unsigned, size_t) { return nullptr; }

}  // namespace tilewise

#endif
