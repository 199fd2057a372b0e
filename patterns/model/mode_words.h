// The words by which people ask for a mode (patterns/model/names.h).
#pragma once
#include "patterns/model/image_layout.h"
#include "patterns/model/names.h"
#include <string_view>

namespace tilewise {

/// Whether the mode's name, size or modifier contains the wanted words; case does not matter, and no words match any
/// mode. A modifier matches with or without its vendor and its "_2D", and the first field of a word stands for every
/// word that begins with that field: "BLOCK_LINEAR" matches NVIDIA_BLOCK_LINEAR_2D and "64KB" any 64 KiB mode, but
/// "LINEAR" does not match BLOCK_LINEAR, nor "64KB_S" 64KB_S_X.
bool is_called(const Mode& mode, std::string_view wanted);

/// Whether level 0 of the image is laid out in a mode that matches the words.
bool has_mode(const ImageLayout& image, std::string_view wanted);

}  // namespace tilewise
