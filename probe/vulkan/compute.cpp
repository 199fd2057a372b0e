#include "probe/vulkan/compute.h"
#include <algorithm>
#include <string_view>
#include <vector>

namespace tilewise::vulkan {

namespace {

/// The drivers' names for registers: NVIDIA, RADV, NVK, Turnip, Honeykrisp.
constexpr std::array<std::string_view, 5> register_names = {"Register Count", "VGPRs", "Number of GPRs",
                                                            "Registers used", "GPRs"};

std::optional<uint32_t> register_count(const VkPipelineExecutableStatisticKHR& statistic) {
    if (std::ranges::count(register_names, std::string_view(statistic.name)) == 0) return {};
    if (statistic.format == VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR)
        return static_cast<uint32_t>(statistic.value.u64);
    if (statistic.format == VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR)
        return static_cast<uint32_t>(statistic.value.i64);
    return {};
}

/// The largest count among all executables to which the pipeline was compiled.
std::optional<uint32_t> registers_of(const Device& device, VkPipeline pipeline) {
    VkPipelineInfoKHR info = {VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR};
    info.pipeline = pipeline;
    uint32_t executables = 0;
    check(vkGetPipelineExecutablePropertiesKHR(device.handle, &info, &executables, nullptr),
          "vkGetPipelineExecutablePropertiesKHR");
    std::optional<uint32_t> registers;
    for (uint32_t i = 0; i < executables; ++i) {
        VkPipelineExecutableInfoKHR executable = {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR};
        executable.pipeline = pipeline;
        executable.executableIndex = i;
        uint32_t count = 0;
        check(vkGetPipelineExecutableStatisticsKHR(device.handle, &executable, &count, nullptr),
              "vkGetPipelineExecutableStatisticsKHR");
        std::vector<VkPipelineExecutableStatisticKHR> statistics(
            count, {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR, nullptr, {}, {}, {}, {}});
        check(vkGetPipelineExecutableStatisticsKHR(device.handle, &executable, &count, statistics.data()),
              "vkGetPipelineExecutableStatisticsKHR");
        for (const VkPipelineExecutableStatisticKHR& statistic : statistics)
            if (const auto found = register_count(statistic)) registers = std::max(registers.value_or(0), *found);
    }
    return registers;
}

}  // namespace

void create_compute(const Device& device, const ComputeShader& shader, Compute& compute) {
    compute = {};
    create_bindings(device, {shader.buffers, shader.images, shader.textures, shader.push_bytes}, compute.bindings);
    const OwnedShaderModule module = create_shader_module(device, shader.spirv);

    std::vector<VkSpecializationMapEntry> entries(shader.constants.size());
    for (uint32_t i = 0; i < entries.size(); ++i) entries[i] = {i, i * 4, 4};
    VkSpecializationInfo constants = {};
    constants.mapEntryCount = static_cast<uint32_t>(entries.size());
    constants.pMapEntries = entries.data();
    constants.dataSize = shader.constants.size_bytes();
    constants.pData = shader.constants.data();

    VkComputePipelineCreateInfo pipeline = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    pipeline.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    pipeline.stage.module = module.handle;
    pipeline.stage.pName = shader.entry;
    pipeline.stage.pSpecializationInfo = &constants;
    pipeline.layout = compute.bindings.layout.handle;
    const bool statistics = shader.statistics && device.traits.pipeline_statistics;
    if (statistics) pipeline.flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
    VkPipeline handle = VK_NULL_HANDLE;
    check(vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &pipeline, nullptr, &handle),
          "vkCreateComputePipelines");
    compute.pipeline = {device.handle, handle};
    if (statistics) compute.registers = registers_of(device, handle);
}

void dispatch(VkCommandBuffer commands, const Compute& compute, std::array<uint32_t, 3> groups,
              std::span<const std::byte> push) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.pipeline.handle);
    use_bindings(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.bindings, push);
    vkCmdDispatch(commands, groups[0], groups[1], groups[2]);
}

void run_compute(const Device& device, const Commands& commands, const Compute& compute, std::array<uint32_t, 3> groups,
                 std::span<const std::byte> push) {
    run_commands(device, commands, [&](VkCommandBuffer buffer) {
        dispatch(buffer, compute, groups, push);
        host_barrier(buffer);
    });
}

}  // namespace tilewise::vulkan
