// Linear algebra over GF(2) on columns of up to 64 bits.
#pragma once
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilewise::gf2 {

/// Inverts v = XOR of the columns selected by the bits of x (at most 64 columns): x from v.
class Inverse {
public:
    explicit Inverse(const std::vector<uint64_t>& columns) {
        for (size_t i = 0; i < columns.size(); i++) {
            uint64_t value = columns[i], selection = uint64_t{1} << i;
            reduce(value, selection);
            if (value == 0) {
                independent_ = false;
                continue;
            }
            pivots_.push_back({value, selection, static_cast<int>(std::bit_width(value)) - 1});
        }
    }

    /// Whether different x always give different v.
    bool injective() const { return independent_; }

    /// The x that gives v; none where v is not in the columns' span.
    std::optional<uint64_t> operator()(uint64_t v) const {
        uint64_t selection = 0;
        reduce(v, selection);
        return v == 0 ? std::optional(selection) : std::nullopt;
    }

private:
    struct Pivot {
        uint64_t value, selection;
        int bit;
    };
    std::vector<Pivot> pivots_;
    bool independent_ = true;

    // Each pivot is free of the leading bits of the pivots before it, so one sweep in order is enough.
    void reduce(uint64_t& value, uint64_t& selection) const {
        for (const Pivot& pivot : pivots_)
            if (value >> pivot.bit & 1) {
                value ^= pivot.value;
                selection ^= pivot.selection;
            }
    }
};

}  // namespace tilewise::gf2
