// The device that kernels run on, and what of it they must know.
#pragma once
#include "probe/vulkan/commands.h"
#include <memory>

namespace tilewise::kernels {

struct VariantCache;

/// What workgroups may be.
struct WorkgroupLimits {
    /// A workgroup may have so many bytes of shared memory.
    uint32_t shared_bytes = 0;
    /// A workgroup may have so many, also along x.
    uint32_t max_invocations = 0;
    /// These may be compute units or shader cores; 0 where the driver does not tell.
    uint32_t multiprocessors = 0;
};

struct Context : WorkgroupLimits {
    vulkan::Device device;
    vulkan::Commands commands;
    /// Its queue can draw, too.
    bool graphics = false;
    /// A timestamp has so many valid bits; 0 where the queue has none.
    uint32_t timestamp_bits = 0;
    /// A tick has so many nanoseconds.
    double timestamp_ns = 0;
    /// It is 0 where compute shaders have no subgroup arithmetic and shuffles.
    uint32_t subgroup_size = 0;
    /// The iterations that one invocation may take in all its loops together: llvmpipe then ends them without a word,
    /// and the result is wrong (LP_MAX_TGSI_LOOP_ITERATIONS in Mesa's lp_bld_limits.h).
    uint64_t max_loop_iterations = UINT64_MAX;
    /// Both samplers clamp to the edge.
    vulkan::Owned<VkSampler, &vkDestroySampler> nearest, bilinear;
    /// Where there is none, every variant is compiled.
    std::shared_ptr<VariantCache> variants = {};
};

/// Throws Error where the device has no queue for compute shaders.
void open_context(Context& context, VkPhysicalDevice physical, vulkan::Features features = vulkan::Features::own);

/// The first device-local type of those whose bit is set in `allowed`; else the first of them.
uint32_t device_memory_type(const Context& context, uint32_t allowed);

}  // namespace tilewise::kernels
