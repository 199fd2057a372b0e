// Vulkan's requirements for every image, checked before a driver sees it: drivers need not check them, and some crash.
#include "probe/formats/formats.h"
#include "probe/image.h"
#include <algorithm>
#include <bit>

namespace tilewise::probe {

namespace {

std::string why_wrong_extent(const Image& image, const Format& format) {
    const auto& [width, height, depth] = image.extent_px;
    if (image.type == ImageType::one_d && (height > 1 || depth > 1)) return "a 1D image has one row";
    if (image.type == ImageType::two_d && depth > 1) return "a 2D image has no depth";
    if (image.type == ImageType::three_d && image.layers > 1) return "a 3D image has one layer";
    if (image.levels > static_cast<uint32_t>(std::bit_width(std::max({width, height, depth}))))
        return "the image has fewer levels";
    if (!requires_ycbcr_conversion(format)) return {};
    const auto [x, y] = extent_multiple(format);
    if (width % x != 0 || height % y != 0)
        return fmt::format("texels share chroma: extents are multiples of {}x{}", x, y);
    if (image.type != ImageType::two_d || image.levels > 1 || image.samples > 1)
        return "YCbCr formats are for 2D images of one level and one sample";
    return {};
}

std::string why_wrong_samples(const Image& image) {
    if (image.samples == 1) return {};
    if (image.type != ImageType::two_d || image.levels > 1 || (image.flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT))
        return "images of several samples are 2D, of one level, and no cubes";
    return {};
}

std::string why_wrong_flags(const Image& image, const Format& format) {
    const auto has = [&](VkImageCreateFlags flag) { return (image.flags & flag) != 0; };
    const bool has_planes = aspects_of(format).size() > 1 && format.kind == FormatKind::ycbcr;
    const auto& [width, height, depth] = image.extent_px;
    if (has(VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) &&
        (image.type != ImageType::two_d || width != height || image.layers < 6))
        return "cubes are square 2D images of 6 layers or more";
    if (has(VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT | VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT) &&
        image.type != ImageType::three_d)
        return "2D views of slices are for 3D images";
    if (has(VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT) &&
        (format.kind != FormatKind::compressed || !has(VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT)))
        return "block-texel-view-compatible is for compressed formats, with mutable-format";
    if (has(VK_IMAGE_CREATE_DISJOINT_BIT) && !has_planes) return "disjoint is for formats of several planes";
    if (has(VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT) &&
        !has(VK_IMAGE_CREATE_SPARSE_BINDING_BIT))
        return "sparse-residency and sparse-aliased are for images with sparse-binding";
    if (has(VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT) && image.type == ImageType::one_d)
        return "sparse-residency is for 2D and 3D images";
    if (has(VK_IMAGE_CREATE_SPLIT_INSTANCE_BIND_REGIONS_BIT))
        return "split-instance-bind-regions is for groups of devices";
    if (has(VK_IMAGE_CREATE_SAMPLE_LOCATIONS_COMPATIBLE_DEPTH_BIT_EXT) && format.kind != FormatKind::depth_stencil)
        return "sample-locations-compatible-depth is for depth formats";
    return {};
}

}  // namespace

std::string why_invalid(const Image& image) {
    const Format* format = find_format(image.format);
    if (!format) return "the format is not known here";
    for (std::string why :
         {why_wrong_extent(image, *format), why_wrong_samples(image), why_wrong_flags(image, *format)})
        if (!why.empty()) return why;
    if (image.usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT)
        return "transient images have no memory that could be read";
    return {};
}

}  // namespace tilewise::probe
