// Tests that can run for any length of time: short in the suite, long under tools/soak.
#pragma once
#include <cstddef>
#include <cstdlib>

namespace tilewise {

/// Whether tools/soak runs the tests. They then print lines that begin "figures: ", which tools/soak records.
inline bool soaking() { return std::getenv("TILEWISE_SOAK") != nullptr; }

/// Whether a test runs its case with that number: all cases under tools/soak, else one in `every`.
inline bool is_drawn(size_t number, size_t every) { return number % every == 0 || soaking(); }

}  // namespace tilewise
