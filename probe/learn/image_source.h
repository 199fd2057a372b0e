// Where the images come from that rules are learned from: from a device, or from a program that computes them.
#pragma once
#include "patterns/model/image_layout.h"
#include "probe/image.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilewise {

/// If it has no usage, the source chooses one.
struct WantedImage : ImageKind {
    uint64_t modifier = probe::no_modifier;
    bool operator==(const WantedImage&) const = default;
};

struct ImageRead {
    /// None if a subresource could not be read or solved.
    std::optional<ImageLayout> image;
    std::string why_not;
};

struct ImageSource {
    /// Gives the images in the order in which they are wanted.
    std::function<std::vector<ImageRead>(const std::vector<WantedImage>& wanted)> read;
    /// The longest side, in texels, of images that are not 3D.
    uint32_t max_side_2d = 0;
    /// The longest side of 3D images, in texels.
    uint32_t max_side_3d = 0;
    /// Images of more layers or levels are not asked for.
    uint32_t max_layers = 0, max_levels = max_image_levels;
};

}  // namespace tilewise
