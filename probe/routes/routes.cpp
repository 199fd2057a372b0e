#include "probe/routes/routes.h"
#include "patterns/model/bits.h"
#include "patterns/model/parallel.h"
#include "probe/formats/formats.h"
#include "probe/formats/names.h"
#include "probe/routes/uncached_copy.h"
#include <algorithm>
#include <bit>
#include <chrono>
#include <optional>

namespace tilewise::probe {

using namespace vulkan;

void open_bench(Bench& bench, VkPhysicalDevice physical) {
    open_device(bench.device, physical);
    if (bench.device.queue) open_commands(bench.device, bench.commands);
}

namespace {

constexpr uint64_t copied_at_once = 1 << 20;  // bytes, a multiple of a cache line

}  // namespace

void copy_out(std::span<std::byte> to, const std::byte* from) {
    // A single core has few reads from a GPU in flight at a time.
    for_parts(to.size(), copied_at_once,
              [&](uint64_t first, uint64_t end) { copy_from_uncached(to.data() + first, from + first, end - first); });
}

std::span<const std::byte> snapshot(Bench& bench, const SubjectImage& subject, uint32_t pass) {
    const auto snapshots = bench.snapshots.reserve(pass_count(subject.payload.carrier) * subject.span);
    invalidate(bench.device, *subject.memory);
    const auto to = snapshots.subspan(pass * subject.span, subject.span);
    copy_out(to, subject.memory->map);
    return to;
}

std::vector<Band> bands_of(const SubjectImage& subject, VkDeviceSize max_bytes) {
    std::vector<Band> bands;
    for (const Part& part : subject.parts) {
        const Axis axis = part.sub.elements[axis_z] > 1 ? axis_z : axis_y;
        const uint32_t lines = part.sub.elements[axis];
        const uint64_t line_elements = part.elements / lines;
        const uint64_t fitting = max_bytes / (line_elements * subject.payload.carrier.texel_bytes());
        const bool is_whole = fitting >= lines || subject.probed.image.samples > 1;
        const auto step = is_whole ? lines : static_cast<uint32_t>(std::bit_floor(std::max<uint64_t>(fitting, 1)));
        for (uint32_t line = 0; line < lines; line += step) {
            const uint32_t count = std::min(step, lines - line);
            Band band = {&part, part.first + line * line_elements, count * line_elements, {}, part.sub.texels};
            if (axis == axis_z) {
                band.offset.z = static_cast<int32_t>(line);
                band.extent.depth = count;
            } else {
                const uint32_t first_row = line * part.sub.element.height;
                band.offset.y = static_cast<int32_t>(first_row);
                band.extent.height = std::min(count * part.sub.element.height, part.sub.texels.height - first_row);
            }
            bands.push_back(band);
        }
    }
    return bands;
}

VkDeviceSize staged_bytes(const SubjectImage& subject, const Band& band) {
    // For every texel size, and for the 4 bytes that Vulkan requires.
    constexpr VkDeviceSize alignment = 96;
    return round_up(band.elements * subject.payload.carrier.texel_bytes(), alignment);
}

void fill_mapped(const Bench& bench, const SubjectImage& subject) {
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

/// The requested type; otherwise the first that is device-local, or the first.
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
    if (extent[axis_s] > 1) return fmt::format("({},{},{},{})", at[axis_x], at[axis_y], at[axis_z], at[axis_s]);
    return extent[axis_z] > 1 ? fmt::format("({},{},{})", at[axis_x], at[axis_y], at[axis_z])
                              : fmt::format("({},{})", at[axis_x], at[axis_y]);
}

constexpr size_t named_faults = 8;

void describe_faults(const FoundElements& found, const Coord& extent, Table& table) {
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

/// The offsets of one part's elements, extracted from those of the whole image. An image with a single part gives them
/// all away.
FoundElements found_in(FoundElements& all, const Part& part) {
    if (part.elements == all.offsets.size()) return std::move(all);
    FoundElements found;
    const auto first = all.offsets.begin() + static_cast<ptrdiff_t>(part.first);
    found.offsets.assign(first, first + static_cast<ptrdiff_t>(part.elements));
    found.missing = static_cast<uint64_t>(std::ranges::count(found.offsets, Table::missing_offset));
    found.found = part.elements - found.missing;
    for (const auto& [element, second] : all.second_offsets)
        if (element >= part.first && element - part.first < part.elements)
            found.second_offsets.emplace_back(element - part.first, second);
    // The part to which the other doubled elements belong was not recorded.
    found.doubled = all.doubled > all.second_offsets.size() ? all.doubled : found.second_offsets.size();
    found.foreign = all.foreign;
    found.sentinel = all.sentinel;
    return found;
}

void conclude(FoundElements&& found, const Part& part, Reading& reading) {
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
    describe_faults(found, part.sub.elements, reading.table);
    reading.table.offsets = std::move(found.offsets);
    reading.outcome = found.missing > 0 && found.foreign > 0 ? Outcome::opaque : Outcome::read;
    if (reading.outcome == Outcome::opaque)
        reading.reason = fmt::format(
            "{} of {} elements were found, and {} other places in the memory were written: "
            "the driver compresses or encrypts texels, or stores them in parts",
            found.found, part.elements, found.foreign);
    else if (!reading.table.faults.empty())
        reading.reason = reading.table.faults.front();
}

std::string compare_raw_copy(const SubjectImage& subject, const Part& part, const Reading& reading,
                             const std::vector<std::byte>& raw) {
    if (raw.empty() || reading.outcome != Outcome::read || reading.missing > 0) return {};
    const uint32_t pass = pass_count(subject.payload.carrier) - 1;
    const std::vector<uint64_t>& offsets = reading.table.offsets;
    const bool is_first = part.sub.layers.mipLevel == 0 && part.sub.layers.baseArrayLayer == 0;
    const uint64_t base = is_first ? 0 : *std::min_element(offsets.begin(), offsets.end());
    if (holds_pass(subject.payload, pass, part.first, offsets, base, raw)) return "agrees";
    std::vector<std::byte> rows(part.elements * subject.payload.carrier.texel_bytes());
    write_pass(subject.payload, pass, part.first, rows);
    return raw.size() >= rows.size() && std::equal(rows.begin(), rows.end(), raw.begin()) ? "linear" : "differs";
}

/// Which bytes of a texel carry data, chosen so that every value is valid for the format.
Carrier carrier_of(const Case& probed) {
    const uint32_t bytes = element_of(probed).bytes;
    if (probed.aspect != VK_IMAGE_ASPECT_DEPTH_BIT || bytes != 4) return {bytes};
    const bool is_float =
        probed.image.format == VK_FORMAT_D32_SFLOAT || probed.image.format == VK_FORMAT_D32_SFLOAT_S8_UINT;
    // A drawn depth is a float, which represents few of its 24 bits exactly if the high ones are set.
    if (!is_float && probed.image.samples > 1) return {2, 2, std::byte{0}};
    // 0x3e...... is a float from 0.125 to 0.5, whatever the other bits.
    return {3, 1, is_float ? std::byte{0x3e} : std::byte{0}};
}

void lay_out_parts(std::span<const Case> cases, SubjectImage& subject) {
    subject.payload = {carrier_of(cases.front()), 0, fresh_salt()};
    for (const Case& probed : cases) {
        Part part;
        part.sub = subresource_of(probed);
        part.elements = element_count(part.sub.elements);
        part.first = subject.payload.elements;
        subject.payload.elements += part.elements;
        subject.parts.push_back(part);
    }
}

void bind_sparse(const Device& device, VkImage image, const VkMemoryRequirements& needs, VkDeviceMemory memory) {
    VkSparseMemoryBind bind = {};
    bind.size = needs.size;
    bind.memory = memory;
    // This binds the whole address range, also if the image has residency.
    const VkSparseImageOpaqueMemoryBindInfo opaque = {image, 1, &bind};
    VkBindSparseInfo info = {VK_STRUCTURE_TYPE_BIND_SPARSE_INFO};
    info.imageOpaqueBindCount = 1;
    info.pImageOpaqueBinds = &opaque;
    check(vkQueueBindSparse(device.queue, 1, &info, VK_NULL_HANDLE), "vkQueueBindSparse");
    check(vkQueueWaitIdle(device.queue), "vkQueueWaitIdle");
}

/// The other planes of a disjoint image get separate memory, which nobody reads.
std::vector<Memory> bind_disjoint(const Device& device, const Case& probed, VkImage image, VkDeviceMemory memory) {
    std::vector<Memory> others;
    std::vector<VkBindImagePlaneMemoryInfo> planes;
    std::vector<VkBindImageMemoryInfo> binds;
    const std::vector<Aspect> aspects = aspects_of(*find_format(probed.image.format));
    planes.reserve(aspects.size());
    for (const Aspect& aspect : aspects) {
        VkDeviceMemory plane_memory = memory;
        if (aspect.bit != probed.aspect) {
            const ImageNeeds needs = image_needs(device, image, probed.image, aspect.bit);
            reserve_memory(device, others.emplace_back(),
                           static_cast<uint32_t>(std::countr_zero(needs.memory.memoryTypeBits)), needs.memory.size);
            plane_memory = others.back().handle.handle;
        }
        planes.push_back(
            {VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO, nullptr, static_cast<VkImageAspectFlagBits>(aspect.bit)});
        binds.push_back({VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, &planes.back(), image, plane_memory, 0});
    }
    check(vkBindImageMemory2(device.handle, static_cast<uint32_t>(binds.size()), binds.data()), "vkBindImageMemory2");
    return others;
}

std::vector<Memory> bind_image(const Device& device, const Case& probed, VkImage image,
                               const VkMemoryRequirements& needs, VkDeviceMemory memory) {
    if (probed.image.flags & VK_IMAGE_CREATE_DISJOINT_BIT) return bind_disjoint(device, probed, image, memory);
    if (probed.image.flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT)
        bind_sparse(device, image, needs, memory);
    else
        check(vkBindImageMemory(device.handle, image, memory, 0), "vkBindImageMemory");
    return {};
}

/// Calls use(subject, passes) while these exist. Properties of the image are stored in `about`.
template <typename Use>
void read_image(Bench& bench, std::span<const Case> cases, Reading& about, const Use& use) {
    const Case& probed = cases.front();
    const Device& device = bench.device;
    const bool by_host = probed.route == Route::host_copy;
    if (device.traits.properties.apiVersion < VK_API_VERSION_1_1)
        throw Error("the device offers Vulkan 1.0; probing needs 1.1");
    if (by_host && !device.traits.host_image_copy)
        throw Error("the device has no host image copy (VK_EXT_host_image_copy)");
    if (!by_host && !device.queue) throw Error("the device has no queue that can transfer");
    if (const std::string why = why_unsupported(device, probed); !why.empty()) throw Error(why);

    // The image and the buffer are destroyed before the memory.
    Memory own;
    std::vector<Memory> others;
    OwnedImage image = create_image(device, probed.image);
    const ImageNeeds needs = image_needs(device, image.handle, probed.image, probed.aspect);
    about.image_bytes = needs.memory.size;
    about.alignment = needs.memory.alignment;
    about.sparse = sparse_blocks(device, image.handle, probed.image, probed.aspect);
    if (needs.dedicated && !by_host)
        throw Error("the driver wants the image alone in its memory (requiresDedicatedAllocation)");

    SubjectImage subject = {probed};
    lay_out_parts(cases, subject);
    // For 3D images, some drivers write past the size that they report.
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
    about.memory_type = static_cast<int>(type);

    Memory& memory = needs.dedicated ? own : bench.memory[type];
    if (needs.dedicated) subject.span = needs.memory.size;
    reserve_memory(device, memory, type, std::max(subject.span, buffer_needs.size),
                   needs.dedicated ? image.handle : VK_NULL_HANDLE);
    subject.memory = &memory;
    others = bind_image(device, probed, image.handle, needs.memory, memory.handle.handle);
    if (alias.handle)
        check(vkBindBufferMemory(device.handle, alias.handle, memory.handle.handle, 0), "vkBindBufferMemory");

    use(subject, by_host                        ? read_by_host_copy(bench, subject)
                 : probed.route == Route::alias ? read_by_alias(bench, subject)
                                                : read_by_alias_map(bench, subject));
}

/// How the second image contradicts the first; empty if it does not. A constant, by XOR, may differ from image to image
/// (AMD's drivers give neighbours different ones): side_with_second() decides whether it does.
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

void read_first(Bench& bench, std::span<const Case> cases, std::vector<Reading>& readings) {
    Reading& about = readings.front();
    read_image(bench, cases, about, [&](const SubjectImage& subject, const Passes& passes) {
        FoundElements all = find_elements(subject.payload, passes);
        const bool by_host = subject.probed.route == Route::host_copy;
        const auto raw = by_host ? raw_copies(bench.device, subject) : std::vector<std::vector<std::byte>>();
        for (size_t i = 0; i < cases.size(); ++i) {
            const Part& part = subject.parts[i];
            conclude(found_in(all, part), part, readings[i]);
            if (!raw.empty()) readings[i].raw_copy = compare_raw_copy(subject, part, readings[i], raw[i]);
        }
    });
}

/// If the second image differs from the first by a constant (`moved` has its offsets), a third one decides: a driver
/// that chooses a constant for each image gives it a third one; but if it agrees with the second, the first was the
/// exception.
void side_with_second(Bench& bench, std::span<const Case> cases, std::span<const std::vector<uint64_t>> moved,
                      std::vector<Reading>& readings) {
    Reading about;
    read_image(bench, cases, about, [&](const SubjectImage& subject, const Passes& passes) {
        for (size_t i = 0; i < cases.size(); ++i) {
            const std::vector<uint64_t>& first = readings[i].table.offsets;
            if (moved[i].empty() || !holds_elements(subject.payload, passes, subject.parts[i].first, moved[i]))
                continue;
            readings[i].reason =
                fmt::format("element {} is at {:#x} in one image and at {:#x} in two others of its kind",
                            coordinates(subject.parts[i].sub.elements, 0), first[0], moved[i][0]);
            readings[i].table.faults.push_back(readings[i].reason);
        }
    });
}

/// Reads once more, with other texels in another image: if an element is not where it was, the reading gets a fault.
void read_again(Bench& bench, std::span<const Case> cases, std::vector<Reading>& readings) {
    Reading about;
    const auto is_clean = [](const Reading& reading) {
        return reading.outcome == Outcome::read && reading.table.faults.empty();
    };
    if (std::ranges::none_of(readings, is_clean)) return;
    std::vector<std::vector<uint64_t>> moved(cases.size());
    read_image(bench, cases, about, [&](const SubjectImage& subject, const Passes& passes) {
        std::optional<FoundElements> all;
        for (size_t i = 0; i < cases.size(); ++i) {
            const Part& part = subject.parts[i];
            if (!is_clean(readings[i])) continue;
            if (holds_elements(subject.payload, passes, part.first, readings[i].table.offsets)) continue;
            if (!all) all = find_elements(subject.payload, passes);
            Reading second;
            conclude(found_in(*all, part), part, second);
            readings[i].reason = contradiction(readings[i].table, second, part.sub.elements);
            if (!readings[i].reason.empty())
                readings[i].table.faults.push_back(readings[i].reason);
            else
                moved[i] = std::move(second.table.offsets);
        }
    });
    if (std::ranges::any_of(moved, [](const auto& offsets) { return !offsets.empty(); }))
        side_with_second(bench, cases, moved, readings);
}

}  // namespace

std::vector<Reading> probe_cases(Bench& bench, std::span<const Case> cases) {
    std::vector<Reading> readings(cases.size());
    const auto say_of_all = [&] {
        for (size_t i = 0; i < cases.size(); ++i) {
            readings[i].probed = cases[i];
            readings[i].image_bytes = readings[0].image_bytes;
            readings[i].alignment = readings[0].alignment;
            readings[i].sparse = readings[0].sparse;
            readings[i].memory_type = readings[0].memory_type;
        }
    };
    try {
        read_first(bench, cases, readings);
        read_again(bench, cases, readings);
    } catch (const Error& error) {
        const auto* vulkan_error = dynamic_cast<const VulkanError*>(&error);
        if (vulkan_error && !says_unsupported(vulkan_error->result)) throw;
        for (Reading& reading : readings) {
            reading.table = {};
            reading.outcome = Outcome::unsupported;
            reading.reason = error.what();
        }
    }
    say_of_all();
    return readings;
}

}  // namespace tilewise::probe
