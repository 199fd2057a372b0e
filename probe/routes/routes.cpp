#include "probe/routes/routes.h"
#include "patterns/model/bits.h"
#include "probe/names.h"
#include "probe/routes/uncached_copy.h"
#include <algorithm>
#include <chrono>

namespace tilewise::probe {

using namespace vulkan;

void open_bench(Bench& bench, VkPhysicalDevice physical) {
    open_device(bench.device, physical);
    if (bench.device.queue) open_commands(bench.device, bench.commands);
}

std::span<const std::byte> snapshot(Bench& bench, const Subject& subject, uint32_t pass) {
    const size_t needed = pass_count(subject.payload.element_bytes) * subject.span;
    if (bench.snapshots.size() < needed) bench.snapshots.resize(needed);
    invalidate(bench.device, *subject.memory);
    std::byte* to = bench.snapshots.data() + pass * subject.span;
    copy_from_uncached(to, subject.memory->map, subject.span);
    return {to, subject.span};
}

void fill_mapped(const Bench& bench, const Subject& subject) {
    fill_sentinel({subject.memory->map, subject.span});
    flush(bench.device, *subject.memory);
}

namespace {

std::string type_list(uint32_t bits) {
    std::string list;
    for (uint32_t type = 0; type < 32; ++type)
        if ((bits >> type) & 1) list += fmt::format("{}{}", list.empty() ? "" : ",", type);
    return list.empty() ? "none" : list;
}

uint32_t mappable_types(const Device& device) {
    uint32_t bits = 0;
    for (uint32_t type = 0; type < device.memory.memoryTypeCount; ++type)
        if (device.memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) bits |= 1u << type;
    return bits;
}

/// The type asked for, else the first that is device-local, else the first.
uint32_t choose_type(const Device& device, const Case& probed, uint32_t image_types, uint32_t buffer_types) {
    uint32_t usable = image_types & buffer_types;
    if (!usable)
        throw Error(fmt::format("no memory type serves both the image ({}) and a buffer ({})", type_list(image_types),
                                type_list(buffer_types)));
    if (probed.route != Route::alias) {
        usable &= mappable_types(device);
        if (!usable)
            throw Error(fmt::format("no memory type of the image ({}) can be mapped{}", type_list(image_types),
                                    probed.route == Route::host_copy ? ", and a raw copy alone proves nothing" : ""));
    }
    if (probed.memory_type >= 0) {
        if (probed.memory_type >= 32 || !((usable >> probed.memory_type) & 1))
            throw Error(fmt::format("memory type {} does not serve this image by {}; these do: {}", probed.memory_type,
                                    route_name(probed.route), type_list(usable)));
        return static_cast<uint32_t>(probed.memory_type);
    }
    for (uint32_t type = 0; type < device.memory.memoryTypeCount; ++type)
        if (((usable >> type) & 1) &&
            (device.memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT))
            return type;
    return static_cast<uint32_t>(std::countr_zero(usable));
}

uint64_t fresh_salt() {
    static uint64_t count = 0;
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    return (static_cast<uint64_t>(now) + ++count) * 0x9e3779b97f4a7c15;
}

std::string coordinates(const Coord& extent, uint64_t element) {
    const Coord at = element_at_index(extent, element);
    return extent[axis_z] > 1 ? fmt::format("({},{},{})", at[axis_x], at[axis_y], at[axis_z])
                              : fmt::format("({},{})", at[axis_x], at[axis_y]);
}

constexpr size_t named_faults = 8;

void describe_faults(const Found& found, const Coord& extent, Table& table) {
    for (const auto& [element, second] : found.second_offsets)
        table.faults.push_back(fmt::format("element {} is at {:#x} and again at {:#x}", coordinates(extent, element),
                                           found.offsets[element], second));
    if (found.doubled > found.second_offsets.size())
        table.faults.push_back(
            fmt::format("{} more elements are in the memory twice", found.doubled - found.second_offsets.size()));
    size_t named = 0;
    for (uint64_t element = 0; element < found.offsets.size() && named < found.missing && named < named_faults;
         ++element)
        if (found.offsets[element] == Table::missing_offset) {
            table.faults.push_back(fmt::format("element {} was not found", coordinates(extent, element)));
            ++named;
        }
    if (found.missing > named)
        table.faults.push_back(fmt::format("{} more elements were not found", found.missing - named));
}

void conclude(Found&& found, const Subject& subject, Reading& reading) {
    reading.found = found.found;
    reading.missing = found.missing;
    reading.doubled = found.doubled;
    reading.foreign = found.foreign;
    reading.sentinel = found.sentinel;
    if (found.found == 0 && found.foreign == 0) {
        reading.outcome = Outcome::nothing_written;
        reading.reason = "the memory still holds what it was filled with before the copy";
        return;
    }
    describe_faults(found, subject.part.elements, reading.table);
    reading.table.offsets = std::move(found.offsets);
    reading.outcome = found.missing > 0 && found.foreign > 0 ? Outcome::opaque : Outcome::read;
    if (reading.outcome == Outcome::opaque)
        reading.reason = fmt::format("{} of {} elements were found, and {} other places in the memory were written",
                                     found.found, subject.payload.elements, found.foreign);
    else if (!reading.table.faults.empty())
        reading.reason = reading.table.faults.front();
}

std::string compare_raw_copy(const Subject& subject, const Reading& reading, const std::vector<std::byte>& raw) {
    if (raw.empty() || reading.outcome != Outcome::read || reading.missing > 0) return {};
    const uint32_t pass = pass_count(subject.payload.element_bytes) - 1;
    const std::vector<uint64_t>& offsets = reading.table.offsets;
    const bool first = subject.probed.level == 0 && subject.probed.layer == 0;
    const uint64_t base = first ? 0 : *std::min_element(offsets.begin(), offsets.end());
    if (holds_pass(subject.payload, pass, offsets, base, raw)) return "agrees";
    std::vector<std::byte> rows(subject.texel_bytes());
    write_pass(subject.payload, pass, rows);
    return raw.size() >= rows.size() && std::equal(rows.begin(), rows.end(), raw.begin()) ? "linear" : "differs";
}

void probe_into(Bench& bench, Reading& reading) {
    const Case& probed = reading.probed;
    const Device& device = bench.device;
    const bool by_host = probed.route == Route::host_copy;
    if (device.traits.properties.apiVersion < VK_API_VERSION_1_1)
        throw Error("the device offers Vulkan 1.0; probing needs 1.1");
    if (by_host && !device.traits.host_image_copy)
        throw Error("the device has no host image copy (VK_EXT_host_image_copy)");
    if (!by_host && !device.queue) throw Error("the device has no queue that can transfer");
    if (const std::string why = why_unsupported(device, probed.image); !why.empty()) throw Error(why);

    // The image and the buffer go before the memory may: they are destroyed first.
    OwnedImage image = create_image(device, probed.image);
    const ImageNeeds needs = image_needs(device, image.handle);
    reading.image_bytes = needs.memory.size;
    reading.alignment = needs.memory.alignment;
    if (needs.dedicated && !by_host)
        throw Error("the driver wants the image alone in its memory (requiresDedicatedAllocation)");

    Subject subject = {probed};
    subject.part = subresource_of(probed);
    subject.payload = {subject.part.element.bytes, element_count(subject.part.elements), fresh_salt()};
    // Some drivers write past the size that they report for 3D images.
    constexpr VkDeviceSize slack = 1 << 16;
    const VkDeviceSize beyond = slack + (probed.image.type == ImageType::three_d ? needs.memory.size : 0);
    subject.span = round_up(needs.memory.size + beyond, slack);
    subject.image = image.handle;

    OwnedBuffer alias;
    VkMemoryRequirements buffer_needs = {subject.span, 1, ~0u};
    if (!by_host) {
        alias =
            create_buffer(device, subject.span, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
        vkGetBufferMemoryRequirements(device.handle, alias.handle, &buffer_needs);
        subject.alias = alias.handle;
    }
    const uint32_t type = choose_type(device, probed, needs.memory.memoryTypeBits, buffer_needs.memoryTypeBits);
    reading.memory_type = static_cast<int>(type);

    Memory own;
    Memory& memory = needs.dedicated ? own : bench.memory[type];
    if (needs.dedicated) subject.span = needs.memory.size;
    reserve_memory(device, memory, type, std::max(subject.span, buffer_needs.size),
                   needs.dedicated ? image.handle : VK_NULL_HANDLE);
    subject.memory = &memory;
    check(vkBindImageMemory(device.handle, image.handle, memory.handle.handle, 0), "vkBindImageMemory");
    if (alias.handle)
        check(vkBindBufferMemory(device.handle, alias.handle, memory.handle.handle, 0), "vkBindBufferMemory");

    if (by_host) {
        const HostCopied copied = read_by_host_copy(bench, subject);
        conclude(find_elements(subject.payload, copied.passes), subject, reading);
        reading.raw_copy = compare_raw_copy(subject, reading, copied.raw);
    } else {
        const Passes passes =
            probed.route == Route::alias ? read_by_alias(bench, subject) : read_by_alias_map(bench, subject);
        conclude(find_elements(subject.payload, passes), subject, reading);
    }
}

/// How the second image contradicts the first; empty where it does not. A constant, by XOR, is an image's own: AMD's
/// drivers give neighbours different ones.
std::string contradiction(const Table& first, const Reading& second, const Coord& extent) {
    if (second.outcome != Outcome::read || !second.table.faults.empty())
        return fmt::format("a second image of the kind is {}{}{}", outcome_name(second.outcome),
                           second.reason.empty() ? "" : ": ", second.reason);
    const uint64_t constant = first.offsets[0] ^ second.table.offsets[0];
    for (uint64_t element = 0; element < first.offsets.size(); ++element)
        if ((first.offsets[element] ^ second.table.offsets[element]) != constant)
            return fmt::format("element {} is at {:#x} in one image and at {:#x} in another of its kind",
                               coordinates(extent, element), first.offsets[element], second.table.offsets[element]);
    return {};
}

}  // namespace

Reading probe_case(Bench& bench, const Case& probed) {
    Reading reading;
    reading.probed = probed;
    try {
        probe_into(bench, reading);
        if (reading.outcome != Outcome::read || !reading.table.faults.empty()) return reading;
        Reading second;
        second.probed = probed;
        probe_into(bench, second);
        reading.reason = contradiction(reading.table, second, subresource_of(probed).elements);
        if (!reading.reason.empty()) reading.table.faults.push_back(reading.reason);
    } catch (const Error& error) {
        const auto* vulkan_error = dynamic_cast<const VulkanError*>(&error);
        if (vulkan_error && !says_unsupported(vulkan_error->result)) throw;
        reading.table = {};
        reading.outcome = Outcome::unsupported;
        reading.reason = error.what();
    }
    return reading;
}

}  // namespace tilewise::probe
