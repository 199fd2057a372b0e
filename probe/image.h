// The image of a case: whether the device offers it, its handle, what memory it needs, and its subresource's elements.
#pragma once
#include "patterns/model/sparse_blocks.h"
#include "probe/device_info.h"
#include "probe/vulkan/device.h"

namespace tilewise::probe {

/// Features of optimal tiling (VkFormatFeatureFlags2); 0 where the device does not know the format.
VkFormatFeatureFlags2 format_features(VkPhysicalDevice physical, const vulkan::DeviceTraits& traits, uint32_t format);

/// None without VK_EXT_image_drm_format_modifier.
std::vector<ModifierSupport> format_modifiers(VkPhysicalDevice physical, const vulkan::DeviceTraits& traits,
                                              uint32_t format);

/// Which of Vulkan's rules for images of any device the image breaks, one line; empty where it breaks none.
std::string why_invalid(const Image& image);

/// Why the device does not offer the case's image, or has no way to read it by the route; empty where it does.
std::string why_unsupported(const vulkan::Device& device, const Case& probed);

/// Why the device's shaders cannot store single samples of an image; empty where they can.
std::string why_no_stored_samples(const vulkan::Device& device);

/// Why the device does not offer the image, whatever is to be done with it; empty where it does.
std::string why_not_offered(const vulkan::Device& device, const Image& image);

vulkan::OwnedImage create_image(const vulkan::Device& device, const Image& image);

struct ImageNeeds {
    VkMemoryRequirements memory = {};
    bool dedicated = false;  ///< it must have a memory of its own, with nothing beside it
};
/// What the plane with this aspect needs of a disjoint image.
ImageNeeds image_needs(const vulkan::Device& device, VkImage handle, const Image& image, VkImageAspectFlags aspect);

/// None without sparse residency.
std::optional<SparseBlocks> sparse_blocks(const vulkan::Device& device, VkImage handle, const Image& image,
                                          VkImageAspectFlags aspect);

/// All aspects that an image's layout transitions name.
VkImageAspectFlags transition_aspects(const Image& image);

/// The subresource that a case probes.
struct Subresource {
    VkImageSubresourceLayers layers = {};
    VkExtent3D texels = {};
    Element element;
    Coord elements = unit_extent;
};
Subresource subresource_of(const Case& probed);

}  // namespace tilewise::probe
