#include "probe/invocations/order_shaders.h"
#include "probe/vulkan/compute.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace tilewise::probe {

namespace {

using vulkan::check;

constexpr uint32_t lane_order_by_index[] = {
#include "probe/invocations/lane_order_by_index.inc"
};
constexpr uint32_t lane_order_by_id[] = {
#include "probe/invocations/lane_order_by_id.inc"
};
constexpr uint32_t lane_check_by_index[] = {
#include "probe/invocations/lane_check_by_index.inc"
};
constexpr uint32_t lane_check_by_id[] = {
#include "probe/invocations/lane_check_by_id.inc"
};
constexpr uint32_t start_order[] = {
#include "probe/invocations/launch_order.inc"
};
constexpr uint32_t start_order_clock[] = {
#include "probe/invocations/launch_order_clock.inc"
};
constexpr uint32_t start_order_sm[] = {
#include "probe/invocations/launch_order_sm.inc"
};
constexpr uint32_t start_order_clock_sm[] = {
#include "probe/invocations/launch_order_clock_sm.inc"
};

constexpr uint32_t unwritten = 0xffffffff;

void require_compute(const vulkan::Device& device) {
    if (device.traits.properties.apiVersion < VK_API_VERSION_1_1) throw Error("the device offers Vulkan 1.0 only");
    uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(device.physical, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(device.physical, &count, families.data());
    const auto family = device.traits.queue_family;
    if (!family || !(families[*family].queueFlags & VK_QUEUE_COMPUTE_BIT)) throw Error("no queue that can compute");
}

void require_subgroups(const vulkan::Device& device, bool with_ballot) {
    VkPhysicalDeviceSubgroupProperties subgroup = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &subgroup};
    vkGetPhysicalDeviceProperties2(device.physical, &properties);
    if (!(subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT)) throw Error("no subgroups in compute shaders");
    if (!(subgroup.supportedOperations & VK_SUBGROUP_FEATURE_BASIC_BIT)) throw Error("no basic subgroup operations");
    if (with_ballot && !(subgroup.supportedOperations & VK_SUBGROUP_FEATURE_BALLOT_BIT))
        throw Error("no ballots in subgroups");
}

/// 32x32 texels to store to; the image goes before its memory.
struct Texels {
    vulkan::Memory memory;
    vulkan::OwnedImage image;
    vulkan::OwnedImageView view;
};

void create_texels(const vulkan::Device& device, Texels& texels) {
    Image image;
    image.format = VK_FORMAT_R32_UINT;
    image.extent = {32, 32, 1};
    image.usage = VK_IMAGE_USAGE_STORAGE_BIT;
    texels.image = create_image(device, image);
    const ImageNeeds needs = image_needs(device, texels.image.handle);
    const auto type = static_cast<uint32_t>(std::countr_zero(needs.memory.memoryTypeBits));
    vulkan::reserve_memory(device, texels.memory, type, needs.memory.size,
                           needs.dedicated ? texels.image.handle : VK_NULL_HANDLE);
    check(vkBindImageMemory(device.handle, texels.image.handle, texels.memory.handle.handle, 0), "vkBindImageMemory");

    VkImageViewCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    info.image = texels.image.handle;
    info.viewType = VK_IMAGE_VIEW_TYPE_2D;
    info.format = VK_FORMAT_R32_UINT;
    info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkImageView view = VK_NULL_HANDLE;
    check(vkCreateImageView(device.handle, &info, nullptr, &view), "vkCreateImageView");
    texels.view = {device.handle, view};
}

std::span<uint32_t> words_of(const vulkan::HostBuffer& buffer, size_t count) {
    return {reinterpret_cast<uint32_t*>(buffer.memory.map), count};
}

void require_written(std::span<const uint32_t> words) {
    const auto blank = std::count(words.begin(), words.end(), unwritten);
    if (blank == static_cast<ptrdiff_t>(words.size()))
        throw Error("nothing was written: the device's queue does nothing");
    if (blank > 0) throw Error(fmt::format("{} of {} words were not written", blank, words.size()));
}

std::span<const uint32_t> lane_code(bool by_id, bool second_route) {
    if (second_route && by_id) return lane_check_by_id;
    if (second_route) return lane_check_by_index;
    if (by_id) return lane_order_by_id;
    return lane_order_by_index;
}

std::span<const uint32_t> start_code(bool clock, bool sm) {
    if (clock && sm) return start_order_clock_sm;
    if (clock) return start_order_clock;
    if (sm) return start_order_sm;
    return start_order;
}

/// As start_order.comp writes it.
struct Start {
    uint32_t ticket, sm, began[2], ended[2], busy, unused;
};
uint64_t whole(const uint32_t (&halves)[2]) { return uint64_t{halves[1]} << 32 | halves[0]; }

}  // namespace

Message run_lane_shader(Bench& bench, const nlohmann::json& question) {
    // Enough to see whether all groups, and all runs, have one order.
    constexpr uint32_t groups = 8, runs = 3;
    const std::array<uint32_t, 3> group = question.at("group");
    const bool by_id = question.at("by_id"), second_route = question.at("check");
    const vulkan::Device& device = bench.device;
    require_compute(device);
    require_subgroups(device, second_route);

    vulkan::ComputeShader shader;
    shader.spirv = lane_code(by_id, second_route);
    shader.images = 1;
    shader.constants = group;
    vulkan::Compute compute;
    vulkan::create_compute(device, shader, compute);
    Texels texels;
    create_texels(device, texels);
    const size_t words = size_t{group[0]} * group[1] * group[2] * groups * 4;
    vulkan::HostBuffer buffer;
    vulkan::reserve_buffer(device, buffer, words * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                           VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    vulkan::bind_buffers(device, compute.bindings, {&buffer.handle.handle, 1});
    vulkan::bind_images(device, compute.bindings, {&texels.view.handle, 1});

    Message answer;
    answer.header = {{"runs", runs}, {"groups", groups}};
    for (uint32_t run = 0; run < runs; ++run) {
        const std::span<uint32_t> written = words_of(buffer, words);
        std::ranges::fill(written, unwritten);
        vulkan::flush(device, buffer.memory);
        vulkan::begin(device, bench.commands);
        vulkan::image_barrier(bench.commands.buffer, texels.image.handle, VK_IMAGE_LAYOUT_UNDEFINED,
                              VK_IMAGE_LAYOUT_GENERAL);
        vulkan::dispatch(bench.commands.buffer, compute, {groups, 1, 1});
        vulkan::host_barrier(bench.commands.buffer);
        vulkan::submit_and_wait(device, bench.commands);
        vulkan::invalidate(device, buffer.memory);
        require_written(written);
        answer.offsets.insert(answer.offsets.end(), written.begin(), written.end());
    }
    return answer;
}

Message run_start_shader(Bench& bench, const nlohmann::json& question) {
    constexpr uint32_t runs = 3;
    const std::array<uint32_t, 2> grid = question.at("grid");
    const uint32_t rounds = question.at("rounds");
    const vulkan::Device& device = bench.device;
    require_compute(device);
    const bool clock = device.traits.device_clock, sm = device.traits.sm_builtins;

    vulkan::ComputeShader shader;
    shader.spirv = start_code(clock, sm);
    shader.buffers = 2;
    shader.push_bytes = sizeof rounds;
    vulkan::Compute compute;
    vulkan::create_compute(device, shader, compute);
    const size_t groups = size_t{grid[0]} * grid[1], words = groups * sizeof(Start) / 4;
    vulkan::HostBuffer tickets, buffer;
    for (auto& [each, bytes] : {std::pair(&tickets, size_t{4}), {&buffer, words * 4}})
        vulkan::reserve_buffer(device, *each, bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                               VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    const VkBuffer buffers[] = {tickets.handle.handle, buffer.handle.handle};
    vulkan::bind_buffers(device, compute.bindings, buffers);

    Message answer;
    answer.header = {{"runs", runs}, {"clock", clock}, {"sm", sm}};
    // The first run is the device's warming up.
    for (uint32_t run = 0; run <= runs; ++run) {
        const std::span<uint32_t> written = words_of(buffer, words);
        std::ranges::fill(written, unwritten);
        words_of(tickets, 1)[0] = 0;
        vulkan::flush(device, buffer.memory);
        vulkan::flush(device, tickets.memory);
        vulkan::run_compute(device, bench.commands, compute, {grid[0], grid[1], 1},
                            std::as_bytes(std::span(&rounds, 1)));
        vulkan::invalidate(device, buffer.memory);
        if (written[0] == unwritten) throw Error("nothing was written: the device's queue does nothing");
        if (run == 0) continue;
        for (size_t i = 0; i < groups; ++i) {
            Start start;
            std::memcpy(&start, written.data() + i * sizeof(Start) / 4, sizeof start);
            answer.offsets.insert(answer.offsets.end(),
                                  {start.ticket, start.sm, whole(start.began), whole(start.ended)});
        }
    }
    return answer;
}

}  // namespace tilewise::probe
