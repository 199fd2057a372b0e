// The host fills a device image by itself (VK_EXT_host_image_copy), from rows or from the bytes of an image's memory.
#pragma once
#include "kernels/convert/convert.h"

namespace tilewise::kernels {

struct HostImage;
struct DeleteHostImage {
    void operator()(HostImage* image) const;
};
using OwnedHostImage = std::unique_ptr<HostImage, DeleteHostImage>;

/// Null if the device offers no host image copy for such an image.
OwnedHostImage create_host_image(Context& context, const ConvertImage& image);

enum class HostContents {
    rows,
    /// The image's memory is copied unchanged (VK_HOST_IMAGE_COPY_MEMCPY).
    memory,
};
/// The place for the data to load: rows, or the image's memory.
std::span<std::byte> staging_of(HostImage& image, HostContents of);
/// Returns when the image can be read.
void load(Context& context, const HostImage& image, HostContents of);

/// Fills the image by MEMCPY with the memory that the layout gives, reads its texels, and reports where they differ
/// from the image's; empty if they do not. Only then may `HostContents::memory` be loaded: Vulkan leaves it to the
/// driver which bytes MEMCPY moves, and some drivers give rows.
std::string why_not_memory(Context& context, HostImage& image, const ConvertBuffers& buffers);

/// All texels, as rows. They are read by the queue, since a CPU takes minutes to read a card's memory; if the queue
/// does nothing, as in drivers without hardware, they are read by the host.
std::vector<std::byte> texels_of(Context& context, const HostImage& image, const ConvertBuffers& buffers);

}  // namespace tilewise::kernels
