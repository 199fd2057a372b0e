// Conversion of whole images, with all levels and layers, between rows in one buffer and an image's memory in another:
// by the kernel that Tilewise generates, by a plain one, and by the device's own copies.
#pragma once
#include "kernels/buffer.h"
#include "kernels/job.h"
#include "kernels/shader/compute_pass.h"
#include "patterns/model/image_kind.h"
#include "patterns/snippet/convert_kernel.h"

namespace tilewise::kernels {

/// An image to convert, in host memory: both representations, and the data that they must hold.
struct ConvertImage : ImageShape {
    /// For example "BC7_UNORM_BLOCK 4096x4096, 13 levels".
    std::string name;
    VkFormat format = VK_FORMAT_UNDEFINED;
    /// Ordered by level.
    std::vector<ConvertPart> parts;
    std::vector<std::byte> rows, memory;
};
/// Random rows, and the memory that tile() makes from them; bytes between the elements are zero.
ConvertImage make_convert_image(std::string name, std::vector<ConvertPart> parts);

/// The buffers that an image's jobs share; `from` and `to` are rows and memory, or the reverse.
struct ConvertBuffers {
    DeviceBuffer rows, memory;
};
std::shared_ptr<const ConvertBuffers> create_convert_buffers(Context& context, const ConvertImage& image);

/// What a job produces, and where: the memory's bytes, the rows, or the rows in the memory's buffer.
enum class ConvertResult { memory, rows, rows_in_memory };

struct ConvertJob {
    std::shared_ptr<const ConvertBuffers> buffers;
    std::string method;
    ConvertResult gives = ConvertResult::memory;
    uint32_t invocations = 0;
    Record record;
    /// Runs instead of `record` if that leaves its result elsewhere.
    Record check = {};
};

/// These jobs refer to the image, which must outlive them.
Job convert_job(Context& context, const ConvertImage& image, ConvertJob how);
/// `from_to` are the kernel's two buffers. The request's language must be GLSL.
ComputePass create_emitted_pass(Context& context, const ConvertRequest& request, std::vector<VkBuffer> from_to);
Job emitted_convert(Context& context, const std::shared_ptr<const ConvertBuffers>& buffers, const ConvertImage& image,
                    ConvertRequest request);
/// One invocation per element, 16x16 in row order, one dispatch per level.
Job per_element_convert(Context& context, const std::shared_ptr<const ConvertBuffers>& buffers,
                        const ConvertImage& image, ConvertDirection direction);
/// A shader copies as many bytes as the rows have from one buffer to the other: the speed of memory.
Job plain_copy(Context& context, const std::shared_ptr<const ConvertBuffers>& buffers, const ConvertImage& image);

}  // namespace tilewise::kernels
