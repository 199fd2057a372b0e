#include "patterns/model/gf2.h"
#include <algorithm>
#include <bit>
#include <cassert>

namespace tilewise::gf2 {

namespace {

unsigned leading_bit(uint64_t value) { return static_cast<unsigned>(std::bit_width(value)) - 1; }

void add_to(Sum& sum, const Sum& other) {
    sum.value ^= other.value;
    sum.from ^= other.from;
}

}  // namespace

Columns transposed(const Columns& columns, unsigned bits) {
    Columns result(bits);
    for (size_t i = 0; i < columns.size(); i++)
        for (unsigned bit = 0; bit < bits; bit++) result[bit] |= (columns[i] >> bit & 1) << i;
    return result;
}

bool is_injective(const Columns& columns) {
    Echelon echelon;
    return std::ranges::all_of(columns, [&](uint64_t column) { return echelon.add(column).value != 0; });
}

Columns left_inverse(const Columns& columns) {
    assert(is_injective(columns));
    Columns inverse;
    for (const Sum& sum : Echelon(columns).reduced_basis()) {
        inverse.resize(leading_bit(sum.value) + 1);
        inverse.back() = sum.from;
    }
    return inverse;
}

std::vector<uint64_t> parity_checks(const Columns& columns, unsigned bits) {
    const std::vector<Sum> basis = Echelon(columns).reduced_basis();
    uint64_t leading = 0;
    for (const Sum& sum : basis) leading |= uint64_t{1} << leading_bit(sum.value);
    std::vector<uint64_t> checks;
    for (unsigned bit = 0; bit < bits; bit++) {
        if (leading >> bit & 1) continue;
        // In a result, the leading bits say which sums it consists of, and so what each other bit is.
        checks.push_back(uint64_t{1} << bit);
        for (const Sum& sum : basis)
            if (sum.value >> bit & 1) checks.back() |= uint64_t{1} << leading_bit(sum.value);
    }
    return checks;
}

Sum Echelon::add(uint64_t column) {
    assert(columns_ < 64);
    Sum sum = {column, uint64_t{1} << columns_++};
    while (sum.value != 0) {
        Sum& same = by_leading_bit_[leading_bit(sum.value)];
        if (same.value == 0) {
            same = sum;
            break;
        }
        add_to(sum, same);  // lowers the leading bit
    }
    return sum;
}

std::vector<Sum> Echelon::basis() const {
    std::vector<Sum> basis;
    std::ranges::copy_if(by_leading_bit_, std::back_inserter(basis), [](const Sum& sum) { return sum.value != 0; });
    return basis;
}

std::vector<Sum> Echelon::reduced_basis() const {
    std::vector<Sum> reduced = basis();
    // The sums below are already reduced: each changes one leading bit.
    for (size_t i = 0; i < reduced.size(); i++)
        for (size_t lower = 0; lower < i; lower++)
            if (reduced[i].value >> leading_bit(reduced[lower].value) & 1) add_to(reduced[i], reduced[lower]);
    return reduced;
}

}  // namespace tilewise::gf2
