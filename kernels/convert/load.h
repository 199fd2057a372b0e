// Ways of getting a whole image into one of the device's own.
#pragma once
#include "kernels/convert/convert.h"
#include <optional>

namespace tilewise::kernels {

enum class LoadFrom { device, host };  ///< where the bytes are: in the device's memory, or in the host's

/// vkCmdCopyBufferToImage of all levels, from rows: the usual upload.
Job load_rows(Context& context, const std::shared_ptr<const ConvertBuffers>& buffers, const ConvertImage& image,
              LoadFrom from);

/// The bytes of the image's memory, as they were kept, copied into the memory of an image of the same kind through a buffer
/// that aliases it. Vulkan leaves undefined what the image then is: the check reads all its texels back. Skipped where no
/// type of memory can hold both.
Job load_memory(Context& context, const std::shared_ptr<const ConvertBuffers>& buffers, const ConvertImage& image,
                LoadFrom from);

/// Median seconds of vkCopyMemoryToImage of all levels, by the host's clock; none where the device does not offer it.
std::optional<double> host_copy_seconds(Context& context, const ConvertImage& image, int times);

}  // namespace tilewise::kernels
