#include "tests/faults/texels.h"
#include "tests/faults/fault.h"
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace tilewise::faults {

namespace {

struct AddressBits {
    unsigned low, high;
};

struct CallRecord {
    std::map<VkDeviceMemory, std::byte*> maps;
    std::map<VkBuffer, VkDeviceMemory> buffers;
    std::map<VkImage, VkDeviceSize> sizes;
    VkDeviceMemory image_memory = VK_NULL_HANDLE;
    VkDeviceSize image_bytes = 0;
    struct ReadBack {
        VkBuffer buffer;
        VkDeviceSize offset;
    };
    std::vector<ReadBack> read_backs;  ///< of the passes under way
    std::vector<std::byte> stale;
    std::optional<AddressBits> exchanged;  ///< in this image, in all passes that follow
};
CallRecord seen;

std::span<std::byte> mapped(VkDeviceMemory memory, VkDeviceSize offset) {
    const auto map = seen.maps.find(memory);
    if (map == seen.maps.end() || !map->second) return {};
    return {map->second + offset, seen.image_bytes};
}

/// What is read next: the read-back buffer, one span a pass, where there was a copy to one; else the image's memory.
std::vector<std::span<std::byte>> targets() {
    std::vector<std::span<std::byte>> result;
    for (const CallRecord::ReadBack& copy : seen.read_backs)
        result.push_back(mapped(seen.buffers[copy.buffer], copy.offset));
    if (result.empty()) result.push_back(mapped(seen.image_memory, 0));
    return result;
}

std::span<std::byte> target() {
    const auto all = targets();
    return all[draw(all.size())];
}

struct Block {
    size_t from = 0, to = 0, size = 0;  ///< bytes; from and to do not overlap
};

/// Blocks the size of a texel, a row of a tile or a small tile.
Block draw_block(size_t bytes) {
    const size_t size = std::min<size_t>(size_t{4} << draw(7), bytes / 2);
    const size_t places = bytes / size;
    const size_t from = draw(places), step = 1 + draw(places - 1);
    return {from * size, (from + step) % places * size, size};
}

AddressBits draw_bits(size_t bytes) {
    const auto bits = static_cast<unsigned>(std::bit_width(bytes) - 1);
    const unsigned low = 4 + static_cast<unsigned>(draw(bits - 5));
    return {low, low + 1 + static_cast<unsigned>(draw(bits - low - 1))};
}

void exchange(std::span<std::byte> memory, AddressBits bits) {
    const size_t whole = std::bit_floor(memory.size());
    const size_t both = size_t{1} << bits.low | size_t{1} << bits.high;
    for (size_t at = 0; at < whole; ++at)
        if ((at & both) == size_t{1} << bits.low) std::swap(memory[at], memory[at ^ both]);
}

}  // namespace

void saw_map(VkDeviceMemory memory, void* bytes) { seen.maps[memory] = static_cast<std::byte*>(bytes); }

void saw_size(VkImage image, VkDeviceSize bytes) {
    seen.sizes[image] = bytes;
    seen.exchanged.reset();
}

void saw_binding(VkImage image, VkDeviceMemory memory) {
    seen.image_memory = memory;
    seen.image_bytes = seen.sizes[image];
}

void saw_binding(VkBuffer buffer, VkDeviceMemory memory) { seen.buffers[buffer] = memory; }

void saw_read_back(VkBuffer buffer, VkDeviceSize offset) { seen.read_backs.push_back({buffer, offset}); }

void saw_end_of_pass() {
    if (seen.exchanged)
        for (const auto memory : targets())
            if (!memory.empty()) exchange(memory, *seen.exchanged);
    seen.read_backs.clear();
}

void remember_memory() {
    if (fault().kind != Kind::stale) return;
    const auto memory = target();
    seen.stale.assign(memory.begin(), memory.end());
}

void spoil_memory() {
    const std::span<std::byte> memory = target();
    if (memory.size() < 256) return;
    const Block block = draw_block(memory.size());
    std::byte* from = memory.data() + block.from;
    std::byte* to = memory.data() + block.to;
    switch (fault().kind) {
        case Kind::flip:
            for (uint64_t left = 1 + draw(4); left > 0; --left)
                memory[draw(memory.size())] ^= static_cast<std::byte>(1 << draw(8));
            break;
        case Kind::swap:
            std::swap_ranges(from, from + block.size, to);
            break;
        case Kind::stale:
            if (seen.stale.size() >= memory.size()) std::memcpy(to, seen.stale.data() + block.to, block.size);
            break;
        case Kind::duplicate:
            std::memcpy(to, from, block.size);
            break;
        case Kind::erase:
            std::memset(to, 0, block.size);
            break;
        case Kind::relayout:
            seen.exchanged = draw_bits(memory.size());
            break;
        default:
            break;
    }
}

VkOffset3D another_place(const VkExtent3D& extent) {
    const auto half = [](uint32_t texels) { return static_cast<int32_t>(texels / 2); };
    return draw(2) ? VkOffset3D{half(extent.width), 0, 0} : VkOffset3D{0, half(extent.height), 0};
}

}  // namespace tilewise::faults
