// A pattern as a function in a programming language. patterns/snippet/linear_map.h finds an implementation with few
// operations.
#pragma once
#include "patterns/convert/direction.h"
#include "patterns/model/image_layout.h"
#include "patterns/model/layout.h"
#include "patterns/remap/remap.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise {

/// c_pdep: C with the instructions pdep and pext of x86's BMI2. triton, cute: layouts of these libraries, not
/// functions.
enum class Language { glsl, hlsl, wgsl, msl, cuda, cpp, rust, c_pdep, triton, cute };
enum class SnippetKind { remap, group_order, address, texel, convert, kernel };
/// Parse "glsl", also "metal" and "c++", "group-order", ...; case does not matter. Throw UsageError that lists the
/// names.
/// Example:
///     assert(language_name(language_from_name("GLSL")) == "glsl");
///     assert(snippet_kind_from_name("address") == SnippetKind::address);
///     assert(snippet_kind_name(SnippetKind::group_order) == "group-order");
///     assert(convert_direction_from_name("detile") == ConvertDirection::detile);
///     assert(convert_direction_name(ConvertDirection::detile) == "detile");
Language language_from_name(std::string_view name);
SnippetKind snippet_kind_from_name(std::string_view name);
std::string_view language_name(Language language);
std::string_view snippet_kind_name(SnippetKind kind);
ConvertDirection convert_direction_from_name(std::string_view name);
std::string_view convert_direction_name(ConvertDirection direction);

struct SnippetRequest {
    Language language = Language::glsl;
    SnippetKind kind = SnippetKind::remap;
    Layout layout;           ///< address, texel: the pattern and, if it is not 0, the constant
    Remap remap;             ///< remap, kernel
    GroupOrder group_order;  ///< group_order, kernel
    std::optional<ImageLayout>
        image;  ///< convert; address, texel: for a whole image, one aspect, instead of the layout
    ConvertDirection direction = ConvertDirection::tile;  ///< convert
    std::string format;                                   ///< kernel: of its images, Vulkan's name without VK_FORMAT_
    uint32_t radius = 0;                                  ///< kernel: texels that it reads beyond its own, each way
    std::optional<std::string> body;                      ///< kernel: statements that set `value`, instead of the mean
    uint32_t subgroup_size = default_subgroup_size;       ///< remap in Triton: lanes of a warp; a power of two
    std::optional<uint32_t>
        warps;               ///< remap in Triton: warps of a program, a power of two; none: as many as the texels need
    std::string provenance;  ///< comment lines, without "//": pattern, device, driver, version, how learned
};

/// Emits self-contained code of one function (with the small types it needs, in languages without vectors):
///   remap        tilewise_remap(index) -> texel in the workgroup: .x, .y (.z for 3D shapes)
///   group_order  tilewise_group(id, groups) -> workgroup position; groups: workgroups along x, y and z
///   address      tilewise_address(texel, stride) -> byte offset from the image's base; stride: bytes from tile to tile
///   texel        tilewise_texel(offset, stride) -> texel whose bytes include the offset from the image's base
/// Functions for a whole image, with the bases and strides of all its levels and layers as constants:
///   address      tilewise_address(texel, level, layer) -> byte offset from the start of the image's memory
///   texel        tilewise_texel(offset, level, layer) -> texel of that level and layer whose bytes include the offset
/// `level` and `layer` are left out if the image has only one.
/// In Triton and CuTe: see patterns/snippet/triton.h and cute.h.
/// Or, in GLSL, HLSL and CUDA, a shader for a whole image:
///   convert      see patterns/snippet/convert_kernel.h
/// In GLSL, HLSL, WGSL, MSL and CUDA, a shader that runs over an image:
///   kernel       see patterns/snippet/kernel.h
/// Coordinates are in elements, with 32 bits; offsets and strides are in bytes, with 32 bits in the shading languages
/// and 64 in CUDA, C, C++ and Rust. Throws Error for a tile beyond 4 GiB; for an image of several aspects, with too
/// many layers at no constant distance or, in a shading language, beyond 4 GiB.
/// Example:
///     SnippetRequest request;
///     request.kind = SnippetKind::address;
///     request.layout = layout;
///     assert(emit_snippet(request).find("uint tilewise_address(uvec2 texel, uvec2 stride)") != std::string::npos);
std::string emit_snippet(const SnippetRequest& request);

struct SnippetCode {
    Language language = Language::glsl;
    std::string code;
};
/// The code for the request in every language that can express it, in the order of `Language`.
/// Example:
///     SnippetRequest request;
///     request.remap = derive_remap(layout.pattern, {}).remap;
///     assert(emit_in_all_languages(request).size() >= 8);
std::vector<SnippetCode> emit_in_all_languages(SnippetRequest request);

/// Components of the texels and strides in a layout's address and texel snippets: 2; 3 if z takes part in the pattern
/// or has a stride; 4 if samples do (the sample is .w).
/// Example:
///     Layout slices = layout;
///     slices.stride[axis_z] = 262144;
///     assert(snippet_dimensions(layout) == 2 && snippet_dimensions(slices) == 3);
unsigned snippet_dimensions(const Layout& layout);
/// Likewise for an image's snippets: 2; 3 if it is 3D; 4 if it has several samples.
/// Example:
///     ImageLayout multisampled = image;
///     multisampled.samples = 4;
///     assert(snippet_dimensions(image) == 2 && snippet_dimensions(multisampled) == 4);
unsigned snippet_dimensions(const ImageLayout& image);

}  // namespace tilewise
