// Conversion of a whole image between rows and memory in one dispatch: a compute shader for one image.
#pragma once
#include "patterns/snippet/snippet.h"
#include <array>
#include <vector>

namespace tilewise {

/// Subresources with the same layout at equal distances: a level and its layers, or one of them.
struct ConvertPart {
    Layout layout;                ///< of the first layer; its base counts from the start of the image's memory
    Coord extent = unit_extent;   ///< elements; no samples
    uint32_t layers = 1;          ///< 1 if the image has slices (z)
    uint64_t layer_stride_B = 0;  ///< in the image's memory
    uint64_t rows_B = 0;          ///< where its rows begin; they have no gaps
    uint64_t rows_layer_stride_B = 0;
};

/// All parts of an image, with its rows in the order of parts_of() in patterns/convert/image.h. Throws Error for an
/// image with several samples and for a disjoint image.
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
    /// GLSL and HLSL: a shader with buffer 0 (from) and buffer 1 (to); CUDA: tilewise_convert(from, to). Both must be
    /// aligned to 16 bytes. Bytes of `to` that belong to no element stay unchanged.
    std::string code;
    std::array<uint32_t, 2> groups = {1, 1};  ///< to dispatch
};

/// At least this many workgroups, arranged along x and y: the one at (x, y) is number x + y * groups[0].
/// Example:
///     const auto [across, down] = groups_in_two_axes(100000);
///     assert(across <= 65535 && across * down >= 100000 && across * (down - 1) < 100000);
std::array<uint32_t, 2> groups_in_two_axes(uint64_t groups);

/// Emits the kernel. Each invocation moves pieces of 1 to 16 bytes that are contiguous on both sides; tiles are
/// processed in memory order. Throws UsageError for another language, or if there are no invocations or pieces; Error for samples, for 2^32 pieces or more, and
/// in GLSL and HLSL for 2^32 bytes or more.
/// Example:
///     const ConvertKernel kernel = emit_convert_kernel({.parts = convert_parts(image), .provenance = {}});
///     assert(kernel.code.find("void main()") != std::string::npos && kernel.groups[0] > 0);
ConvertKernel emit_convert_kernel(const ConvertRequest& request);

}  // namespace tilewise
