// Linear algebra over GF(2), the field of one bit: addition is XOR, multiplication is AND.
//
// A map of bits to bits is linear if map(a ^ b) = map(a) ^ map(b). It is then known by what each bit of its argument
// gives alone, its columns; any other result is the XOR of the columns that the argument's bits select. Most of what a
// GPU does to addresses is such a map: E takes coordinate bits to address bits, a remap takes the bits of an
// invocation's index to coordinate bits, a lane matrix takes them to the bits of its place.
//
// An example: Mali's u-interleaved tiles, 4x4 elements of them, a byte each. The argument's bits are x0 x1 y0 y1, and
// the columns 0001, 0100, 0011, 1100. As a matrix, and what it does to each element:
//
//              y1 y0 x1 x0               x = 0  1  2  3
//      bit 3    1  .  .  .    = y1         +------------
//      bit 2    1  .  1  .    = x1^y1    0 |  0  1  4  5
//      bit 1    .  1  .  .    = y0     y 1 |  3  2  7  6
//      bit 0    .  1  .  1    = x0^y0    2 | 12 13  8  9
//                                        3 | 15 14 11 10
//
//      (1,3) = x0 and y0 y1:   0001 ^ 0011 ^ 1100 = 1110, so it lies at 14.
//
// To go back, columns are added up until each has a leading bit that no other one has. That is Gauss's elimination, and
// Echelon does it. It remembers which columns went into each sum:
//
//      leading bit         3            2            1            0
//      echelon form        1100  y1     0100  x1     0011  y0     0001  x0
//      reduced             1000  x1^y1  0100  x1     0010  x0^y0  0001  x0
//
// Where no sum but one has a 1 in a leading bit, the form is reduced, and it is the inverse: bit 3 of an address stands
// for x1^y1, bit 2 for x1, bit 1 for x0^y0 and bit 0 for x0; 14 = 1110 for x1^y1 ^ x1 ^ x0^y0, which is x0 y0 y1 again.
//
// Where the columns are fewer than the result's bits (an image narrower than its tile), the map has no inverse but many
// left inverses, which undo it on every address that an element has. left_inverse() reads the leading bits alone.
//
// Everything here is in columns of up to 64 bits, for arguments of up to 64 bits.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace tilewise::gf2 {

/// A linear map: columns[i] is what bit i of the argument gives.
using Columns = std::vector<uint64_t>;

/// The XOR of the columns that the bits of x select. Bits beyond the columns give nothing.
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

/// Rows as columns: bit i of column j is bit j of columns[i]. `bits`: of a result, and so many columns there will be.
/// Example:
///     assert((gf2::transposed({0b0001, 0b0100, 0b0011, 0b1100}, 4) == gf2::Columns{0b0101, 0b0100, 0b1010, 0b1000}));
Columns transposed(const Columns& columns, unsigned bits);

/// Whether different arguments give different results: no column is the XOR of others.
/// Example:
///     assert(gf2::is_injective({0b0001, 0b0100, 0b0011, 0b1100}));
///     assert(!gf2::is_injective({0b01, 0b10, 0b11}));
bool is_injective(const Columns& columns);

/// For an injective map: left_inverse(map)(map(x)) = x. What it makes of other values is not defined.
/// Example:
///     const gf2::Columns map = {0b0001, 0b0100, 0b0011, 0b1100};
///     assert(gf2::apply(map, 0b1101) == 0b1110);
///     assert(gf2::apply(gf2::left_inverse(map), 0b1110) == 0b1101);
Columns left_inverse(const Columns& columns);

/// The XOR of some columns, and which: bit i of `from` stands for the i-th column.
struct Sum {
    uint64_t value = 0;
    uint64_t from = 0;
};

/// A basis of what the columns span, each sum with a leading bit of its own.
class Echelon {
public:
    Echelon() = default;
    explicit Echelon(const Columns& columns) {
        for (uint64_t column : columns) add(column);
    }

    /// What is left of the column after the sums before it were added where they lower its leading bit: a value of 0
    /// where it is an XOR of columns before it, and `from` says of which, itself among them. At most 64 columns.
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
    std::vector<Sum> reduced_basis() const;  ///< likewise, and the leading bit of each is 0 in all others

private:
    std::array<Sum, 64> by_leading_bit_ = {};
    unsigned columns_ = 0;
};

}  // namespace tilewise::gf2
