#include "kernels/try/scene.h"
#include "kernels/image/texture.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "probe/vulkan/bindings.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace tilewise::kernels {

using vulkan::check;

uint64_t bytes_of(const Scene& scene) {
    uint64_t bytes = 0;
    for (const SceneImage& image : scene.images) bytes += image.initial.size();
    for (const SceneBuffer& buffer : scene.buffers) bytes += buffer.initial.size();
    return bytes;
}

namespace {

uint32_t halved(uint32_t side, uint32_t level) { return std::max(side >> level, 1u); }

VkDescriptorType descriptor_type(ResourceKind kind) {
    switch (kind) {
        case ResourceKind::storage_image:
            return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
        case ResourceKind::sampled_image:
            return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
        case ResourceKind::combined_image:
            return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
        case ResourceKind::sampler:
            return VK_DESCRIPTOR_TYPE_SAMPLER;
        case ResourceKind::uniform_buffer:
            return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
        case ResourceKind::storage_buffer:
            return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    }
    return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

struct DeviceImage {
    vulkan::OwnedImage image;
    vulkan::Memory memory;
    std::vector<vulkan::OwnedImageView> views;
    std::vector<VkBufferImageCopy> regions;
};
struct HeldBuffer {
    vulkan::OwnedBuffer handle;
    vulkan::Memory memory;
};

std::vector<VkBufferImageCopy> regions_of(const SceneImage& image) {
    std::vector<VkBufferImageCopy> regions;
    VkDeviceSize offset = 0;
    for (uint32_t level = 0; level < image.levels; ++level) {
        VkBufferImageCopy region = {};
        region.bufferOffset = offset;
        region.imageSubresource = {image.aspect, level, 0, image.layers};
        region.imageExtent = {halved(image.size[0], level), halved(image.size[1], level), halved(image.size[2], level)};
        offset += VkDeviceSize{region.imageExtent.width} * region.imageExtent.height * region.imageExtent.depth *
                  image.layers * image.texel_bytes;
        regions.push_back(region);
    }
    return regions;
}

DeviceImage create_image(Context& context, const SceneImage& wanted) {
    const vulkan::Device& device = context.device;
    VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = wanted.type;
    info.format = wanted.format;
    info.extent = {wanted.size[0], wanted.size[1], wanted.size[2]};
    info.mipLevels = wanted.levels;
    info.arrayLayers = wanted.layers;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.tiling = VK_IMAGE_TILING_OPTIMAL;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    if (wanted.is_sampled) info.usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
    if (wanted.is_storage) info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
    VkImageFormatProperties limits = {};
    const VkResult offered = vkGetPhysicalDeviceImageFormatProperties(device.physical, info.format, info.imageType,
                                                                      info.tiling, info.usage, info.flags, &limits);
    const char* name = device.traits.properties.deviceName;
    if (offered == VK_ERROR_FORMAT_NOT_SUPPORTED)
        throw Error(fmt::format("{} cannot use {} as the shader does ({}{}{}): give it another --format", name,
                                printable(wanted.name, 100), wanted.is_sampled ? "sampled" : "",
                                wanted.is_sampled && wanted.is_storage ? " and " : "",
                                wanted.is_storage ? "storage" : ""));
    check(offered, "vkGetPhysicalDeviceImageFormatProperties");
    if (info.extent.width > limits.maxExtent.width || info.extent.height > limits.maxExtent.height ||
        info.extent.depth > limits.maxExtent.depth || info.arrayLayers > limits.maxArrayLayers ||
        info.mipLevels > limits.maxMipLevels)
        throw Error(fmt::format("{} allows images of the format of {} up to {}x{}x{}, {} layers and {} levels", name,
                                printable(wanted.name, 100), limits.maxExtent.width, limits.maxExtent.height,
                                limits.maxExtent.depth, limits.maxArrayLayers, limits.maxMipLevels));
    DeviceImage made;
    VkImage handle = VK_NULL_HANDLE;
    check(vkCreateImage(device.handle, &info, nullptr, &handle), "vkCreateImage");
    made.image = {device.handle, handle};
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device.handle, handle, &needs);
    vulkan::reserve_memory(device, made.memory, device_memory_type(context, needs.memoryTypeBits), needs.size, handle);
    check(vkBindImageMemory(device.handle, handle, made.memory.handle.handle, 0), "vkBindImageMemory");
    made.regions = regions_of(wanted);
    return made;
}

HeldBuffer create_buffer(Context& context, const SceneBuffer& wanted) {
    const vulkan::Device& device = context.device;
    const VkPhysicalDeviceLimits& limits = device.traits.properties.limits;
    const VkDeviceSize limit = wanted.is_uniform ? limits.maxUniformBufferRange : limits.maxStorageBufferRange;
    if (wanted.initial.size() > limit)
        throw Error(fmt::format("{} allows {} buffers of up to {} bytes, and {} has {}",
                                device.traits.properties.deviceName, wanted.is_uniform ? "uniform" : "storage", limit,
                                printable(wanted.name, 100), wanted.initial.size()));
    HeldBuffer made;
    made.handle = vulkan::create_buffer(
        device, wanted.initial.size(),
        (wanted.is_uniform ? VkBufferUsageFlags{VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT} : 0u) |
            VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device.handle, made.handle.handle, &needs);
    vulkan::reserve_memory(device, made.memory, device_memory_type(context, needs.memoryTypeBits), needs.size);
    check(vkBindBufferMemory(device.handle, made.handle.handle, made.memory.handle.handle, 0), "vkBindBufferMemory");
    return made;
}

}  // namespace

struct SceneOnDevice::Pipeline {
    vulkan::OwnedPipeline pipeline;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    std::vector<VkDescriptorSet> sets;
    std::vector<std::byte> push;
    std::array<uint32_t, 3> groups = {1, 1, 1};
};

namespace {

struct PassLayout {
    std::vector<vulkan::OwnedSetLayout> set_layouts;
    vulkan::OwnedDescriptorPool pool;
    vulkan::OwnedPipelineLayout layout;
    std::vector<VkDescriptorSet> sets;
};

void record_pass(VkCommandBuffer commands, const SceneOnDevice::Pipeline& pass);

}  // namespace

struct SceneOnDevice::State {
    Context& context;
    const Scene& scene;
    std::vector<DeviceImage> images;
    std::vector<HeldBuffer> buffers;
    /// The initial bytes of whatever is written, and the buffers from which results are read.
    std::vector<vulkan::HostBuffer> initial, results;
    std::vector<PassLayout> layouts;
    /// The scene's own passes; a varied pass is created by its caller.
    std::vector<std::shared_ptr<const Pipeline>> own;
};

namespace {

/// Vulkan forbids linear filtering of formats for which the device does not offer it: integers, and often depth.
bool is_filtered(const Context& context, VkFormat format) {
    VkFormatProperties properties = {};
    vkGetPhysicalDeviceFormatProperties(context.device.physical, format, &properties);
    return properties.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
}

vulkan::OwnedImageView create_view(const Context& context, const SceneImage& image, VkImage handle,
                                   const SceneBinding& binding, std::optional<uint32_t> level) {
    VkImageViewCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    info.image = handle;
    info.viewType = binding.is_3d                         ? VK_IMAGE_VIEW_TYPE_3D
                    : binding.is_1d && binding.is_arrayed ? VK_IMAGE_VIEW_TYPE_1D_ARRAY
                    : binding.is_1d                       ? VK_IMAGE_VIEW_TYPE_1D
                    : binding.is_arrayed                  ? VK_IMAGE_VIEW_TYPE_2D_ARRAY
                                                          : VK_IMAGE_VIEW_TYPE_2D;
    info.format = image.format;
    if (!level && binding.kind == ResourceKind::storage_image) level = 0;
    info.subresourceRange = {image.aspect, level.value_or(0), level ? 1 : image.levels, 0,
                             binding.is_arrayed ? image.layers : 1};
    VkImageView view = VK_NULL_HANDLE;
    check(vkCreateImageView(context.device.handle, &info, nullptr, &view), "vkCreateImageView");
    return {context.device.handle, view};
}

void record_pass(VkCommandBuffer commands, const SceneOnDevice::Pipeline& pass) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pass.pipeline.handle);
    if (!pass.sets.empty())
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pass.layout, 0,
                                static_cast<uint32_t>(pass.sets.size()), pass.sets.data(), 0, nullptr);
    if (!pass.push.empty())
        vkCmdPushConstants(commands, pass.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                           static_cast<uint32_t>(pass.push.size()), pass.push.data());
    vkCmdDispatch(commands, pass.groups[0], pass.groups[1], pass.groups[2]);
}

PassLayout create_layout(const Context& context, const ScenePass& pass) {
    const VkDevice device = context.device.handle;
    uint32_t sets = 0;
    std::map<VkDescriptorType, uint32_t> counts;
    for (const SceneBinding& binding : pass.bindings) {
        sets = std::max(sets, binding.set + 1);
        counts[descriptor_type(binding.kind)] += static_cast<uint32_t>(binding.resources.size());
    }
    PassLayout made;
    std::vector<VkDescriptorSetLayout> handles;
    for (uint32_t set = 0; set < sets; ++set) {
        std::vector<VkDescriptorSetLayoutBinding> bindings;
        for (const SceneBinding& binding : pass.bindings)
            if (binding.set == set)
                bindings.push_back({binding.binding, descriptor_type(binding.kind),
                                    static_cast<uint32_t>(binding.resources.size()), VK_SHADER_STAGE_COMPUTE_BIT,
                                    nullptr});
        VkDescriptorSetLayoutCreateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
        info.bindingCount = static_cast<uint32_t>(bindings.size());
        info.pBindings = bindings.data();
        VkDescriptorSetLayout handle = VK_NULL_HANDLE;
        check(vkCreateDescriptorSetLayout(device, &info, nullptr, &handle), "vkCreateDescriptorSetLayout");
        made.set_layouts.emplace_back(device, handle);
        handles.push_back(handle);
    }
    VkPipelineLayoutCreateInfo info = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = sets;
    info.pSetLayouts = handles.data();
    const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, static_cast<uint32_t>(pass.push.size())};
    info.pushConstantRangeCount = pass.push.empty() ? 0 : 1;
    info.pPushConstantRanges = &push;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    check(vkCreatePipelineLayout(device, &info, nullptr, &layout), "vkCreatePipelineLayout");
    made.layout = {device, layout};
    if (sets == 0) return made;
    std::vector<VkDescriptorPoolSize> sizes;
    sizes.reserve(counts.size());
    for (const auto& [type, count] : counts) sizes.push_back({type, count});
    VkDescriptorPoolCreateInfo pool = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    pool.maxSets = sets;
    pool.poolSizeCount = static_cast<uint32_t>(sizes.size());
    pool.pPoolSizes = sizes.data();
    VkDescriptorPool pool_handle = VK_NULL_HANDLE;
    check(vkCreateDescriptorPool(device, &pool, nullptr, &pool_handle), "vkCreateDescriptorPool");
    made.pool = {device, pool_handle};
    VkDescriptorSetAllocateInfo allocate = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    allocate.descriptorPool = pool_handle;
    allocate.descriptorSetCount = sets;
    allocate.pSetLayouts = handles.data();
    made.sets.resize(sets);
    check(vkAllocateDescriptorSets(device, &allocate, made.sets.data()), "vkAllocateDescriptorSets");
    return made;
}

void require_within_limits(const Context& context, const Scene& scene) {
    const VkPhysicalDeviceLimits& limits = context.device.traits.properties.limits;
    for (const ScenePass& pass : scene.passes) {
        if (pass.push.size() > limits.maxPushConstantsSize)
            throw Error(fmt::format("{}: has {} bytes of push constants, of which the device allows {}",
                                    printable(pass.name, 200), pass.push.size(), limits.maxPushConstantsSize));
        for (const SceneBinding& binding : pass.bindings)
            if (binding.set >= limits.maxBoundDescriptorSets)
                throw Error(fmt::format("{}: uses set {}, and the device has {}", printable(pass.name, 200),
                                        binding.set, limits.maxBoundDescriptorSets));
    }
}

}  // namespace

SceneOnDevice::SceneOnDevice(Context& context, const Scene& scene)
    : state_(new State{context, scene, {}, {}, {}, {}, {}, {}}) {
    require_within_limits(context, scene);
    const vulkan::Device& device = context.device;
    for (const SceneImage& image : scene.images) state_->images.push_back(create_image(context, image));
    for (const SceneBuffer& buffer : scene.buffers) state_->buffers.push_back(create_buffer(context, buffer));
    const auto staged = [&](const std::vector<std::byte>& bytes) {
        vulkan::HostBuffer staging;
        vulkan::reserve_buffer(device, staging, std::max<size_t>(bytes.size(), 4),
                               VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, 0);
        if (!bytes.empty()) std::memcpy(staging.memory.map, bytes.data(), bytes.size());
        vulkan::flush(device, staging.memory);
        return staging;
    };
    for (size_t i = 0; i < scene.images.size(); ++i) {
        const vulkan::HostBuffer staging = staged(scene.images[i].initial);
        const DeviceImage& image = state_->images[i];
        vulkan::run_commands(device, context.commands, [&](VkCommandBuffer commands) {
            vulkan::image_barrier(commands, image.image.handle, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL,
                                  scene.images[i].aspect);
            vulkan::full_barrier(commands);
            vkCmdCopyBufferToImage(commands, staging.handle.handle, image.image.handle, VK_IMAGE_LAYOUT_GENERAL,
                                   static_cast<uint32_t>(image.regions.size()), image.regions.data());
            vulkan::full_barrier(commands);
        });
    }
    for (size_t i = 0; i < scene.buffers.size(); ++i) {
        const vulkan::HostBuffer staging = staged(scene.buffers[i].initial);
        const VkBufferCopy region = {0, 0, scene.buffers[i].initial.size()};
        vulkan::run_commands(device, context.commands, [&](VkCommandBuffer commands) {
            vkCmdCopyBuffer(commands, staging.handle.handle, state_->buffers[i].handle.handle, 1, &region);
            vulkan::full_barrier(commands);
        });
    }
    const auto keep = [&](const std::vector<std::byte>& bytes) {
        state_->initial.push_back(staged(bytes));
        vulkan::HostBuffer result;
        vulkan::reserve_buffer(device, result, std::max<size_t>(bytes.size(), 4), VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                               VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
        state_->results.push_back(std::move(result));
    };
    for (const size_t i : scene.written_images) keep(scene.images[i].initial);
    for (const size_t i : scene.written_buffers) keep(scene.buffers[i].initial);

    for (const ScenePass& pass : scene.passes) {
        state_->layouts.push_back(create_layout(context, pass));
        const PassLayout& layout = state_->layouts.back();
        for (const SceneBinding& binding : pass.bindings) {
            std::vector<VkDescriptorImageInfo> images;
            std::vector<VkDescriptorBufferInfo> buffers;
            for (const SceneResource& resource : binding.resources) {
                if (is_image(binding.kind)) {
                    DeviceImage& image = state_->images[resource.place];
                    const bool is_linear = binding.sampler == SceneResource::Kind::linear_sampler &&
                                           is_filtered(context, scene.images[resource.place].format);
                    image.views.push_back(create_view(context, scene.images[resource.place], image.image.handle,
                                                      binding, resource.level));
                    images.push_back({is_linear ? context.bilinear.handle : context.nearest.handle,
                                      image.views.back().handle, VK_IMAGE_LAYOUT_GENERAL});
                } else if (binding.kind == ResourceKind::sampler) {
                    const bool is_linear = resource.kind == SceneResource::Kind::linear_sampler;
                    images.push_back({is_linear ? context.bilinear.handle : context.nearest.handle, VK_NULL_HANDLE,
                                      VK_IMAGE_LAYOUT_UNDEFINED});
                } else {
                    buffers.push_back({state_->buffers[resource.place].handle.handle, 0, VK_WHOLE_SIZE});
                }
            }
            VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
            write.dstSet = layout.sets[binding.set];
            write.dstBinding = binding.binding;
            write.descriptorCount = static_cast<uint32_t>(binding.resources.size());
            write.descriptorType = descriptor_type(binding.kind);
            write.pImageInfo = images.data();
            write.pBufferInfo = buffers.data();
            vkUpdateDescriptorSets(device.handle, 1, &write, 0, nullptr);
        }
    }
    state_->own.resize(scene.passes.size());
}

SceneOnDevice::~SceneOnDevice() = default;

std::shared_ptr<const SceneOnDevice::Pipeline> SceneOnDevice::make_pipeline(
    size_t pass, std::span<const uint32_t> spirv, std::array<uint32_t, 3> groups,
    const std::map<uint32_t, std::pair<uint32_t, uint64_t>>& constants) {
    const Context& context = state_->context;
    const VkPhysicalDeviceLimits& limits = context.device.traits.properties.limits;
    for (size_t i = 0; i < 3; ++i)
        if (groups[i] > limits.maxComputeWorkGroupCount[i])
            throw Error(fmt::format("{} workgroups along an axis, of which the device allows {}", groups[i],
                                    limits.maxComputeWorkGroupCount[i]));
    const vulkan::OwnedShaderModule module = vulkan::create_shader_module(context.device, spirv);
    std::vector<VkSpecializationMapEntry> entries;
    std::vector<uint64_t> data;
    for (const auto& [id, value] : constants) {
        entries.push_back({id, static_cast<uint32_t>(data.size() * sizeof(uint64_t)), value.first});
        data.push_back(value.second);
    }
    VkSpecializationInfo specialization = {static_cast<uint32_t>(entries.size()), entries.data(),
                                           data.size() * sizeof(uint64_t), data.data()};
    VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module.handle;
    info.stage.pName = state_->scene.passes[pass].entry.c_str();
    info.stage.pSpecializationInfo = &specialization;
    info.layout = state_->layouts[pass].layout.handle;
    VkPipeline handle = VK_NULL_HANDLE;
    check(vkCreateComputePipelines(context.device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &handle),
          "vkCreateComputePipelines");
    auto made = std::make_shared<Pipeline>();
    made->pipeline = {context.device.handle, handle};
    made->layout = info.layout;
    made->sets = state_->layouts[pass].sets;
    made->push = state_->scene.passes[pass].push;
    made->groups = groups;
    return made;
}

void SceneOnDevice::record(VkCommandBuffer commands, size_t varied_pass, const Pipeline& varied) const {
    for (size_t i = 0; i < state_->scene.passes.size(); ++i) {
        if (i > 0) vulkan::full_barrier(commands);
        record_pass(commands, i == varied_pass ? varied : *state_->own[i]);
    }
}

void SceneOnDevice::record_reset(VkCommandBuffer commands) const {
    size_t place = 0;
    vulkan::full_barrier(commands);
    for (const size_t i : state_->scene.written_images) {
        const DeviceImage& image = state_->images[i];
        vkCmdCopyBufferToImage(commands, state_->initial[place++].handle.handle, image.image.handle,
                               VK_IMAGE_LAYOUT_GENERAL, static_cast<uint32_t>(image.regions.size()),
                               image.regions.data());
    }
    for (const size_t i : state_->scene.written_buffers) {
        const VkBufferCopy region = {0, 0, state_->scene.buffers[i].initial.size()};
        vkCmdCopyBuffer(commands, state_->initial[place++].handle.handle, state_->buffers[i].handle.handle, 1, &region);
    }
    vulkan::full_barrier(commands);
}

SceneResults SceneOnDevice::run(size_t varied_pass, const Pipeline& varied) {
    const Context& context = state_->context;
    const Scene& scene = state_->scene;
    for (size_t i = 0; i < scene.passes.size(); ++i)
        if (i != varied_pass && !state_->own[i])
            state_->own[i] = make_pipeline(i, scene.passes[i].spirv, scene.passes[i].groups, scene.passes[i].constants);
    vulkan::run_commands(context.device, context.commands, [&](VkCommandBuffer commands) {
        record_reset(commands);
        record(commands, varied_pass, varied);
        vulkan::full_barrier(commands);
        size_t place = 0;
        for (const size_t i : scene.written_images) {
            const DeviceImage& image = state_->images[i];
            vkCmdCopyImageToBuffer(commands, image.image.handle, VK_IMAGE_LAYOUT_GENERAL,
                                   state_->results[place++].handle.handle, static_cast<uint32_t>(image.regions.size()),
                                   image.regions.data());
        }
        for (const size_t i : scene.written_buffers) {
            const VkBufferCopy region = {0, 0, scene.buffers[i].initial.size()};
            vkCmdCopyBuffer(commands, state_->buffers[i].handle.handle, state_->results[place++].handle.handle, 1,
                            &region);
        }
        vulkan::host_barrier(commands);
    });
    SceneResults results;
    const auto take = [&](size_t bytes) {
        const vulkan::HostBuffer& from = state_->results[results.size()];
        vulkan::invalidate(context.device, from.memory);
        results.emplace_back(from.memory.map, from.memory.map + bytes);
    };
    for (const size_t i : scene.written_images) take(scene.images[i].initial.size());
    for (const size_t i : scene.written_buffers) take(scene.buffers[i].initial.size());
    return results;
}

namespace {

/// The place of byte `at`.
std::string place_text(const SceneImage& image, size_t at) {
    size_t first = 0;
    for (uint32_t level = 0; level < image.levels; ++level) {
        const size_t width = halved(image.size[0], level), height = halved(image.size[1], level),
                     depth = halved(image.size[2], level);
        const size_t bytes = width * height * depth * image.layers * image.texel_bytes;
        if (at < first + bytes) {
            const size_t texel = (at - first) / image.texel_bytes;
            std::string text =
                fmt::format("{}, texel ({}, {}", printable(image.name, 100), texel % width, texel / width % height);
            if (depth * image.layers > 1) text += fmt::format(", {}", texel / (width * height));
            text += ")";
            if (level > 0) text += fmt::format(" of level {}", level);
            return text;
        }
        first += bytes;
    }
    return printable(image.name, 100);
}

/// The first byte of a number that differs by more than allowed; none if all are close enough.
std::optional<size_t> far_float(const std::vector<std::byte>& a, const std::vector<std::byte>& b, double relative) {
    for (size_t at = 0; at + sizeof(float) <= a.size(); at += sizeof(float)) {
        float x = 0, y = 0;
        std::memcpy(&x, a.data() + at, sizeof x);
        std::memcpy(&y, b.data() + at, sizeof y);
        if (std::bit_cast<uint32_t>(x) == std::bit_cast<uint32_t>(y)) continue;
        if (!(std::abs(double{x} - double{y}) <= relative * std::max(std::abs(double{x}), std::abs(double{y}))))
            return at;
    }
    return std::nullopt;
}

}  // namespace

std::string SceneOnDevice::difference(const SceneResults& expected, const SceneResults& got, double relative) const {
    const Scene& scene = state_->scene;
    for (size_t place = 0; place < expected.size(); ++place) {
        const auto mismatch = std::ranges::mismatch(expected[place], got[place]);
        if (mismatch.in1 == expected[place].end()) continue;
        const auto at = static_cast<size_t>(mismatch.in1 - expected[place].begin());
        if (place < scene.written_images.size()) return place_text(scene.images[scene.written_images[place]], at);
        const size_t buffer = scene.written_buffers[place - scene.written_images.size()];
        std::optional<size_t> byte = at;
        if (scene.float_sum_buffers.contains(buffer)) byte = far_float(expected[place], got[place], relative);
        if (byte) return fmt::format("{}, byte {}", printable(scene.buffers[buffer].name, 100), *byte);
    }
    return {};
}

namespace {

struct Offered {
    VkPhysicalDeviceFeatures2 core = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    VkPhysicalDeviceVulkan11Features v11 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
    VkPhysicalDeviceVulkan12Features v12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceSubgroupProperties subgroup = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    bool atomic_float_add = false;
};

Offered offered_by(const vulkan::Device& device) {
    Offered offered;
    if (device.traits.properties.apiVersion >= VK_API_VERSION_1_2) {
        offered.core.pNext = &offered.v11;
        offered.v11.pNext = &offered.v12;
    }
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomics = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT};
    if (device.traits.has(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME)) {
        atomics.pNext = offered.core.pNext;
        offered.core.pNext = &atomics;
    }
    vkGetPhysicalDeviceFeatures2(device.physical, &offered.core);
    offered.atomic_float_add = atomics.shaderBufferFloat32AtomicAdd;
    VkPhysicalDeviceProperties2 properties = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &offered.subgroup};
    vkGetPhysicalDeviceProperties2(device.physical, &properties);
    return offered;
}

/// None if this program does not know the capability.
std::optional<bool> has_capability(const Offered& offered, spv::Capability capability) {
    using C = spv::Capability;
    const VkPhysicalDeviceFeatures& core = offered.core.features;
    const auto subgroups = [&](VkSubgroupFeatureFlags flag) {
        return (offered.subgroup.supportedOperations & flag) != 0 &&
               (offered.subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
    };
    switch (capability) {
        case C::Matrix:
        case C::Shader:
        case C::InputAttachment:
        case C::Sampled1D:
        case C::Image1D:
        case C::SampledBuffer:
        case C::ImageBuffer:
        case C::ImageQuery:
        case C::DerivativeControl:
            return true;
        case C::Float64:
            return core.shaderFloat64;
        case C::Int64:
            return core.shaderInt64;
        case C::Int16:
            return core.shaderInt16;
        case C::Int64Atomics:
            return offered.v12.shaderBufferInt64Atomics;
        case C::Float16:
            return offered.v12.shaderFloat16;
        case C::Int8:
            return offered.v12.shaderInt8;
        case C::ImageGatherExtended:
            return core.shaderImageGatherExtended;
        case C::StorageImageReadWithoutFormat:
            return core.shaderStorageImageReadWithoutFormat;
        case C::StorageImageWriteWithoutFormat:
            return core.shaderStorageImageWriteWithoutFormat;
        case C::StorageImageExtendedFormats:
            return core.shaderStorageImageExtendedFormats;
        case C::UniformBufferArrayDynamicIndexing:
            return core.shaderUniformBufferArrayDynamicIndexing;
        case C::SampledImageArrayDynamicIndexing:
            return core.shaderSampledImageArrayDynamicIndexing;
        case C::StorageBufferArrayDynamicIndexing:
            return core.shaderStorageBufferArrayDynamicIndexing;
        case C::StorageImageArrayDynamicIndexing:
            return core.shaderStorageImageArrayDynamicIndexing;
        case C::MinLod:
            return core.shaderResourceMinLod;
        case C::StorageBuffer16BitAccess:
            return offered.v11.storageBuffer16BitAccess;
        case C::UniformAndStorageBuffer16BitAccess:
            return offered.v11.uniformAndStorageBuffer16BitAccess;
        case C::StoragePushConstant16:
            return offered.v11.storagePushConstant16;
        case C::VariablePointersStorageBuffer:
            return offered.v11.variablePointersStorageBuffer;
        case C::VariablePointers:
            return offered.v11.variablePointers;
        case C::StorageBuffer8BitAccess:
            return offered.v12.storageBuffer8BitAccess;
        case C::UniformAndStorageBuffer8BitAccess:
            return offered.v12.uniformAndStorageBuffer8BitAccess;
        case C::StoragePushConstant8:
            return offered.v12.storagePushConstant8;
        case C::VulkanMemoryModel:
            return offered.v12.vulkanMemoryModel;
        case C::VulkanMemoryModelDeviceScope:
            return offered.v12.vulkanMemoryModelDeviceScope;
        case C::ShaderNonUniform:
            return offered.v12.descriptorIndexing;
        case C::SampledImageArrayNonUniformIndexing:
            return offered.v12.shaderSampledImageArrayNonUniformIndexing;
        case C::StorageBufferArrayNonUniformIndexing:
            return offered.v12.shaderStorageBufferArrayNonUniformIndexing;
        case C::StorageImageArrayNonUniformIndexing:
            return offered.v12.shaderStorageImageArrayNonUniformIndexing;
        case C::GroupNonUniform:
            return subgroups(VK_SUBGROUP_FEATURE_BASIC_BIT);
        case C::GroupNonUniformVote:
            return subgroups(VK_SUBGROUP_FEATURE_VOTE_BIT);
        case C::GroupNonUniformArithmetic:
            return subgroups(VK_SUBGROUP_FEATURE_ARITHMETIC_BIT);
        case C::GroupNonUniformBallot:
            return subgroups(VK_SUBGROUP_FEATURE_BALLOT_BIT);
        case C::GroupNonUniformShuffle:
            return subgroups(VK_SUBGROUP_FEATURE_SHUFFLE_BIT);
        case C::GroupNonUniformShuffleRelative:
            return subgroups(VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT);
        case C::GroupNonUniformClustered:
            return subgroups(VK_SUBGROUP_FEATURE_CLUSTERED_BIT);
        case C::GroupNonUniformQuad:
            return subgroups(VK_SUBGROUP_FEATURE_QUAD_BIT);
        case C::AtomicFloat32AddEXT:
            return offered.atomic_float_add;
        default:
            return std::nullopt;
    }
}

}  // namespace

std::string why_not_runnable(const Context& context, const ShaderReflection& shader) {
    const Offered offered = offered_by(context.device);
    const char* name = context.device.traits.properties.deviceName;
    const uint32_t api = context.device.traits.properties.apiVersion;
    const uint32_t newest = api >= VK_API_VERSION_1_3   ? 0x00010600
                            : api >= VK_API_VERSION_1_2 ? 0x00010500
                            : api >= VK_API_VERSION_1_1 ? 0x00010300
                                                        : 0x00010000;
    if (shader.version > newest)
        return fmt::format("is SPIR-V 1.{}, and {} takes 1.{}", shader.version >> 8 & 0xff, name, newest >> 8 & 0xff);
    for (const spv::Capability capability : shader.capabilities) {
        const auto has = has_capability(offered, capability);
        if (!has)
            return fmt::format("needs the SPIR-V capability {}, which this program does not switch on",
                               capability_name(capability));
        if (!*has)
            return fmt::format("needs the SPIR-V capability {}, which {} lacks", capability_name(capability), name);
    }
    return {};
}

}  // namespace tilewise::kernels
