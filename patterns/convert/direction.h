// The two directions of conversion between an image's memory and rows.
#pragma once
#include <cstdint>

namespace tilewise {

enum class ConvertDirection : uint8_t {
    tile,    ///< rows to memory
    detile,  ///< memory to rows
};

}  // namespace tilewise
