#include "probe/routes/payload.h"
#include "patterns/model/bits.h"
#include "patterns/model/parallel.h"
#include "probe/large_pages.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cstring>

namespace tilewise::probe {

namespace {

constexpr uint64_t golden = 0x9e3779b97f4a7c15;

// Stafford's variant 13 of MurmurHash3's finaliser, as in splitmix64 (Steele, Lea, Flood: Fast Splittable
// Pseudorandom Number Generators, 2014).
constexpr uint64_t mix(uint64_t v) {
    v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9;
    v = (v ^ (v >> 27)) * 0x94d049bb133111eb;
    return v ^ (v >> 31);
}

// The inverse of an odd number modulo 2^64: each Newton step doubles the number of correct bits.
constexpr uint64_t reciprocal(uint64_t odd) {
    uint64_t r = odd;
    for (int step = 0; step < 5; ++step) r *= 2 - odd * r;
    return r;
}

constexpr uint64_t unmix(uint64_t v) {
    v = (v ^ (v >> 31) ^ (v >> 62)) * reciprocal(0x94d049bb133111eb);
    v = (v ^ (v >> 27) ^ (v >> 54)) * reciprocal(0xbf58476d1ce4e5b9);
    return v ^ (v >> 30) ^ (v >> 60);
}
static_assert(unmix(mix(0x0123456789abcdef)) == 0x0123456789abcdef);

/// The bytes of an element over all its passes, starting with its first word.
using Stream = std::array<uint64_t, max_element_bytes / 8>;

template <uint32_t Bytes>
constexpr uint32_t passes_of = Bytes >= 8 ? 1 : (8 + Bytes - 1) / Bytes;
template <uint32_t Bytes>
constexpr uint32_t stream_bytes = Bytes* passes_of<Bytes>;

template <size_t size>
constexpr std::array<std::byte, size> sentinel_bytes() {
    std::array<std::byte, size> bytes = {};
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(sentinel_word >> (8 * (i % 4)));
    return bytes;
}

template <uint32_t Bytes>
Stream stream_from(uint64_t first) {
    Stream words;
    words[0] = first;
    for (uint32_t w = 1; w * 8 < stream_bytes<Bytes>; ++w) words[w] = mix(first + w * golden);
    return words;
}

template <uint32_t Bytes>
void write(const Payload& payload, uint32_t pass, uint64_t first, std::span<std::byte> texels) {
    const auto& [bytes, filler_bytes, filler] = payload.carrier;
    std::byte* out = texels.data();
    for (uint64_t i = first; out < texels.data() + texels.size(); ++i, out += Bytes + filler_bytes) {
        const Stream words = stream_from<Bytes>(mix(i ^ payload.salt));
        std::memcpy(out, reinterpret_cast<const std::byte*>(words.data()) + pass * Bytes, Bytes);
        for (uint32_t byte = 0; byte < filler_bytes; ++byte) out[Bytes + byte] = filler;
    }
}

template <uint32_t Bytes>
Stream gather(const std::span<const std::byte>* memory, uint64_t at) {
    Stream words;
    words[(stream_bytes<Bytes> - 1) / 8] = 0;
    for (uint32_t pass = 0; pass < passes_of<Bytes>; ++pass)
        std::memcpy(reinterpret_cast<std::byte*>(words.data()) + pass * Bytes, memory[pass].data() + at, Bytes);
    return words;
}

/// Whether every pass left the sentinel at this place, over the distance between places.
template <uint32_t Bytes>
bool untouched(const std::span<const std::byte>* memory, uint64_t at) {
    constexpr uint32_t step = Bytes & -Bytes;
    static constexpr auto sentinel = sentinel_bytes<4 + step>();
    for (uint32_t pass = 0; pass < passes_of<Bytes>; ++pass)
        if (std::memcmp(memory[pass].data() + at, &sentinel[at % 4], step) != 0) return false;
    return true;
}

/// Whether the words that begin with words[0] belong to a single element.
template <uint32_t Bytes>
bool is_whole(const Stream& words) {
    if constexpr (stream_bytes<Bytes> <= 8) return true;
    const Stream expected = stream_from<Bytes>(words[0]);
    return std::memcmp(words.data(), expected.data(), stream_bytes<Bytes>) == 0;
}

/// What one thread finds at the places from `at` up to `end`. Several threads write the offsets: an element that two of
/// them find at the same time may seem to lie in one place; find() notices this by the number of elements without an
/// offset.
template <uint32_t Bytes>
struct Scan {
    uint64_t at = 0;  ///< at the end: after the last element
    uint64_t end = 0;
    FoundElements found = {};

    void run(const Payload& payload, PassViews memory, std::span<uint64_t> offsets) {
        constexpr uint64_t step = Bytes & -Bytes;
        while (at < end) {
            const Stream words = gather<Bytes>(memory.data(), at);
            const uint64_t element = unmix(words[0]) ^ payload.salt;
            if (element >= payload.elements || !is_whole<Bytes>(words)) {
                ++(untouched<Bytes>(memory.data(), at) ? found.sentinel : found.foreign);
                at += step;
                continue;
            }
            const std::atomic_ref<uint64_t> offset(offsets[element]);
            if (offset.load(std::memory_order_relaxed) == Table::missing_offset) {
                offset.store(at, std::memory_order_relaxed);
                ++found.found;
            } else {
                constexpr size_t remembered = 8;
                ++found.doubled;
                if (found.second_offsets.size() < remembered) found.second_offsets.emplace_back(element, at);
            }
            at += Bytes;
        }
    }
};

// Below this a thread costs more than it saves.
constexpr uint64_t part_bytes = 1 << 20;

/// This many bytes come in a few large pages: they are written once, throughout.
std::vector<uint64_t> missing_offsets(uint64_t elements) {
    std::vector<uint64_t> offsets;
    reserve_large(offsets, elements);
    offsets.resize(elements, Table::missing_offset);
    return offsets;
}

bool has_no_missing(std::span<const uint64_t> offsets) {
    std::atomic<bool> none = true;
    for_parts(offsets.size(), part_bytes / 8, [&](uint64_t first, uint64_t end) {
        if (std::ranges::count(offsets.subspan(first, end - first), Table::missing_offset) > 0) none = false;
    });
    return none;
}

template <uint32_t Bytes>
FoundElements find_on_one_thread(const Payload& payload, PassViews memory, std::vector<uint64_t>&& offsets) {
    std::ranges::fill(offsets, Table::missing_offset);
    Scan<Bytes> scan;
    scan.end = memory[0].size() < Bytes ? 0 : memory[0].size() - Bytes + 1;
    scan.run(payload, memory, offsets);
    scan.found.missing = payload.elements - scan.found.found;
    scan.found.offsets = std::move(offsets);
    return std::move(scan.found);
}

template <uint32_t Bytes>
FoundElements find(const Payload& payload, PassViews memory) {
    constexpr uint64_t step = Bytes & -Bytes;
    std::vector<uint64_t> offsets = missing_offsets(payload.elements);
    const uint64_t end = memory[0].size() < Bytes ? 0 : memory[0].size() - Bytes + 1;
    const uint64_t parts = ceil_div(end, part_bytes);
    if (parts < 2) return find_on_one_thread<Bytes>(payload, memory, std::move(offsets));

    std::vector<Scan<Bytes>> scans(parts);
    for (uint64_t part = 0; part < parts; ++part)
        scans[part].at = part * part_bytes, scans[part].end = std::min(end, (part + 1) * part_bytes);
    parallel_for(parts, [&](size_t part) { scans[part].run(payload, memory, offsets); });
    FoundElements sum;
    for (uint64_t part = 0; part < parts; ++part) {
        const FoundElements& found = scans[part].found;
        sum.found += found.found;
        sum.doubled += found.doubled;
        sum.foreign += found.foreign;
        sum.sentinel += found.sentinel;
        // An element that crosses the border was found by one thread; the next thread took the rest of it for foreign
        // data.
        const uint64_t border = (part + 1) * part_bytes;
        if (scans[part].at > border && border < end) sum.foreign -= (std::min(scans[part].at, end) - border) / step;
    }
    const bool is_clean = sum.found == payload.elements && sum.doubled == 0 && has_no_missing(offsets);
    if (!is_clean) return find_on_one_thread<Bytes>(payload, memory, std::move(offsets));
    sum.offsets = std::move(offsets);
    return sum;
}

template <uint32_t Bytes>
bool holds(const Payload& payload, PassViews memory, std::span<const uint64_t> offsets, uint64_t first) {
    for (uint64_t i = 0; i < offsets.size(); ++i) {
        if (memory[0].size() < Bytes || offsets[i] > memory[0].size() - Bytes) return false;
        const Stream words = gather<Bytes>(memory.data(), offsets[i]);
        if (words[0] != mix((first + i) ^ payload.salt) || !is_whole<Bytes>(words)) return false;
    }
    return true;
}

/// Calls `work` with the element's size as a constant.
template <typename Work>
auto with_size(uint32_t bytes, Work&& work) {
    switch (bytes) {
        case 1:
            return work(std::integral_constant<uint32_t, 1>());
        case 2:
            return work(std::integral_constant<uint32_t, 2>());
        case 3:
            return work(std::integral_constant<uint32_t, 3>());
        case 4:
            return work(std::integral_constant<uint32_t, 4>());
        case 6:
            return work(std::integral_constant<uint32_t, 6>());
        case 8:
            return work(std::integral_constant<uint32_t, 8>());
        case 12:
            return work(std::integral_constant<uint32_t, 12>());
        case 16:
            return work(std::integral_constant<uint32_t, 16>());
        case 24:
            return work(std::integral_constant<uint32_t, 24>());
        default:
            assert(bytes == 32);
            return work(std::integral_constant<uint32_t, 32>());
    }
}

}  // namespace

void fill_sentinel(std::span<std::byte> memory) {
    constexpr auto pattern = sentinel_bytes<8>();
    for_parts(memory.size(), 8 * part_bytes, [&](uint64_t first, uint64_t end) {
        uint64_t i = first;
        for (; i + 8 <= end; i += 8) std::memcpy(&memory[i], pattern.data(), 8);
        std::memcpy(memory.data() + i, pattern.data(), end - i);
    });
}

uint32_t pass_count(const Carrier& carrier) {
    return with_size(carrier.bytes, [](auto bytes) { return passes_of<bytes()>; });
}

void write_pass(const Payload& payload, uint32_t pass, uint64_t first, std::span<std::byte> texels) {
    const uint32_t texel_bytes = payload.carrier.texel_bytes();
    assert(texels.size() % texel_bytes == 0 && texels.size() / texel_bytes <= payload.elements - first);
    for_parts(texels.size() / texel_bytes, part_bytes / 8, [&](uint64_t from, uint64_t end) {
        const auto part = texels.subspan(from * texel_bytes, (end - from) * texel_bytes);
        with_size(payload.carrier.bytes, [&](auto bytes) { write<bytes()>(payload, pass, first + from, part); });
    });
}

FoundElements find_elements(const Payload& payload, PassViews memory) {
    assert(memory.size() == pass_count(payload.carrier));
    return with_size(payload.carrier.bytes, [&](auto bytes) { return find<bytes()>(payload, memory); });
}

bool holds_elements(const Payload& payload, PassViews memory, uint64_t first, std::span<const uint64_t> offsets) {
    assert(memory.size() == pass_count(payload.carrier));
    std::atomic<bool> all = true;
    for_parts(offsets.size(), part_bytes / 8, [&](uint64_t from, uint64_t end) {
        const auto part = offsets.subspan(from, end - from);
        if (all && !with_size(payload.carrier.bytes,
                              [&](auto bytes) { return holds<bytes()>(payload, memory, part, first + from); }))
            all = false;
    });
    return all;
}

bool holds_pass(const Payload& payload, uint32_t pass, uint64_t first, std::span<const uint64_t> offsets, uint64_t base,
                std::span<const std::byte> memory) {
    const uint32_t bytes = payload.carrier.bytes, texel_bytes = payload.carrier.texel_bytes();
    std::vector<std::byte> texels(offsets.size() * texel_bytes);
    write_pass(payload, pass, first, texels);
    for (uint64_t i = 0; i < offsets.size(); ++i) {
        const uint64_t at = offsets[i] - base;
        if (offsets[i] < base || at > memory.size() || memory.size() - at < bytes ||
            std::memcmp(&memory[at], &texels[i * texel_bytes], bytes) != 0)
            return false;
    }
    return true;
}

}  // namespace tilewise::probe
