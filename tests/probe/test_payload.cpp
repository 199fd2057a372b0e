#include "probe/routes/payload.h"
#include <algorithm>
#include <cstring>
#include <doctest/doctest.h>
#include <numeric>
#include <random>

using namespace tilewise;
using namespace tilewise::probe;

namespace {

/// The memory of an image after each pass, where element i lies at places[i].
struct Memory {
    Payload payload;
    std::vector<std::vector<std::byte>> passes;

    Memory(const Payload& texels, size_t size, const std::vector<uint64_t>& places) : payload(texels) {
        std::vector<std::byte> packed(payload.elements * payload.carrier.texel_bytes());
        for (uint32_t pass = 0; pass < pass_count(payload.carrier); ++pass) {
            passes.emplace_back(size);
            fill_sentinel(passes.back());
            write_pass(payload, pass, 0, packed);
            for (uint64_t i = 0; i < payload.elements; ++i)
                std::memcpy(&passes.back()[places[i]], &packed[i * payload.carrier.texel_bytes()],
                            payload.carrier.texel_bytes());
        }
    }

    FoundElements find() const {
        const std::vector<std::span<const std::byte>> spans(passes.begin(), passes.end());
        return find_elements(payload, spans);
    }

    void copy(uint64_t from, uint64_t to) {
        for (auto& pass : passes) std::memcpy(&pass[to], &pass[from], payload.carrier.bytes);
    }
};

std::vector<uint64_t> rows(uint64_t elements, uint64_t step) {
    std::vector<uint64_t> places(elements);
    for (uint64_t i = 0; i < elements; ++i) places[i] = i * step;
    return places;
}

}  // namespace

TEST_CASE("elements of every size are found wherever they were put") {
    std::mt19937_64 random(1);
    for (const uint32_t bytes : {1U, 2U, 3U, 4U, 6U, 8U, 12U, 16U, 24U, 32U}) {
        CAPTURE(bytes);
        constexpr uint64_t elements = 3000;
        std::vector<uint64_t> places = rows(2 * elements, bytes);
        std::shuffle(places.begin(), places.end(), random);
        places.resize(elements);
        const FoundElements found = Memory({{bytes}, elements, random()}, 2 * elements * bytes, places).find();
        CHECK(found.offsets == places);
        CHECK(found.found == elements);
        CHECK(found.missing == 0);
        CHECK(found.doubled == 0);
        CHECK(found.foreign == 0);
    }
}

TEST_CASE("elements that carry fewer bytes than they have are found at their first byte, and keep their filler") {
    const Memory memory({{3, 1, std::byte{0x3e}}, 300, 11}, 4096, rows(300, 4));
    CHECK(memory.find().offsets == rows(300, 4));
    for (const auto& pass : memory.passes)
        for (size_t at = 3; at < 1200; at += 4) CHECK(pass[at] == std::byte{0x3e});
}

TEST_CASE("a large memory, scanned by several threads, gives what one thread finds") {
    for (const uint32_t bytes : {2U, 3U, 4U, 12U}) {
        CAPTURE(bytes);
        // 12-byte elements cross the borders between the threads' parts.
        const std::vector<uint64_t> places = rows(400'000, bytes == 2 ? 8 : bytes);
        Memory memory({{bytes}, 400'000, 5}, 400'000 * uint64_t{bytes == 2 ? 8U : bytes} + 100, places);
        const FoundElements clean = memory.find();
        CHECK(clean.offsets == places);
        CHECK(clean.foreign == 0);
        memory.copy(places[3], places[300'000]);
        const FoundElements found = memory.find();
        CHECK(found.missing == 1);
        CHECK(found.doubled == 1);
        CHECK(found.offsets[3] == places[3]);
        CHECK(found.offsets[300'000] == Table::missing_offset);
        const std::vector<std::pair<uint64_t, uint64_t>> second = {{3, places[300'000]}};
        CHECK(found.second_offsets == second);
    }
}

TEST_CASE("elements are held by a memory only where all of them lie where they are said to") {
    Memory memory({{4}, 1000, 9}, 8000, rows(1000, 8));
    const std::vector<std::span<const std::byte>> spans(memory.passes.begin(), memory.passes.end());
    std::vector<uint64_t> places = rows(1000, 8);
    CHECK(holds_elements(memory.payload, spans, 0, places));
    CHECK(holds_elements(memory.payload, spans, 500, std::span(places).subspan(500)));
    CHECK_FALSE(holds_elements(memory.payload, spans, 499, std::span(places).subspan(500)));
    std::swap(places[7], places[8]);
    CHECK_FALSE(holds_elements(memory.payload, spans, 0, places));
    places = rows(1000, 8);
    places[999] = 8000;
    CHECK_FALSE(holds_elements(memory.payload, spans, 0, places));
}

TEST_CASE("rows whose pitch is no multiple of the 12-byte element are found") {
    std::vector<uint64_t> places;
    for (uint64_t y = 0; y < 20; ++y)
        for (uint64_t x = 0; x < 37; ++x) places.push_back(y * 448 + x * 12);
    CHECK(Memory({{12}, 740, 7}, 20 * 448, places).find().offsets == places);
}

TEST_CASE("untouched memory is all sentinel, and nothing is found in it") {
    for (const uint32_t bytes : {1U, 2U, 3U, 4U, 8U, 12U}) {
        const FoundElements found = Memory({{bytes}, 0, 5}, 4096, {}).find();
        CHECK(found.found == 0);
        CHECK(found.foreign == 0);
        CHECK(found.sentinel > 0);
    }
}

TEST_CASE("an element that was overwritten is missing, and what stands there is foreign") {
    Memory memory({{4}, 100, 3}, 4096, rows(100, 4));
    for (auto& pass : memory.passes) std::fill_n(pass.begin() + 40, 4, std::byte{0x11});
    const FoundElements found = memory.find();
    CHECK(found.missing == 1);
    CHECK(found.foreign == 1);
    CHECK(found.offsets[10] == Table::missing_offset);
}

TEST_CASE("an element that lies twice is reported with both places, and the first one counts") {
    Memory memory({{2}, 100, 3}, 4096, rows(100, 2));
    memory.copy(14, 1000);
    const FoundElements found = memory.find();
    CHECK(found.doubled == 1);
    CHECK(found.offsets[7] == 14);
    REQUIRE(found.second_offsets.size() == 1);
    CHECK(found.second_offsets[0] == std::pair<uint64_t, uint64_t>(7, 1000));
}

TEST_CASE("texels of an earlier probe are foreign") {
    Memory memory({{8}, 100, 1}, 4096, rows(100, 8));
    memory.payload.salt = uint64_t{1} << 40;
    const FoundElements found = memory.find();
    CHECK(found.found == 0);
    CHECK(found.foreign == 100);
}

TEST_CASE("passes that disagree about where an element lies find it nowhere") {
    Memory memory({{4}, 2, 9}, 4096, rows(2, 4));
    std::swap_ranges(memory.passes[1].begin(), memory.passes[1].begin() + 4, memory.passes[1].begin() + 4);
    const FoundElements found = memory.find();
    CHECK(found.found == 0);
    CHECK(found.foreign == 2);
}

TEST_CASE("the texels of one pass do not compress: all their bytes are about equally frequent") {
    for (const uint32_t bytes : {1U, 4U, 16U}) {
        const Payload payload = {{bytes}, 1 << 16, 42};
        std::vector<std::byte> texels(payload.elements * bytes);
        write_pass(payload, pass_count(payload.carrier) - 1, 0, texels);
        std::vector<double> count(256);
        for (const std::byte byte : texels) ++count[static_cast<size_t>(byte)];
        const double expected = static_cast<double>(texels.size()) / 256;
        double chi_squared = 0;
        for (const double seen : count) chi_squared += (seen - expected) * (seen - expected) / expected;
        CHECK(chi_squared < 350);  // 255 degrees of freedom: 1 in 20,000 at random
    }
}

TEST_CASE("a raw copy holds the pass only where the offsets say") {
    const Memory memory({{4}, 100, 3}, 4096, rows(100, 8));
    CHECK(holds_pass(memory.payload, 1, 0, rows(100, 8), 0, memory.passes[1]));
    CHECK_FALSE(holds_pass(memory.payload, 0, 0, rows(100, 8), 0, memory.passes[1]));
    CHECK_FALSE(holds_pass(memory.payload, 1, 0, rows(100, 4), 0, memory.passes[1]));
    CHECK_FALSE(holds_pass(memory.payload, 1, 0, rows(100, 64), 0, memory.passes[1]));
}
