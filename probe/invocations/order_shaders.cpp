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
constexpr uint32_t launch_order[] = {
#include "probe/invocations/launch_order.inc"
};
constexpr uint32_t launch_order_clock[] = {
#include "probe/invocations/launch_order_clock.inc"
};
constexpr uint32_t launch_order_sm[] = {
#include "probe/invocations/launch_order_sm.inc"
};
constexpr uint32_t launch_order_clock_sm[] = {
#include "probe/invocations/launch_order_clock_sm.inc"
};

constexpr uint32_t unwritten = 0xffffffff;

void require_compute(const vulkan::Device& device) {
    if (device.traits.properties.apiVersion < VK_API_VERSION_1_1) throw Error("the device offers Vulkan 1.0 only");
    if (!(device.traits.queue_flags & VK_QUEUE_COMPUTE_BIT)) throw Error("no queue that can compute");
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

/// 32x32 texels to store to; the image must be destroyed before its memory.
struct Texels {
    vulkan::Memory memory;
    vulkan::OwnedImage image;
    vulkan::OwnedImageView view;
};

void create_texels(const vulkan::Device& device, Texels& texels) {
    Image image;
    image.format = VK_FORMAT_R32_UINT;
    image.extent_px = {32, 32, 1};
    image.usage = VK_IMAGE_USAGE_STORAGE_BIT;
    texels.image = create_image(device, image);
    const ImageNeeds needs = image_needs(device, texels.image.handle, image, color_aspect);
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

std::span<const uint32_t> launch_code(bool clock, bool sm) {
    if (clock && sm) return launch_order_clock_sm;
    if (clock) return launch_order_clock;
    if (sm) return launch_order_sm;
    return launch_order;
}

/// As launch_order.comp writes it.
struct Launch {
    uint32_t ticket, sm, began[2], ended[2], busy, unused;
};
uint64_t whole(const uint32_t (&halves)[2]) { return uint64_t{halves[1]} << 32 | halves[0]; }

/// Both lane shaders write four numbers per invocation.
template <typename Words>
std::vector<Words> run_over_lanes(Bench& bench, const worker::LaneRun& run, std::span<const uint32_t> spirv) {
    static_assert(sizeof(Words) == 4 * sizeof(uint32_t));
    const vulkan::Device& device = bench.device;
    vulkan::ComputeShader shader;
    shader.spirv = spirv;
    shader.images = 1;
    const std::array<uint32_t, 3> shape = {run.shape[axis_x], run.shape[axis_y], run.shape[axis_z]};
    shader.constants = shape;
    vulkan::Compute compute;
    vulkan::create_compute(device, shader, compute);
    Texels texels;
    create_texels(device, texels);
    const size_t words = run.records() / run.runs * 4;
    vulkan::HostBuffer buffer;
    vulkan::reserve_buffer(device, buffer, words * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                           VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    vulkan::bind_buffers(device, compute.bindings, {&buffer.handle.handle, 1});
    vulkan::bind_images(device, compute.bindings, {&texels.view.handle, 1});

    std::vector<Words> all(run.records());
    for (uint32_t i = 0; i < run.runs; ++i) {
        const std::span<uint32_t> written = words_of(buffer, words);
        std::ranges::fill(written, unwritten);
        vulkan::flush(device, buffer.memory);
        vulkan::begin(device, bench.commands);
        vulkan::image_barrier(bench.commands.buffer, texels.image.handle, VK_IMAGE_LAYOUT_UNDEFINED,
                              VK_IMAGE_LAYOUT_GENERAL);
        vulkan::dispatch(bench.commands.buffer, compute, {run.groups, 1, 1});
        vulkan::host_barrier(bench.commands.buffer);
        vulkan::submit_and_wait(device, bench.commands);
        vulkan::invalidate(device, buffer.memory);
        require_written(written);
        std::memcpy(all.data() + i * words / 4, written.data(), written.size_bytes());
    }
    return all;
}

}  // namespace

std::vector<LaneWords> run_lane_shader(Bench& bench, const worker::LaneRun& run) {
    require_compute(bench.device);
    require_subgroups(bench.device, false);
    if (run.builtin == LaneBuiltin::id) return run_over_lanes<LaneWords>(bench, run, lane_order_by_id);
    return run_over_lanes<LaneWords>(bench, run, lane_order_by_index);
}

std::vector<PeerWords> run_peer_shader(Bench& bench, const worker::LaneRun& run) {
    require_compute(bench.device);
    require_subgroups(bench.device, true);
    if (run.builtin == LaneBuiltin::id) return run_over_lanes<PeerWords>(bench, run, lane_check_by_id);
    return run_over_lanes<PeerWords>(bench, run, lane_check_by_index);
}

worker::LaunchTable run_launch_shader(Bench& bench, const worker::RunLaunches& request) {
    const vulkan::Device& device = bench.device;
    require_compute(device);
    const bool clock = device.traits.device_clock, sm = device.traits.sm_builtins;

    vulkan::ComputeShader shader;
    shader.spirv = launch_code(clock, sm);
    shader.buffers = 2;
    shader.push_bytes = sizeof request.rounds;
    vulkan::Compute compute;
    vulkan::create_compute(device, shader, compute);
    const size_t groups = element_count(request.grid), words = groups * sizeof(Launch) / 4;
    vulkan::HostBuffer tickets, buffer;
    for (auto& [each, bytes] : {std::pair(&tickets, size_t{4}), {&buffer, words * 4}})
        vulkan::reserve_buffer(device, *each, bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                               VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    const VkBuffer buffers[] = {tickets.handle.handle, buffer.handle.handle};
    vulkan::bind_buffers(device, compute.bindings, buffers);

    worker::LaunchTable table = {clock, sm, {}};
    // The first run warms up the device.
    for (uint32_t run = 0; run <= request.runs; ++run) {
        const std::span<uint32_t> written = words_of(buffer, words);
        std::ranges::fill(written, unwritten);
        words_of(tickets, 1)[0] = 0;
        vulkan::flush(device, buffer.memory);
        vulkan::flush(device, tickets.memory);
        vulkan::run_compute(device, bench.commands, compute, {request.grid[axis_x], request.grid[axis_y], 1},
                            std::as_bytes(std::span(&request.rounds, 1)));
        vulkan::invalidate(device, buffer.memory);
        if (written[0] == unwritten) throw Error("nothing was written: the device's queue does nothing");
        if (run == 0) continue;
        for (size_t i = 0; i < groups; ++i) {
            Launch launch;
            std::memcpy(&launch, written.data() + i * sizeof(Launch) / 4, sizeof launch);
            table.groups.push_back({launch.ticket, launch.sm, whole(launch.began), whole(launch.ended)});
        }
    }
    return table;
}

}  // namespace tilewise::probe
