#include "probe/image.h"
#include "probe/formats.h"
#include "probe/names.h"

namespace tilewise::probe {

using vulkan::check;

namespace {

VkImageCreateInfo create_info(const Image& image) {
    VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.flags = image.flags;
    info.imageType = static_cast<VkImageType>(image.type);
    info.format = static_cast<VkFormat>(image.format);
    info.extent = {image.extent.width, image.extent.height, image.extent.depth};
    info.mipLevels = image.levels;
    info.arrayLayers = image.layers;
    info.samples = static_cast<VkSampleCountFlagBits>(image.samples);
    info.tiling = VK_IMAGE_TILING_OPTIMAL;
    info.usage = image.usage;
    info.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
    return info;
}

/// A device may be asked only for formats that it has heard of.
bool knows_format(const vulkan::DeviceTraits& traits, uint32_t format) {
    switch (format) {
        case VK_FORMAT_A4R4G4B4_UNORM_PACK16:
        case VK_FORMAT_A4B4G4R4_UNORM_PACK16:
            return traits.formats_4444;
        case VK_FORMAT_A1B5G5R5_UNORM_PACK16:
        case VK_FORMAT_A8_UNORM:
            return traits.maintenance5;
        default:
            break;
    }
    if (format >= VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK && format <= VK_FORMAT_ASTC_12x12_SFLOAT_BLOCK)
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

std::string why_unsupported(const vulkan::Device& device, const Image& image) {
    const VkFormatFeatureFlags2 features = format_features(device.physical, device.traits, image.format);
    const std::string format = format_name(image.format);
    if (features == 0) return fmt::format("{} is not offered in optimal tiling", format);
    if (!(features & VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT) && !(image.usage & VK_IMAGE_USAGE_HOST_TRANSFER_BIT))
        return fmt::format("{} cannot be copied to (no TRANSFER_DST feature)", format);
    // Some drivers abort on a host copy without this feature, so they must not come so far.
    if ((image.usage & VK_IMAGE_USAGE_HOST_TRANSFER_BIT) && !(features & VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT))
        return fmt::format("{} has no HOST_IMAGE_TRANSFER feature", format);

    const VkImageCreateInfo info = create_info(image);
    VkPhysicalDeviceImageFormatInfo2 query = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2};
    query.format = info.format;
    query.type = info.imageType;
    query.tiling = info.tiling;
    query.usage = info.usage;
    query.flags = info.flags;
    VkImageFormatProperties2 answer = {VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
    const VkResult result = vkGetPhysicalDeviceImageFormatProperties2(device.physical, &query, &answer);
    if (result == VK_ERROR_FORMAT_NOT_SUPPORTED)
        return fmt::format(
            "vkGetPhysicalDeviceImageFormatProperties2: VK_ERROR_FORMAT_NOT_SUPPORTED for {} with usage {}", format,
            usage_names(image.usage));
    check(result, "vkGetPhysicalDeviceImageFormatProperties2");

    const VkImageFormatProperties& limits = answer.imageFormatProperties;
    if (image.extent.width > limits.maxExtent.width || image.extent.height > limits.maxExtent.height ||
        image.extent.depth > limits.maxExtent.depth)
        return fmt::format("beyond the device's largest image of {} and this usage, {}x{}x{}", format,
                           limits.maxExtent.width, limits.maxExtent.height, limits.maxExtent.depth);
    if (image.levels > limits.maxMipLevels)
        return fmt::format("{} levels; the device offers {} for {}", image.levels, limits.maxMipLevels, format);
    if (image.layers > limits.maxArrayLayers)
        return fmt::format("{} layers; the device offers {} for {}", image.layers, limits.maxArrayLayers, format);
    if (!(limits.sampleCounts & image.samples))
        return fmt::format("{} samples are not offered for {} with usage {}", image.samples, format,
                           usage_names(image.usage));
    return {};
}

vulkan::OwnedImage create_image(const vulkan::Device& device, const Image& image) {
    const VkImageCreateInfo info = create_info(image);
    VkImage handle = VK_NULL_HANDLE;
    check(vkCreateImage(device.handle, &info, nullptr, &handle), "vkCreateImage");
    return {device.handle, handle};
}

ImageNeeds image_needs(const vulkan::Device& device, VkImage image) {
    VkMemoryDedicatedRequirements dedicated = {VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS};
    VkMemoryRequirements2 needs = {VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, &dedicated};
    VkImageMemoryRequirementsInfo2 info = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2};
    info.image = image;
    vkGetImageMemoryRequirements2(device.handle, &info, &needs);
    return {needs.memoryRequirements, dedicated.requiresDedicatedAllocation == VK_TRUE};
}

Subresource subresource_of(const Case& probed) {
    const Extent texels = texels_of(probed);
    Subresource part;
    part.layers = {VK_IMAGE_ASPECT_COLOR_BIT, probed.level, probed.layer, 1};
    part.texels = {texels.width, texels.height, texels.depth};
    part.element = element_of(probed.image);
    part.elements = elements_of(probed);
    return part;
}

}  // namespace tilewise::probe
