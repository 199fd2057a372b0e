// A whole image between its memory and rows, by several threads.
#pragma once
#include "patterns/convert/direction.h"
#include "patterns/convert/image.h"
#include "patterns/model/advance.h"
#include <cstddef>
#include <span>
#include <vector>

namespace tilewise {

struct ImageConversion {
    std::vector<ImagePart> parts;
    std::vector<uint64_t> rows_at_B;  ///< of each part, on the side of the rows
    ConvertDirection direction = ConvertDirection::detile;
    std::span<const std::byte> in;
    std::span<std::byte> out;
};

/// Converts all parts by `jobs` threads. `advance`: of bands of whole tiles. Throws Error as tile() and detile() do.
void convert_image(const ImageConversion& conversion, unsigned jobs, const Advance& advance = {});

}  // namespace tilewise
