// Ways of getting a whole image into one of the device's own.
#pragma once
#include "kernels/convert/convert.h"

namespace tilewise::kernels {

/// The bytes are in the device's memory, or in the host's.
enum class LoadSource { device, host };

/// vkCmdCopyBufferToImage of all levels, from rows: the usual upload.
Job load_rows(Context& context, const std::shared_ptr<const ConvertBuffers>& buffers, const ConvertImage& image,
              LoadSource from);

/// The bytes of the image's memory, as they were kept, copied into the memory of an image of the same kind through a
/// buffer that aliases it. Vulkan leaves undefined what the image then is: the check reads all its texels back. Skipped
/// where no type of memory can hold both.
Job load_memory(Context& context, const std::shared_ptr<const ConvertBuffers>& buffers, const ConvertImage& image,
                LoadSource from);

/// An image of the device that is filled from the host's memory again and again.
enum class LoadMethod {
    /// vkCmdCopyBufferToImage loads them.
    rows,
    /// Rows go to a buffer of the device, and from there by the emitted kernel into the image's memory.
    emitted_kernel,
    /// The image's memory is copied as it is.
    memory,
};
struct LoadedImage;
struct DeleteLoadedImage {
    void operator()(LoadedImage* image) const;
};
using OwnedLoadedImage = std::unique_ptr<LoadedImage, DeleteLoadedImage>;

/// Throws Error where no memory can hold image and buffer.
OwnedLoadedImage create_loaded_image(Context& context, const ConvertImage& image, LoadMethod by);
/// What is to be loaded goes here: rows, or the image's memory.
std::span<std::byte> staging_of(const LoadedImage& image);
/// Waits until the image can be read.
void load(Context& context, const LoadedImage& image);
/// All texels, as rows.
std::vector<std::byte> texels_of(Context& context, const LoadedImage& image, const ConvertBuffers& buffers);

}  // namespace tilewise::kernels
