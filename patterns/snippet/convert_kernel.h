// A whole image between rows and memory in one dispatch: a compute shader for one image.
#pragma once
#include "patterns/snippet/snippet.h"
#include <array>
#include <vector>

namespace tilewise {

/// Subresources that lie alike at equal distances: a level and its layers, or one of them.
struct ConvertPart {
    Layout layout;                ///< of the first layer; its base counts from the start of the image's memory
    Coord extent = unit_extent;   ///< elements; no samples
    uint32_t layers = 1;          ///< 1 where the image has slices (z)
    uint64_t layer_stride_B = 0;  ///< in the image's memory
    uint64_t rows_B = 0;          ///< where its rows begin; they have no gaps
    uint64_t rows_layer_stride_B = 0;
};

/// All of an image, with its rows as parts_of() in patterns/convert/image.h orders them. Throws Error for samples, and
/// for a disjoint image.
/// Example:
///     assert(convert_parts(image).size() == 1);
std::vector<ConvertPart> convert_parts(const ImageLayout& image);

struct ConvertRequest {
    Language language = Language::glsl;  ///< glsl, hlsl or cuda
    ConvertDirection direction = ConvertDirection::tile;
    std::vector<ConvertPart> parts;
    uint32_t invocations = 256;  ///< of a workgroup
    uint32_t pieces_per_invocation = 2;
    std::string provenance;  ///< as in SnippetRequest
};

struct ConvertKernel {
    /// GLSL and HLSL: a shader that has buffer 0 (from) and buffer 1 (to); CUDA: tilewise_convert(from, to). Both must
    /// be aligned to 16 bytes. Bytes of `to` that belong to no element stay as they are.
    std::string code;
    std::array<uint32_t, 2> groups = {1, 1};  ///< to dispatch
};

/// So many workgroups, and maybe some more, along x and y: the one at (x, y) is number x + y * groups[0].
/// Example:
///     const auto [across, down] = groups_in_two_axes(100000);
///     assert(across <= 65535 && across * down >= 100000 && across * (down - 1) < 100000);
std::array<uint32_t, 2> groups_in_two_axes(uint64_t groups);

/// Each invocation moves pieces of 1 to 16 bytes that lie together on both sides, and goes through the tiles in the
/// order of memory. Throws UsageError for another language; Error for samples, for what has 2^32 pieces or more,
/// and in GLSL and HLSL for 2^32 bytes.
/// Example:
///     const ConvertKernel kernel = emit_convert_kernel({.parts = convert_parts(image), .provenance = {}});
///     assert(kernel.code.find("void main()") != std::string::npos && kernel.groups[0] > 0);
ConvertKernel emit_convert_kernel(const ConvertRequest& request);

}  // namespace tilewise
