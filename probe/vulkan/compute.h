// Compute shaders: a pipeline, its bindings, a dispatch.
#pragma once
#include "probe/vulkan/bindings.h"
#include "probe/vulkan/commands.h"
#include "probe/vulkan/memory.h"
#include <array>
#include <optional>
#include <span>

namespace tilewise::vulkan {

struct ComputeShader {
    std::span<const uint32_t> spirv;
    const char* entry = "main";
    uint32_t buffers = 1;  ///< these four as in BindingCounts
    uint32_t images = 0;
    uint32_t textures = 0;
    uint32_t push_bytes = 0;
    std::span<const uint32_t> constants;  ///< specialization constants 0, 1, ...: 32 bits each
    bool statistics = false;              ///< collect the compiler's statistics, if the device reports them
};

struct Compute {
    Bindings bindings;
    OwnedPipeline pipeline;
    std::optional<uint32_t> registers;  ///< per invocation, in the driver's unit; none: not requested or not reported
};
/// May be called on several threads at once.
void create_compute(const Device& device, const ComputeShader& shader, Compute& compute);

/// Records a dispatch. `push` has as many bytes as the shader's push constants.
void dispatch(VkCommandBuffer commands, const Compute& compute, std::array<uint32_t, 3> groups,
              std::span<const std::byte> push = {});

/// Records a dispatch on its own, runs it and waits: its output can then be read through the buffers' maps.
void run_compute(const Device& device, const Commands& commands, const Compute& compute, std::array<uint32_t, 3> groups,
                 std::span<const std::byte> push = {});

}  // namespace tilewise::vulkan
