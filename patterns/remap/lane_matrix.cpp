#include "patterns/remap/lane_matrix.h"
#include "patterns/model/error.h"
#include "patterns/model/gf2.h"
#include "patterns/model/text.h"
#include <bit>
#include <cassert>
#include <charconv>
#include <fmt/format.h>
#include <string_view>

namespace tilewise {

namespace {

uint64_t bits_named(std::string_view name, size_t bits) {
    uint64_t mask = 0;
    for (const std::string& term : split_fields(name, '^')) {
        unsigned bit = 0;
        const char* end = term.data() + term.size();
        const bool good = term.size() > 1 && term[0] == 'i';
        if (!good || std::from_chars(term.data() + 1, end, bit).ptr != end || bit >= bits)
            throw Error(fmt::format("\"{}\" is not an XOR of i0 .. i{}", name, bits - 1));
        mask ^= uint64_t{1} << bit;
    }
    return mask;
}

}  // namespace

LaneFit fit_lanes(std::span<const uint32_t> slots) {
    const size_t size = slots.size();
    if (!std::has_single_bit(size)) return {{}, fmt::format("{} invocations are no power of two", size)};
    if (slots[0] != 0) return {{}, fmt::format("invocation 0 runs in lane slot {}", slots[0])};
    std::vector<uint64_t> columns;
    for (size_t bit = 1; bit < size; bit *= 2) columns.push_back(slots[bit]);
    for (size_t i = 0; i < size; ++i) {
        const uint64_t expected = gf2::apply(columns, i);
        if (slots[i] != expected)
            return {{},
                    fmt::format("invocation {} runs in lane slot {}, where those of its bits XOR to {}", i, slots[i],
                                expected)};
    }
    assert(gf2::is_injective(columns));
    return {gf2::transposed(columns, static_cast<unsigned>(columns.size())), {}};
}

LaneMatrix lane_identity(unsigned bits) {
    LaneMatrix matrix;
    for (unsigned bit = 0; bit < bits; ++bit) matrix.push_back(uint64_t{1} << bit);
    return matrix;
}

bool is_identity(const LaneMatrix& matrix) { return matrix == lane_identity(static_cast<unsigned>(matrix.size())); }

uint64_t lane_slot_of(const LaneMatrix& matrix, uint64_t invocation) {
    uint64_t slot = 0;
    for (size_t bit = 0; bit < matrix.size(); ++bit)
        slot |= static_cast<uint64_t>(std::popcount(matrix[bit] & invocation) & 1) << bit;
    return slot;
}

std::vector<std::string> lane_names(const LaneMatrix& matrix) {
    std::vector<std::string> names;
    for (const uint64_t row : matrix) {
        std::string& name = names.emplace_back();
        for (uint64_t rest = row; rest != 0; rest &= rest - 1)
            name += fmt::format("{}i{}", name.empty() ? "" : "^", std::countr_zero(rest));
    }
    return names;
}

LaneMatrix lanes_from_names(std::span<const std::string> names) {
    LaneMatrix matrix;
    if (names.size() > 16) throw Error(fmt::format("{} bits are more than any workgroup has", names.size()));
    for (const std::string& name : names) matrix.push_back(bits_named(name, names.size()));
    if (!gf2::is_injective(matrix)) throw Error("two invocations would have one lane slot");
    return matrix;
}

std::string lane_table_hash(std::span<const uint32_t> slots) {
    uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (const uint32_t slot : slots)
        for (unsigned shift = 0; shift < 32; shift += 8) hash = (hash ^ (slot >> shift & 0xff)) * 0x100000001b3;
    return fmt::format("{:016x}", hash);
}

}  // namespace tilewise
