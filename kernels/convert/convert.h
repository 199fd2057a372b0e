// Whole images, all levels and layers, between rows in one buffer and an image's memory in another: by the kernel that
// Tilewise writes, by a plain one, and by the device's own copies.
#pragma once
#include "kernels/buffer.h"
#include "kernels/job.h"
#include "kernels/shader/compute_pass.h"
#include "patterns/model/image_kind.h"
#include "patterns/snippet/convert_kernel.h"

namespace tilewise::kernels {

/// An image to convert, in memory: both sides of it, and what they must hold.
struct ConvertImage : ImageShape {
    /// It reads like "BC7_UNORM_BLOCK 4096x4096, 13 levels".
    std::string name;
    VkFormat format = VK_FORMAT_UNDEFINED;
    /// They stand level by level.
    std::vector<ConvertPart> parts;
    std::vector<std::byte> rows, memory;
};
/// Random rows, and the memory that tile() makes of them; what lies between its elements is zero.
ConvertImage make_convert_image(std::string name, std::vector<ConvertPart> parts);

/// The buffers that its jobs share; `from` and `to` are rows and memory, or the other way round.
struct ConvertBuffers {
    DeviceBuffer rows, memory;
};
std::shared_ptr<const ConvertBuffers> create_convert_buffers(Context& context, const ConvertImage& image);

/// What a job leaves, and where: the memory's bytes, the rows', or the rows in the buffer of the memory.
enum class ConvertResult { memory, rows, rows_in_memory };

struct ConvertJob {
    std::shared_ptr<const ConvertBuffers> buffers;
    std::string method;
    ConvertResult gives = ConvertResult::memory;
    uint32_t invocations = 0;
    Record record;
    /// It is run in place of `record` where that leaves its result elsewhere.
    Record check = {};
};

/// These jobs refer to the image, which must outlive them.
Job convert_job(Context& context, const ConvertImage& image, ConvertJob how);
/// `from_to`: the kernel's two buffers. The request's language is GLSL.
ComputePass create_emitted_pass(Context& context, const ConvertRequest& request, std::vector<VkBuffer> from_to);
Job emitted_convert(Context& context, const std::shared_ptr<const ConvertBuffers>& buffers, const ConvertImage& image,
                    ConvertRequest request);
/// An invocation an element, 16x16 in row order, a dispatch a level.
Job per_element_convert(Context& context, const std::shared_ptr<const ConvertBuffers>& buffers,
                        const ConvertImage& image, ConvertDirection direction);
/// As many bytes as the rows have, by a shader, from one buffer to the other: the speed of memory.
Job plain_copy(Context& context, const std::shared_ptr<const ConvertBuffers>& buffers, const ConvertImage& image);

}  // namespace tilewise::kernels
