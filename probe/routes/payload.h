// The data written into the texels, and how it is recognised wherever a driver puts it.
//
// Every element carries 64 bits: its index, scrambled by a bijection. Such data cannot be compressed, so it is stored
// as it was written. And because the scrambling can be undone, a scan of the memory distinguishes every element from
// foreign data without a lookup table. Elements of fewer than 8 bytes take several passes, each of which writes and
// reads the whole image: pass p carries bytes [p*B, p*B+B) of the element's words. Larger elements are filled with more
// words.
#pragma once
#include "patterns/model/table.h"
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tilewise::probe {

/// The fill pattern of the memory before every pass.
constexpr uint32_t sentinel_word = 0x9e1dc3a7;
void fill_sentinel(std::span<std::byte> memory);

/// Which of a texel's bytes carry data: the first ones. The bytes after them are what a format needs to keep its values
/// valid (a depth in 32 bits of float is at most 1), or what a copy ignores (the other 8 bits of a depth of 24).
struct Carrier {
    uint32_t bytes = 0;
    uint32_t filler_bytes = 0;
    std::byte filler = {};
    uint32_t texel_bytes() const { return bytes + filler_bytes; }
    bool operator==(const Carrier&) const = default;
};

struct Payload {
    Carrier carrier;
    uint64_t elements = 0;
    uint64_t salt = 0;  ///< its high bits distinguish this probe's texels from what earlier ones left behind
};

constexpr uint32_t max_element_bytes = 32;
uint32_t pass_count(const Carrier& carrier);

/// Writes the elements from `first` on for one pass, packed: as many as the texels have room for.
void write_pass(const Payload& payload, uint32_t pass, uint64_t first, std::span<std::byte> texels);

/// What a scan of the memory found.
struct FoundElements {
    std::vector<uint64_t> offsets;  ///< of each element; Table::missing_offset if it was not found
    uint64_t found = 0, missing = 0;
    uint64_t doubled = 0;                ///< elements found at two or more places (the first one counts)
    uint64_t foreign = 0, sentinel = 0;  ///< places without an element
    std::vector<std::pair<uint64_t, uint64_t>> second_offsets;  ///< (element, offset) for some of the doubled elements
};

/// The memory after each pass; all have the same size.
using PassViews = std::span<const std::span<const std::byte>>;

/// Elements are looked for at multiples of the largest power of two that divides the carried bytes.
FoundElements find_elements(const Payload& payload, PassViews memory);

/// Whether each element, from `first` on, lies at its entry in `offsets`: cheaper than finding it.
bool holds_elements(const Payload& payload, PassViews memory, uint64_t first, std::span<const uint64_t> offsets);

/// Whether `memory` holds at every offset what the pass wrote for the elements from `first` on. `memory` begins `base`
/// bytes after the origin of the offsets.
bool holds_pass(const Payload& payload, uint32_t pass, uint64_t first, std::span<const uint64_t> offsets, uint64_t base,
                std::span<const std::byte> memory);

}  // namespace tilewise::probe
