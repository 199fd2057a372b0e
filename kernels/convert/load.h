// Methods for loading a whole image into a device image.
#pragma once
#include "kernels/convert/convert.h"

namespace tilewise::kernels {

/// Whether the bytes are in the device's memory or in the host's.
enum class LoadSource { device, host };

/// vkCmdCopyBufferToImage of all levels, from rows: the usual upload.
Job load_rows(Context& context, const std::shared_ptr<const ConvertBuffers>& buffers, const ConvertImage& image,
              LoadSource from);

/// The bytes of the image's memory, as they were saved, are copied into the memory of an image of the same kind through
/// a buffer that aliases it. Vulkan leaves the image's contents undefined after that, so the check reads all its texels
/// back. Skipped if no memory type can hold both.
Job load_memory(Context& context, const std::shared_ptr<const ConvertBuffers>& buffers, const ConvertImage& image,
                LoadSource from);

/// How a device image is filled from the host's memory repeatedly.
enum class LoadMethod {
    /// By vkCmdCopyBufferToImage.
    rows,
    /// Rows are copied to a device buffer; from there, the emitted kernel writes the image's memory.
    emitted_kernel,
    /// The image's memory is copied unchanged.
    memory,
};
struct LoadedImage;
struct DeleteLoadedImage {
    void operator()(LoadedImage* image) const;
};
using OwnedLoadedImage = std::unique_ptr<LoadedImage, DeleteLoadedImage>;

/// Throws Error if no memory can hold both image and buffer.
OwnedLoadedImage create_loaded_image(Context& context, const ConvertImage& image, LoadMethod by);
/// The place for the data to load: rows, or the image's memory.
std::span<std::byte> staging_of(const LoadedImage& image);
/// Waits until the image can be read.
void load(Context& context, const LoadedImage& image);
/// All texels, as rows.
std::vector<std::byte> texels_of(Context& context, const LoadedImage& image, const ConvertBuffers& buffers);

}  // namespace tilewise::kernels
