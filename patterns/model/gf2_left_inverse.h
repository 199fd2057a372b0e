// Which bits of a sum of columns tell whether a column takes part in it.
#pragma once
#include <cstdint>
#include <vector>

namespace tilewise::gf2 {

/// For independent columns: rows such that the parity of rows[i] & v says whether columns[i] is in the sum v.
inline std::vector<uint64_t> left_inverse(const std::vector<uint64_t>& columns) {
    // Gauss-Jordan over the bits: each bit is a row of the matrix, beside it the set of bits that were added up in it.
    struct Row {
        uint64_t selects, bits;
    };
    std::vector<Row> rows(64);
    for (unsigned bit = 0; bit < 64; bit++) {
        rows[bit] = {0, uint64_t{1} << bit};
        for (size_t i = 0; i < columns.size(); i++) rows[bit].selects |= (columns[i] >> bit & 1) << i;
    }
    std::vector<uint64_t> result;
    for (size_t i = 0; i < columns.size(); i++) {
        size_t pivot = i;
        while (!(rows[pivot].selects >> i & 1)) pivot++;
        std::swap(rows[i], rows[pivot]);
        for (size_t r = 0; r < rows.size(); r++)
            if (r != i && rows[r].selects >> i & 1) {
                rows[r].selects ^= rows[i].selects;
                rows[r].bits ^= rows[i].bits;
            }
    }
    for (size_t i = 0; i < columns.size(); i++) result.push_back(rows[i].bits);
    return result;
}

}  // namespace tilewise::gf2
