// Reads x,y,byte_offset line by line, and says whether the code that the build wrote agrees, both ways.
#include <cstdint>
#include <cstdio>

namespace there {
#include "tilewise_address.h"
}
namespace back {
#include "tilewise_texel.h"
}

int main() {
    unsigned x, y, texels = 0;
    unsigned long offset;
    for (; std::scanf("%u,%u,%lu", &x, &y, &offset) == 3; texels++) {
        const back::TilewiseUint2 texel = back::tilewise_texel(offset);
        if (there::tilewise_address({x, y}) != offset || texel.x != x || texel.y != y) {
            std::printf("(%u,%u) is elsewhere\n", x, y);
            return 1;
        }
    }
    std::printf("%u texels are where the table says\n", texels);
    return 0;
}
