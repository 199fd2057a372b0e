// A digest of an image, computed on the device.
#pragma once
#include "kernels/buffer.h"
#include "kernels/shader/compute_pass.h"

namespace tilewise::kernels {

/// Keeps the image and the buffer that it is bound to.
struct DigestPass {
    std::shared_ptr<const Texture> texture;
    std::shared_ptr<const DeviceBuffer> sums;
    ComputePass pass;
};
constexpr VkDeviceSize digest_bytes = 8;

/// `sums` has `digest_bytes` bytes; several passes may share it.
DigestPass create_digest_pass(Context& context, const std::shared_ptr<const Texture>& texture,
                              const std::shared_ptr<const DeviceBuffer>& sums);

/// A hash of all texels of level 0 and their positions, bit-exact as shaders read them. Two different images have the
/// same digest with a probability of 2^-64.
uint64_t digest(Context& context, const DigestPass& pass);

}  // namespace tilewise::kernels
