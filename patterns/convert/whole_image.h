// Conversion of a whole image between its memory and rows, on several threads.
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
    std::vector<uint64_t> rows_at_B;  ///< for each part, in the rows
    ConvertDirection direction = ConvertDirection::detile;
    std::span<const std::byte> in;
    std::span<std::byte> out;
};

/// Converts all parts on `jobs` threads. `advance` counts bands of whole tiles. Throws Error as tile() and detile() do.
void convert_image(const ImageConversion& conversion, unsigned jobs, const Advance& advance = {});

}  // namespace tilewise
