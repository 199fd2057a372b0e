// Files with the rows of a whole image behind a header that describes it: KTX2 and DDS.
#pragma once
#include "patterns/model/image_kind.h"
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tilewise {

enum class Container { raw, ktx2, dds };
/// The container by name, or for "" by the path's extension: .ktx2, .dds, else raw. Throws UsageError that lists the
/// names.
Container container_of(const std::string& name, const std::string& path);

/// The image that such a file describes: one aspect, one sample, no usage or flags. A cube has six layers.
struct TextureImage : ImageKind {
    bool is_cube = false;
};

/// The offsets of the rows of one level: slice by slice, without gaps.
struct LevelRows {
    uint64_t at_B = 0;            ///< of layer 0, from the start of the file
    uint64_t layer_stride_B = 0;  ///< from layer to layer
};

struct TextureFile {
    TextureImage image;
    std::string header;  ///< everything before the rows
    std::vector<LevelRows> levels;
    uint64_t bytes = 0;  ///< of the whole file
};

/// The file of such an image, without its rows. Throws Error for what the container cannot hold (the format, 3D images
/// with layers, ..).
TextureFile make_ktx2(const TextureImage& image);
TextureFile make_dds(const TextureImage& image);

/// Reads the file's description. Throws Error that begins with `name` if it is no such file, has a format that is not
/// known here, is supercompressed, or has too few or too many bytes.
TextureFile read_ktx2(std::span<const std::byte> file, const std::string& name);
TextureFile read_dds(std::span<const std::byte> file, const std::string& name);

/// The bytes of the rows of one layer of a level. Throws Error if they exceed 64 bits, or for a format that is not
/// known here.
uint64_t level_bytes(const TextureImage& image, uint32_t level);

}  // namespace tilewise
