#include "patterns/model/table.h"
#include "patterns/solve/solve.h"
#include "tests/fuzz/targets.h"
#include <algorithm>

namespace tilewise::fuzz {

namespace {

/// Exact means that every element lies where the table says, and that no two share a byte.
void require_proof(const Table& table, const Solution& solution) {
    require(table.faults.empty(), "a table with faults has no layout");
    std::vector<uint64_t> offsets;
    for (uint64_t i = 0; i < table.offsets.size(); i++) {
        offsets.push_back(offset_of(solution.layout, element_at_index(table.extent, i)));
        require(offsets.back() == table.offsets[i], "an exact layout gives the table's offsets");
    }
    std::ranges::sort(offsets);
    const uint64_t bytes = solution.layout.pattern.element.bytes;
    require(bytes > 0 && offsets.back() <= UINT64_MAX - bytes, "an exact layout ends within 64 bits");
    for (size_t i = 1; i < offsets.size(); i++)
        require(offsets[i] - offsets[i - 1] >= bytes, "an exact layout is one-to-one");
}

}  // namespace

void tables(Input input) {
    accepted([&] {
        const Table table = parse_table_csv(text_of(input));
        const Solution solution = solve(table);
        if (solution.fit == Fit::exact)
            require_proof(table, solution);
        else
            require(!solution.reason.empty(), "no-fit has a reason");
    });
}

}  // namespace tilewise::fuzz
