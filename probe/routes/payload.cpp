#include "probe/routes/payload.h"
#include <algorithm>
#include <array>
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

// Of an odd number, modulo 2^64: each of Newton's steps doubles the bits that are right.
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

/// The bytes of an element over all its passes, from its first word on.
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
void write(const Payload& payload, uint32_t pass, std::byte* out) {
    for (uint64_t i = 0; i < payload.elements; ++i, out += Bytes) {
        const Stream words = stream_from<Bytes>(mix(i ^ payload.salt));
        std::memcpy(out, reinterpret_cast<const std::byte*>(words.data()) + pass * Bytes, Bytes);
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

/// Whether every pass left the sentinel in the place, of as many bytes as places are apart.
template <uint32_t Bytes>
bool untouched(const std::span<const std::byte>* memory, uint64_t at) {
    constexpr uint32_t step = Bytes & -Bytes;
    static constexpr auto sentinel = sentinel_bytes<4 + step>();
    for (uint32_t pass = 0; pass < passes_of<Bytes>; ++pass)
        if (std::memcmp(memory[pass].data() + at, &sentinel[at % 4], step) != 0) return false;
    return true;
}

template <uint32_t Bytes>
Found find(const Payload& payload, const std::span<const std::byte>* memory) {
    constexpr uint64_t step = Bytes & -Bytes;
    Found result;
    result.offsets.assign(payload.elements, Table::missing_offset);

    const uint64_t size = memory[0].size();
    for (uint64_t at = 0; at + Bytes <= size;) {
        const Stream words = gather<Bytes>(memory, at);
        const uint64_t element = unmix(words[0]) ^ payload.salt;
        bool ours = element < payload.elements;
        if (ours && stream_bytes < Bytes >> 8) {
            const Stream expected = stream_from<Bytes>(words[0]);
            ours = std::memcmp(words.data(), expected.data(), stream_bytes<Bytes>) == 0;
        }
        if (!ours) {
            if (untouched<Bytes>(memory, at))
                ++result.sentinel;
            else
                ++result.foreign;
            at += step;
            continue;
        }
        if (result.offsets[element] == Table::missing_offset) {
            result.offsets[element] = at;
            ++result.found;
        } else {
            constexpr size_t remembered = 8;
            ++result.doubled;
            if (result.second_offsets.size() < remembered) result.second_offsets.emplace_back(element, at);
        }
        at += Bytes;
    }
    result.missing = payload.elements - result.found;
    return result;
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
    const size_t whole = memory.size() & ~size_t{7};
    for (size_t i = 0; i < whole; i += 8) std::memcpy(&memory[i], pattern.data(), 8);
    std::memcpy(memory.data() + whole, pattern.data(), memory.size() - whole);
}

uint32_t pass_count(uint32_t element_bytes) {
    return with_size(element_bytes, [](auto bytes) { return passes_of<bytes()>; });
}

void write_pass(const Payload& payload, uint32_t pass, std::span<std::byte> texels) {
    assert(texels.size() == payload.elements * payload.element_bytes);
    with_size(payload.element_bytes, [&](auto bytes) { write<bytes()>(payload, pass, texels.data()); });
}

Found find_elements(const Payload& payload, std::span<const std::span<const std::byte>> memory) {
    assert(memory.size() == pass_count(payload.element_bytes));
    return with_size(payload.element_bytes, [&](auto bytes) { return find<bytes()>(payload, memory.data()); });
}

bool holds_pass(const Payload& payload, uint32_t pass, std::span<const uint64_t> offsets, uint64_t base,
                std::span<const std::byte> memory) {
    const uint32_t bytes = payload.element_bytes;
    std::vector<std::byte> texels(payload.elements * bytes);
    write_pass(payload, pass, texels);
    for (uint64_t i = 0; i < payload.elements; ++i) {
        const uint64_t at = offsets[i] - base;
        if (offsets[i] < base || at > memory.size() || memory.size() - at < bytes ||
            std::memcmp(&memory[at], &texels[i * bytes], bytes) != 0)
            return false;
    }
    return true;
}

}  // namespace tilewise::probe
