// The names that people and scripts use for Vulkan's flags and for this library's enums.
#pragma once
#include "patterns/model/image_layout.h"
#include "probe/case.h"
#include "probe/reading.h"
#include <cstdint>
#include <string>
#include <string_view>

namespace tilewise::probe {

const char* route_name(Route route);       ///< "alias", "alias-map", "host-copy"
Route route_named(std::string_view name);  ///< throws UsageError naming the existing routes

/// "read", "opaque", "nothing-written", "unsupported", "out-of-memory", "crashed", "timed-out"
const char* outcome_name(Outcome outcome);

/// VkImageAspectFlagBits: "color", "depth", "stencil", "plane0"; "none" for 0
std::string aspect_name(uint32_t aspect);

/// The same as a value. Throws Error for a bit that belongs to none of these aspects.
tilewise::Aspect aspect_of(uint32_t bit);

/// An image's VkImageCreateFlags and compression: "mutable-format,cube-compatible,compression-disabled"; "" for none
std::string flag_names(const Image& image);
/// Parses these names or Vulkan's own (VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT), separated by commas or bars. Throws
/// UsageError naming the existing ones.
uint32_t image_flags_named(std::string_view said);
/// VkImageCompressionFlagsEXT: "default", "disabled", "fixed-rate". Throws UsageError naming the existing ones.
uint32_t compression_named(std::string_view name);

/// The same image with Vulkan's names.
ImageKind kind_of(const Image& image);

/// Parses VkImageUsageFlags: "sampled,storage,color,transfer-src,..", or Vulkan's own names, as above. Throws
/// UsageError naming the existing ones.
uint32_t usage_named(std::string_view said);

/// A user's text for usages, or for flags and compression, in the form that databases store: "color,sampled". An empty
/// text stays empty. Throws UsageError.
std::string usage_as_stored(std::string_view said);
std::string flags_as_stored(std::string_view said);
std::string usage_names(uint32_t usage);         ///< "transfer-src,transfer-dst,sampled"
std::string feature_names(uint64_t features);    ///< VkFormatFeatureFlags2: "sampled,storage,color"; "none"
std::string memory_flag_names(uint32_t flags);   ///< VkMemoryPropertyFlags: "device-local,host-visible"; "none"
std::string queue_flag_names(uint32_t flags);    ///< VkQueueFlags: "graphics,compute,transfer"
std::string version_text(uint32_t packed);       ///< "1.4.312"
std::string driver_id_name(uint32_t driver_id);  ///< "MESA_RADV"; empty for 0 and for ids that the headers do not have

}  // namespace tilewise::probe
