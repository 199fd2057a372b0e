// The image layout as the one JSON object that `layout`, `probe` and the C API share.
//   { "format": .., "usage": .., "image_type": "2D", "extent": [300,200,1], "levels": 9, "layers": 2, "samples": 1,
//     "flags": "", "bytes": 720896, "alignment": 4096, "source": "probed", "evidence": "..",
//     "subresources": [ {"aspect": "color", "level": 0, "layer": 0, "layers": 2, "layer_stride": 350208,
//                        "extent": [300,200,1], "layout": {as patterns/model/layout_json.h has it}} ] }
// `extent` is in texels. In a disjoint image each subresource has "bytes" and "alignment", too. An image with sparse
// residency has "sparse": [ {"aspect": "color", then the members in patterns/model/sparse_blocks.h} ] if that is known.
#pragma once
#include "patterns/model/image_layout.h"
#include <nlohmann/json.hpp>

namespace tilewise {

/// Example:
///     assert(to_json(image)["format"] == "R8G8B8A8_UNORM");
nlohmann::ordered_json to_json(const ImageLayout& image);

/// Throws Error naming the member that is missing or wrong, or as require_consistent() does. Members that do not belong
/// to the image layout are ignored.
/// Example:
///     assert(lie_alike(image_layout_from_json(nlohmann::json::parse(text)), image));
ImageLayout image_layout_from_json(const nlohmann::json& json);

}  // namespace tilewise
