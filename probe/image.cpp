#include "probe/image.h"
#include "probe/formats/formats.h"
#include "probe/formats/names.h"
#include <algorithm>
#include <bit>
#include <span>
#include <utility>

namespace tilewise::probe {

using vulkan::check;

namespace {

/// A VkImageCreateInfo with the structs that it points to.
struct CreateInfo {
    VkImageCreateInfo image = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    VkImageCompressionControlEXT compression = {VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT};
    VkImageDrmFormatModifierListCreateInfoEXT modifiers = {
        VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_LIST_CREATE_INFO_EXT};

    explicit CreateInfo(const Image& of) {
        image.flags = of.flags;
        image.imageType = static_cast<VkImageType>(of.type);
        image.format = static_cast<VkFormat>(of.format);
        image.extent = {of.extent_px[0], of.extent_px[1], of.extent_px[2]};
        image.mipLevels = of.levels;
        image.arrayLayers = of.layers;
        image.samples = static_cast<VkSampleCountFlagBits>(of.samples);
        image.tiling = VK_IMAGE_TILING_OPTIMAL;
        image.usage = of.usage;
        image.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
        compression.flags = of.compression;
        if (of.compression) image.pNext = &compression;
        if (of.modifier == no_modifier) return;
        image.tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
        modifiers.drmFormatModifierCount = 1;
        modifiers.pDrmFormatModifiers = &of.modifier;
        modifiers.pNext = std::exchange(image.pNext, &modifiers);
    }
    CreateInfo(const CreateInfo&) = delete;
    CreateInfo& operator=(const CreateInfo&) = delete;
};

/// A device may be asked only about formats that it knows.
bool knows_format(const vulkan::DeviceTraits& traits, uint32_t format) {
    switch (format) {
        case VK_FORMAT_A4R4G4B4_UNORM_PACK16:
        case VK_FORMAT_A4B4G4R4_UNORM_PACK16:
            return traits.formats_4444;
        case VK_FORMAT_A1B5G5R5_UNORM_PACK16:
        case VK_FORMAT_A8_UNORM:
            return traits.maintenance5;
        case VK_FORMAT_R16G16_SFIXED5_NV:
            return traits.has(VK_NV_OPTICAL_FLOW_EXTENSION_NAME);
        default:
            break;
    }
    const auto is_in = [&](VkFormat first, VkFormat last) {
        return format >= static_cast<uint32_t>(first) && format <= static_cast<uint32_t>(last);
    };
    if (is_in(VK_FORMAT_PVRTC1_2BPP_UNORM_BLOCK_IMG, VK_FORMAT_PVRTC2_4BPP_SRGB_BLOCK_IMG))
        return traits.has(VK_IMG_FORMAT_PVRTC_EXTENSION_NAME);
    if (is_in(VK_FORMAT_G8_B8R8_2PLANE_444_UNORM, VK_FORMAT_G16_B16R16_2PLANE_444_UNORM))
        return traits.formats_2plane_444;
    if (is_in(VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK, VK_FORMAT_ASTC_12x12_SFLOAT_BLOCK))
        return traits.properties.apiVersion >= VK_API_VERSION_1_3 ||
               traits.has(VK_EXT_TEXTURE_COMPRESSION_ASTC_HDR_EXTENSION_NAME);
    return true;
}

}  // namespace

VkFormatFeatureFlags2 format_features(VkPhysicalDevice physical, const vulkan::DeviceTraits& traits, uint32_t format) {
    if (!knows_format(traits, format)) return 0;
    VkFormatProperties3 features2 = {VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
    VkFormatProperties2 properties = {VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2};
    if (traits.format_features2) properties.pNext = &features2;
    vkGetPhysicalDeviceFormatProperties2(physical, static_cast<VkFormat>(format), &properties);
    return features2.optimalTilingFeatures | properties.formatProperties.optimalTilingFeatures;
}

namespace {

/// The usages that images with these features may have.
VkImageUsageFlags usages_of(VkFormatFeatureFlags2 features) {
    constexpr std::pair<VkFormatFeatureFlags2, VkImageUsageFlags> allowed[] = {
        {VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT, VK_IMAGE_USAGE_SAMPLED_BIT},
        {VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT, VK_IMAGE_USAGE_STORAGE_BIT},
        {VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT},
        {VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT, VK_IMAGE_USAGE_TRANSFER_SRC_BIT},
        {VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT, VK_IMAGE_USAGE_TRANSFER_DST_BIT}};
    VkImageUsageFlags usages = 0;
    for (const auto& [feature, usage] : allowed)
        if (features & feature) usages |= usage;
    return usages;
}

/// Sets the largest 2D image that the device offers with the modifier.
void find_largest(VkPhysicalDevice physical, uint32_t format, ModifierSupport& support) {
    VkPhysicalDeviceImageDrmFormatModifierInfoEXT modifier = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_DRM_FORMAT_MODIFIER_INFO_EXT};
    modifier.drmFormatModifier = support.modifier;
    VkPhysicalDeviceImageFormatInfo2 query = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2, &modifier};
    query.format = static_cast<VkFormat>(format);
    query.type = VK_IMAGE_TYPE_2D;
    query.tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
    query.usage = usages_of(support.features);
    if (query.usage == 0) return;
    VkImageFormatProperties2 answer = {VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
    if (vkGetPhysicalDeviceImageFormatProperties2(physical, &query, &answer) != VK_SUCCESS) return;
    const VkImageFormatProperties& limits = answer.imageFormatProperties;
    support.max_extent_px = {limits.maxExtent.width, limits.maxExtent.height};
    support.max_levels = limits.maxMipLevels;
    support.max_layers = limits.maxArrayLayers;
}

}  // namespace

std::vector<ModifierSupport> format_modifiers(VkPhysicalDevice physical, const vulkan::DeviceTraits& traits,
                                              uint32_t format) {
    if (!traits.has(VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME) || !traits.format_features2) return {};
    VkDrmFormatModifierPropertiesList2EXT list = {VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_2_EXT};
    VkFormatProperties2 properties = {VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, &list};
    vkGetPhysicalDeviceFormatProperties2(physical, static_cast<VkFormat>(format), &properties);
    std::vector<VkDrmFormatModifierProperties2EXT> offered(list.drmFormatModifierCount);
    list.pDrmFormatModifierProperties = offered.data();
    vkGetPhysicalDeviceFormatProperties2(physical, static_cast<VkFormat>(format), &properties);
    std::vector<ModifierSupport> modifiers;
    for (const VkDrmFormatModifierProperties2EXT& each : std::span(offered).first(list.drmFormatModifierCount)) {
        ModifierSupport support;
        support.modifier = each.drmFormatModifier;
        support.planes = each.drmFormatModifierPlaneCount;
        support.features = each.drmFormatModifierTilingFeatures;
        find_largest(physical, format, support);
        modifiers.push_back(support);
    }
    return modifiers;
}

namespace {

std::string why_not_sparse(const vulkan::Device& device, const Case& probed) {
    const Image& image = probed.image;
    const VkPhysicalDeviceFeatures& features = device.traits.features;
    const bool has_residency = image.type == ImageType::three_d ? features.sparseResidencyImage3D
                               : image.samples == 1             ? features.sparseResidencyImage2D
                               : image.samples == 2             ? features.sparseResidency2Samples
                               : image.samples == 4             ? features.sparseResidency4Samples
                               : image.samples == 8             ? features.sparseResidency8Samples
                                                                : features.sparseResidency16Samples;
    if (!features.sparseBinding) return "the device has no sparse images (sparseBinding)";
    if ((image.flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT) && !has_residency)
        return "the device has no sparse residency of such images";
    if (image.flags & VK_IMAGE_CREATE_SPARSE_ALIASED_BIT && !features.sparseResidencyAliased)
        return "the device has no sparse memory that is aliased";
    if (probed.route == Route::host_copy) return "host copy is for images with ordinary memory";
    if (!(device.traits.queue_flags & VK_QUEUE_SPARSE_BINDING_BIT)) return "the device's queue binds no sparse memory";
    return {};
}

/// Some drivers abort on a host copy without this feature, and lavapipe offers images that Vulkan forbids without it
/// (VUID-VkImageCreateInfo-imageCreateFormatFeatures-09048).
std::string why_no_host_transfer(const Image& image, VkFormatFeatureFlags2 features) {
    const bool is_forbidden = (image.usage & VK_IMAGE_USAGE_HOST_TRANSFER_BIT) != 0 &&
                              (features & VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT) == 0;
    return is_forbidden ? "the format has no HOST_IMAGE_TRANSFER feature" : "";
}

/// Which of the copies that a route needs the device does not have for such images.
std::string why_not_copied(const vulkan::Device& device, const Case& probed, VkFormatFeatureFlags2 features) {
    const Image& image = probed.image;
    if (!(features & VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT) && !(image.usage & VK_IMAGE_USAGE_HOST_TRANSFER_BIT))
        return "the format cannot be copied to (no TRANSFER_DST feature)";
    if (std::string why = why_no_host_transfer(image, features); !why.empty()) return why;
    if (probed.route == Route::host_copy)
        return image.samples == 1 ? "" : "host copy is for images of one sample, and no other copy writes several";
    const bool is_color = probed.aspect != VK_IMAGE_ASPECT_DEPTH_BIT && probed.aspect != VK_IMAGE_ASPECT_STENCIL_BIT;
    if (!is_color && !(device.traits.queue_flags & VK_QUEUE_GRAPHICS_BIT))
        return "depth and stencil are copied by graphics queues, and the device has none";
    if (image.samples == 1) return {};
    const uint32_t bytes = element_of(probed).bytes;
    if (!is_color)
        return features & VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT
                   ? ""
                   : "samples of depth and stencil are drawn, and the format has no DEPTH_STENCIL_ATTACHMENT feature";
    if (probed.aspect != color_aspect || bytes > 16 || !std::has_single_bit(bytes))
        return "samples are written as integers of 1, 2, 4, 8 or 16 bytes, and no copy turns those into this format";
    const std::string why_not_stored = why_no_stored_samples(device);
    if (!why_not_stored.empty() && !(device.traits.queue_flags & VK_QUEUE_GRAPHICS_BIT))
        return why_not_stored + ", and its queue draws none";
    return {};
}

}  // namespace

std::string why_no_stored_samples(const vulkan::Device& device) {
    if (!device.traits.features.shaderStorageImageMultisample ||
        !device.traits.features.shaderStorageImageWriteWithoutFormat)
        return "the device's shaders store no samples (shaderStorageImageMultisample)";
    if (!(device.traits.queue_flags & VK_QUEUE_COMPUTE_BIT)) return "the device's queue runs no compute shader";
    return {};
}

std::string why_unsupported(const vulkan::Device& device, const Case& probed) {
    const Image& image = probed.image;
    VkFormatFeatureFlags2 features = format_features(device.physical, device.traits, image.format);
    if (features == 0) return "not offered in optimal tiling";
    if (image.modifier != no_modifier) {
        const auto offered = format_modifiers(device.physical, device.traits, image.format);
        const auto found = std::ranges::find(offered, image.modifier, &ModifierSupport::modifier);
        if (found == offered.end()) return "the device does not offer the modifier for this format";
        if (found->planes > 1) return fmt::format("{} memory planes: one has other data than texels", found->planes);
        features = found->features;
    }
    if (std::string why = why_invalid(image); !why.empty()) return why;
    if ((image.flags & VK_IMAGE_CREATE_DISJOINT_BIT) && !(features & VK_FORMAT_FEATURE_2_DISJOINT_BIT))
        return "the format has no DISJOINT feature";
    if (image.compression && !device.traits.compression_control)
        return "the device has no control of compression (VK_EXT_image_compression_control)";
    if (image.flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT)
        if (std::string why = why_not_sparse(device, probed); !why.empty()) return why;
    if (std::string why = why_not_copied(device, probed, features); !why.empty()) return why;
    return why_not_offered(device, image);
}

std::string why_not_offered(const vulkan::Device& device, const Image& image) {
    if (image.modifier == no_modifier)  // a modifier has its own features: see why_unsupported
        if (std::string why =
                why_no_host_transfer(image, format_features(device.physical, device.traits, image.format));
            !why.empty())
            return why;
    const CreateInfo created(image);
    const VkImageCreateInfo& info = created.image;
    VkPhysicalDeviceImageFormatInfo2 query = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2};
    if (image.compression) query.pNext = &created.compression;
    VkPhysicalDeviceImageDrmFormatModifierInfoEXT modifier = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_DRM_FORMAT_MODIFIER_INFO_EXT, query.pNext};
    modifier.drmFormatModifier = image.modifier;
    if (image.modifier != no_modifier) query.pNext = &modifier;
    query.format = info.format;
    query.type = info.imageType;
    query.tiling = info.tiling;
    query.usage = info.usage;
    query.flags = info.flags;
    VkImageFormatProperties2 answer = {VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
    const VkResult result = vkGetPhysicalDeviceImageFormatProperties2(device.physical, &query, &answer);
    if (result == VK_ERROR_FORMAT_NOT_SUPPORTED) {
        const std::string flags = flag_names(image);
        return fmt::format(
            "vkGetPhysicalDeviceImageFormatProperties2: VK_ERROR_FORMAT_NOT_SUPPORTED for {} with usage {}{}{}",
            image_type_name(image.type), usage_names(image.usage), flags.empty() ? "" : " and flags ", flags);
    }
    check(result, "vkGetPhysicalDeviceImageFormatProperties2");

    const VkImageFormatProperties& limits = answer.imageFormatProperties;
    if (image.extent_px[0] > limits.maxExtent.width || image.extent_px[1] > limits.maxExtent.height ||
        image.extent_px[2] > limits.maxExtent.depth)
        return fmt::format("beyond the device's largest image of the kind, {}x{}x{}", limits.maxExtent.width,
                           limits.maxExtent.height, limits.maxExtent.depth);
    if (image.levels > limits.maxMipLevels)
        return fmt::format("{} levels; the device offers {} for such images", image.levels, limits.maxMipLevels);
    if (image.layers > limits.maxArrayLayers)
        return fmt::format("{} layers; the device offers {} for such images", image.layers, limits.maxArrayLayers);
    if (!(limits.sampleCounts & image.samples))
        return fmt::format("{} samples are not offered with usage {}", image.samples, usage_names(image.usage));
    return {};
}

vulkan::OwnedImage create_image(const vulkan::Device& device, const Image& image) {
    const CreateInfo info(image);
    VkImage handle = VK_NULL_HANDLE;
    check(vkCreateImage(device.handle, &info.image, nullptr, &handle), "vkCreateImage");
    return {device.handle, handle};
}

ImageNeeds image_needs(const vulkan::Device& device, VkImage handle, const Image& image, VkImageAspectFlags aspect) {
    VkMemoryDedicatedRequirements dedicated = {VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS};
    VkMemoryRequirements2 needs = {VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, &dedicated};
    VkImagePlaneMemoryRequirementsInfo plane = {VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO};
    plane.planeAspect = static_cast<VkImageAspectFlagBits>(aspect);
    VkImageMemoryRequirementsInfo2 info = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2};
    if (image.flags & VK_IMAGE_CREATE_DISJOINT_BIT) info.pNext = &plane;
    info.image = handle;
    vkGetImageMemoryRequirements2(device.handle, &info, &needs);
    return {needs.memoryRequirements, dedicated.requiresDedicatedAllocation == VK_TRUE};
}

std::optional<SparseBlocks> sparse_blocks(const vulkan::Device& device, VkImage handle, const Image& image,
                                          VkImageAspectFlags aspect) {
    if (!(image.flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT)) return {};
    uint32_t count = 0;
    vkGetImageSparseMemoryRequirements(device.handle, handle, &count, nullptr);
    std::vector<VkSparseImageMemoryRequirements> all(count);
    vkGetImageSparseMemoryRequirements(device.handle, handle, &count, all.data());
    for (const VkSparseImageMemoryRequirements& needs : std::span(all).first(count)) {
        const VkSparseImageFormatProperties& format = needs.formatProperties;
        if (!(format.aspectMask & aspect)) continue;
        const auto [width, height, depth] = format.imageGranularity;
        const bool single = format.flags & VK_SPARSE_IMAGE_FORMAT_SINGLE_MIPTAIL_BIT;
        return SparseBlocks{
            .granularity_px = {width, height, depth},
            .standard = !(format.flags & VK_SPARSE_IMAGE_FORMAT_NONSTANDARD_BLOCK_SIZE_BIT),
            .mip_tail_first_level = needs.imageMipTailFirstLod,
            .mip_tail_bytes = needs.imageMipTailSize,
            .mip_tail_offset = needs.imageMipTailOffset,
            .mip_tail_stride = single ? 0 : needs.imageMipTailStride,  // which is meaningless for a single tail
            .single_mip_tail = single,
            .aligned_mip_levels = (format.flags & VK_SPARSE_IMAGE_FORMAT_ALIGNED_MIP_SIZE_BIT) != 0};
    }
    return {};
}

VkImageAspectFlags transition_aspects(const Image& image) {
    const Format* format = find_format(image.format);
    VkImageAspectFlags aspects = 0;
    if (format && format->kind == FormatKind::depth_stencil)
        for (const Aspect& aspect : aspects_of(*format)) aspects |= aspect.bit;
    return aspects ? aspects : VkImageAspectFlags{VK_IMAGE_ASPECT_COLOR_BIT};
}

Subresource subresource_of(const Case& probed) {
    const Extent_px texels = texels_of(probed);
    Subresource part;
    part.layers = {probed.aspect, probed.level, probed.layer, 1};
    part.texels = {texels[0], texels[1], texels[2]};
    part.element = element_of(probed);
    part.elements = elements_of(probed);
    return part;
}

}  // namespace tilewise::probe
