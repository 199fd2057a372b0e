// Linear algebra over GF(2), the field of one bit: addition is XOR, multiplication is AND.
//
// A map of bits to bits is linear if map(a ^ b) = map(a) ^ map(b). Such a map is known once the result for each single
// bit of its argument is known. These results are its columns; any other result is the XOR of the columns that the
// argument's bits select. Most of what a GPU does to addresses is such a map: E takes coordinate bits to address bits,
// a remap takes the bits of an invocation's index to coordinate bits, and a lane matrix takes them to the bits of its
// lane slot.
//
// An example: Mali's u-interleaved tiles, 4x4 elements of one byte each. The argument's bits are x0 x1 y0 y1, and the
// columns are 0001, 0100, 0011, 1100. The matrix, and the address that it gives each element:
//
//              y1 y0 x1 x0               x = 0  1  2  3
//      bit 3    1  .  .  .    = y1         +------------
//      bit 2    1  .  1  .    = x1^y1    0 |  0  1  4  5
//      bit 1    .  1  .  .    = y0     y 1 |  3  2  7  6
//      bit 0    .  1  .  1    = x0^y0    2 | 12 13  8  9
//                                        3 | 15 14 11 10
//
//      (1,3) = x0 and y0 y1:   0001 ^ 0011 ^ 1100 = 1110, so the element lies at 14.
//
// To invert the map, columns are added up until each sum has a leading bit of its own. This is Gaussian elimination,
// and Echelon does it. It remembers which columns went into each sum:
//
//      leading bit         3            2            1            0
//      echelon form        1100  y1     0100  x1     0011  y0     0001  x0
//      reduced             1000  x1^y1  0100  x1     0010  x0^y0  0001  x0
//
// The form is reduced once each leading bit is 1 in one sum only. It is then the inverse: bit 3 of an address stands
// for x1^y1, bit 2 for x1, bit 1 for x0^y0 and bit 0 for x0. So 14 = 1110 gives x1^y1 ^ x1 ^ x0^y0, which is x0 y0 y1
// again.
//
// If there are fewer columns than result bits (an image narrower than its tile), the map has no inverse but many left
// inverses, which undo it on every address that an element has. left_inverse() reads only the leading bits.
//
// Columns and arguments have up to 64 bits throughout.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace tilewise::gf2 {

/// A linear map: columns[i] is the result for bit i of the argument.
using Columns = std::vector<uint64_t>;

/// The XOR of the columns that the bits of x select. Bits of x beyond the columns contribute nothing.
/// Example:
///     const gf2::Columns map = {0b0001, 0b0100, 0b0011, 0b1100};
///     assert(gf2::apply(map, 0b1101) == 14);
///     assert(gf2::apply(map, 0b1101 ^ 0b0110) == (gf2::apply(map, 0b1101) ^ gf2::apply(map, 0b0110)));
constexpr uint64_t apply(const Columns& columns, uint64_t x) {
    uint64_t result = 0;
    for (uint64_t column : columns) {
        if (x & 1) result ^= column;
        x >>= 1;
    }
    return result;
}

/// The transposed matrix: bit i of column j is bit j of columns[i]. `bits` is the number of bits of a result, and so
/// the number of columns returned.
/// Example:
///     assert((gf2::transposed({0b0001, 0b0100, 0b0011, 0b1100}, 4) == gf2::Columns{0b0101, 0b0100, 0b1010, 0b1000}));
Columns transposed(const Columns& columns, unsigned bits);

/// Whether different arguments always give different results: no column is the XOR of others.
/// Example:
///     assert(gf2::is_injective({0b0001, 0b0100, 0b0011, 0b1100}));
///     assert(!gf2::is_injective({0b01, 0b10, 0b11}));
bool is_injective(const Columns& columns);

/// For an injective map: left_inverse(map)(map(x)) = x. The result for any other value is undefined.
/// Example:
///     const gf2::Columns map = {0b0001, 0b0100, 0b0011, 0b1100};
///     assert(gf2::apply(map, 0b1101) == 0b1110);
///     assert(gf2::apply(gf2::left_inverse(map), 0b1110) == 0b1101);
Columns left_inverse(const Columns& columns);

/// The parity checks of a map: masks of result bits, of which every result has an even number set. A value of `bits`
/// bits is a result exactly if it passes all of them. There is one for each bit that the columns leave free; none if
/// every value is a result.
/// Example:
///     assert((gf2::parity_checks({0b001, 0b100}, 3) == std::vector<uint64_t>{0b010}));
///     assert((gf2::parity_checks({0b011, 0b100}, 3) == std::vector<uint64_t>{0b011}));
std::vector<uint64_t> parity_checks(const Columns& columns, unsigned bits);

/// The XOR of some columns, and which columns these are: bit i of `from` stands for the i-th column.
struct Sum {
    uint64_t value = 0;
    uint64_t from = 0;
};

/// A basis of the space that the columns span, in which each sum has its own leading bit.
class Echelon {
public:
    Echelon() = default;
    explicit Echelon(const Columns& columns) {
        for (uint64_t column : columns) add(column);
    }

    /// Adds a column; at most 64 columns. Returns what remains of it after adding the earlier sums that lower its
    /// leading bit. The value is 0 if the column is an XOR of earlier columns; `from` then names these and the column
    /// itself.
    /// Example:
    ///     gf2::Echelon echelon(gf2::Columns{0b01, 0b10});
    ///     const gf2::Sum rest = echelon.add(0b11);
    ///     assert(rest.value == 0 && rest.from == 0b111);
    Sum add(uint64_t column);

    /// Example:
    ///     const gf2::Echelon echelon({0b0001, 0b0100, 0b0011, 0b1100});
    ///     assert(echelon.basis()[3].value == 0b1100 && echelon.basis()[3].from == 0b1000);
    ///     assert(echelon.reduced_basis()[3].value == 0b1000 && echelon.reduced_basis()[3].from == 0b1010);
    std::vector<Sum> basis() const;          ///< by rising leading bits
    std::vector<Sum> reduced_basis() const;  ///< likewise, and the leading bit of each sum is 0 in all others

private:
    std::array<Sum, 64> by_leading_bit_ = {};
    unsigned columns_ = 0;
};

}  // namespace tilewise::gf2
