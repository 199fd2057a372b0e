// The image of a case: whether the device offers it, its handle, what memory it needs, and its subresource's elements.
#pragma once
#include "probe/case.h"
#include "probe/vulkan/device.h"

namespace tilewise::probe {

/// Features of optimal tiling (VkFormatFeatureFlags2); 0 where the device does not know the format.
VkFormatFeatureFlags2 format_features(VkPhysicalDevice physical, const vulkan::DeviceTraits& traits, uint32_t format);

/// Why the device does not offer the image; empty where it does.
std::string why_unsupported(const vulkan::Device& device, const Image& image);

vulkan::OwnedImage create_image(const vulkan::Device& device, const Image& image);

struct ImageNeeds {
    VkMemoryRequirements memory = {};
    bool dedicated = false;  ///< it must have a memory of its own, with nothing beside it
};
ImageNeeds image_needs(const vulkan::Device& device, VkImage image);

/// The subresource that a case probes.
struct Subresource {
    VkImageSubresourceLayers layers = {};
    VkExtent3D texels = {};
    Element element;
    Coord elements = unit_extent;
};
Subresource subresource_of(const Case& probed);

}  // namespace tilewise::probe
