// The initial contents of a scene's images and buffers.
#pragma once
#include "probe/worker/process.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tilewise {

/// Whether it is "noise", "gradient", "zero" or "poison", and not a file.
bool is_made_contents(const std::string& contents);

/// Texels of a level, in rows. Noise is the same for the same seed. Channels are in 0 .. 1, integers in 0 .. their
/// maximum. Throws UsageError for a format whose channels are not known.
std::vector<std::byte> made_texels(const std::string& contents, uint32_t format, std::array<uint32_t, 3> size,
                                   uint64_t seed);

/// The pixels of a PNG file in the format, repeated if the image is larger. The file is decoded in a separate process.
/// Throws Error that names the file.
std::vector<std::byte> texels_of_png(const std::string& name, const std::string& bytes, uint32_t format,
                                     std::array<uint32_t, 3> size);

int decode_png_for_program(probe::worker::Playing& playing);
/// The role of the process that decodes them: main() passes it to play_role().
inline const probe::worker::Role png_role = {"decode", decode_png_for_program};

std::vector<std::byte> made_bytes(const std::string& contents, uint64_t count, uint64_t seed);

}  // namespace tilewise
