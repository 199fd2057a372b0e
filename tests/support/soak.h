// Tests that can go on for as long as one likes: short in the suite, long under tools/soak.
#pragma once
#include <cstdlib>

namespace tilewise {

/// Whether tools/soak runs the tests. They then print lines that begin "figures: ", which it keeps.
inline bool soaking() { return std::getenv("TILEWISE_SOAK") != nullptr; }

}  // namespace tilewise
