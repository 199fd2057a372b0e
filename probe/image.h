// The image of a case: whether the device offers it, its handle, the memory that it needs, and its subresource's
// elements.
#pragma once
#include "patterns/model/sparse_blocks.h"
#include "probe/device_info.h"
#include "probe/vulkan/device.h"

namespace tilewise::probe {

/// Features of optimal tiling (VkFormatFeatureFlags2); 0 if the device does not know the format.
VkFormatFeatureFlags2 format_features(VkPhysicalDevice physical, const vulkan::DeviceTraits& traits, uint32_t format);

/// Empty without VK_EXT_image_drm_format_modifier.
std::vector<ModifierSupport> format_modifiers(VkPhysicalDevice physical, const vulkan::DeviceTraits& traits,
                                              uint32_t format);

/// Which of Vulkan's device-independent rules for images the image breaks, in one line; empty if it breaks none.
std::string why_invalid(const Image& image);

/// Why the device does not offer the case's image, or cannot read it by the route; empty if it can.
std::string why_unsupported(const vulkan::Device& device, const Case& probed);

/// Why the device's shaders cannot store single samples of an image; empty if they can.
std::string why_no_stored_samples(const vulkan::Device& device);

/// Why the device does not offer the image, whatever it is used for; empty if it does.
std::string why_not_offered(const vulkan::Device& device, const Image& image);

vulkan::OwnedImage create_image(const vulkan::Device& device, const Image& image);

struct ImageNeeds {
    VkMemoryRequirements memory = {};
    bool dedicated = false;  ///< it needs a memory allocation of its own, shared with nothing else
};
/// The needs of the plane with this aspect in a disjoint image.
ImageNeeds image_needs(const vulkan::Device& device, VkImage handle, const Image& image, VkImageAspectFlags aspect);

/// None if the image has no sparse residency.
std::optional<SparseBlocks> sparse_blocks(const vulkan::Device& device, VkImage handle, const Image& image,
                                          VkImageAspectFlags aspect);

/// All aspects that must be named in an image's layout transitions.
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
