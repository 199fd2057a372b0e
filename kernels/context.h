// The device that kernels run on, and what of it they must know.
#pragma once
#include "probe/vulkan/commands.h"
#include <memory>

namespace tilewise::kernels {

struct VariantCache;

struct Context {
    vulkan::Device device;
    vulkan::Commands commands;
    bool graphics = false;         ///< its queue can draw, too
    uint32_t timestamp_bits = 0;   ///< valid bits of a timestamp; 0: the queue has none
    double timestamp_ns = 0;       ///< nanoseconds a tick
    uint32_t subgroup_size = 0;    ///< 0: no subgroup arithmetic and shuffles in compute shaders
    uint32_t shared_bytes = 0;     ///< of shared memory that a workgroup may have
    uint32_t max_invocations = 0;  ///< of a workgroup, and along its x
    uint32_t multiprocessors = 0;  ///< or compute units, shader cores; 0 where the driver does not tell
    /// The iterations that one invocation may take in all its loops together: llvmpipe then ends them without a word,
    /// and the result is wrong (LP_MAX_TGSI_LOOP_ITERATIONS in Mesa's lp_bld_limits.h).
    uint64_t max_loop_iterations = UINT64_MAX;
    vulkan::Owned<VkSampler, &vkDestroySampler> nearest, bilinear;  ///< clamped to the edge
    std::shared_ptr<VariantCache> variants = {};                    ///< none: every variant is compiled
};

/// Throws Error where the device has no queue for compute shaders.
void open_context(Context& context, VkPhysicalDevice physical);

/// The first device-local type of those whose bit is set in `allowed`; else the first of them.
uint32_t device_memory_type(const Context& context, uint32_t allowed);

}  // namespace tilewise::kernels
