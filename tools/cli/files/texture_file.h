// Files that hold the rows of a whole image behind a header that says what image it is: KTX2 and DDS.
#pragma once
#include "patterns/model/image_kind.h"
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tilewise {

enum class Container { raw, ktx2, dds };
/// By name, or for "" by the ending of the path: .ktx2, .dds, else raw. Throws UsageError that lists the names.
Container container_of(const std::string& name, const std::string& path);

/// What such a file says of its image: one aspect, one sample, no usage or flags. A cube has six layers.
struct TextureImage : ImageKind {
    bool is_cube = false;
};

/// Where the rows of one level lie: slice by slice, without gaps.
struct LevelRows {
    uint64_t at_B = 0;            ///< of layer 0, from the start of the file
    uint64_t layer_stride_B = 0;  ///< from layer to layer
};

struct TextureFile {
    TextureImage image;
    std::string header;  ///< what stands before the rows
    std::vector<LevelRows> levels;
    uint64_t bytes = 0;  ///< of the whole file
};

/// The file of such an image. Throws Error for what the container cannot hold (its format, 3D images with layers, ..).
TextureFile make_ktx2(const TextureImage& image);
TextureFile make_dds(const TextureImage& image);

/// What the file says. Throws Error that begins with `name`: no such file, a format that is not known here, compression
/// on top, or bytes missing or left over.
TextureFile read_ktx2(std::span<const std::byte> file, const std::string& name);
TextureFile read_dds(std::span<const std::byte> file, const std::string& name);

/// Bytes of one layer's rows of a level. Throws Error where that is beyond 64 bits, or for a format that is not known
/// here.
uint64_t level_bytes(const TextureImage& image, uint32_t level);

}  // namespace tilewise
