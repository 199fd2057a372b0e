// The device that kernels run on, and what they must know about it.
#pragma once
#include "probe/vulkan/commands.h"
#include <memory>

namespace tilewise::kernels {

struct VariantCache;

/// Limits for workgroups.
struct WorkgroupLimits {
    /// Bytes of shared memory that a workgroup may have.
    uint32_t shared_bytes = 0;
    /// Invocations that a workgroup may have, in total and along x.
    uint32_t max_invocations = 0;
    /// Multiprocessors, compute units or shader cores; 0 if the driver does not report them.
    uint32_t multiprocessors = 0;
};

struct Context : WorkgroupLimits {
    vulkan::Device device;
    vulkan::Commands commands;
    /// Its queue can also draw.
    bool graphics = false;
    /// Valid bits of a timestamp; 0 if the queue has no timestamps.
    uint32_t timestamp_bits = 0;
    /// Nanoseconds per tick.
    double timestamp_ns = 0;
    /// 0 if compute shaders have no subgroup arithmetic and shuffles.
    uint32_t subgroup_size = 0;
    /// The iterations that one invocation may take in all its loops together. Beyond them, llvmpipe ends the loops
    /// silently, and the result is wrong (LP_MAX_TGSI_LOOP_ITERATIONS in Mesa's lp_bld_limits.h).
    uint64_t max_loop_iterations = UINT64_MAX;
    /// Both samplers clamp to the edge.
    vulkan::Owned<VkSampler, &vkDestroySampler> nearest, bilinear;
    /// Without a cache, every variant is compiled.
    std::shared_ptr<VariantCache> variants = {};
};

/// Throws Error if the device has no queue for compute shaders.
void open_context(Context& context, VkPhysicalDevice physical, vulkan::Features features = vulkan::Features::own);

/// The first device-local type whose bit is set in `allowed`; otherwise the first of the allowed types.
uint32_t device_memory_type(const Context& context, uint32_t allowed);

}  // namespace tilewise::kernels
