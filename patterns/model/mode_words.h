// The words by which people ask for a mode (patterns/model/names.h).
#pragma once
#include "patterns/model/image_layout.h"
#include "patterns/model/names.h"
#include <string_view>

namespace tilewise {

/// Whether the mode's name, size or modifier has the wanted words, in any case; any mode has none. A modifier has them
/// with and without its maker and its "_2D", and the first field of a word stands for all that begin with it:
/// "BLOCK_LINEAR" is NVIDIA_BLOCK_LINEAR_2D and "64KB" any of 64 KiB, but "LINEAR" is no BLOCK_LINEAR, and "64KB_S" no
/// 64KB_S_X.
bool is_called(const Mode& mode, std::string_view wanted);

/// Whether level 0 of the image is laid out in a mode that is called so.
bool has_mode(const ImageLayout& image, std::string_view wanted);

}  // namespace tilewise
