#include "tests/fuzz/targets.h"
#include <cstdio>
#include <cstdlib>

namespace tilewise::fuzz {

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}

std::span<const Target> targets() {
    static constexpr Target all[] = {{"tables", tables},      {"layouts", layouts}, {"bundles", bundles},
                                     {"catalogs", catalogs},  {"filters", filters}, {"images", images},
                                     {"databases", databases}};
    return all;
}

}  // namespace tilewise::fuzz
