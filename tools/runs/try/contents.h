// What the images and buffers of a scene hold at first.
#pragma once
#include "probe/worker/process.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tilewise {

/// "noise", "gradient", "zero", "poison": not files.
bool is_made_contents(const std::string& contents);

/// Texels of a level, in rows. Noise is the same for the same seed; channels are in 0 .. 1, integers in 0 .. their max.
/// Throws UsageError for a format whose channels are not known.
std::vector<std::byte> made_texels(const std::string& contents, uint32_t format, std::array<uint32_t, 3> size,
                                   uint64_t seed);

/// The pixels of a PNG file, in the format: repeated where the image is larger. Decoded in a process of its own. Throws
/// Error naming the file.
std::vector<std::byte> texels_of_png(const std::string& name, const std::string& bytes, uint32_t format,
                                     std::array<uint32_t, 3> size);

int decode_png_for_program(probe::worker::Playing& playing);
/// What decodes them: main() gives it to play_role.
inline const probe::worker::Role png_role = {"decode", decode_png_for_program};

std::vector<std::byte> made_bytes(const std::string& contents, uint64_t count, uint64_t seed);

}  // namespace tilewise
