// Whole images in and out of layouts, against offset_of element by element.
#include "patterns/convert/kernels.h"
#include "patterns/convert/walk.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/one_to_one.h"
#include "patterns/solve/solve.h"
#include "tests/support/random_layout.h"
#include "tests/support/table_files.h"
#include <algorithm>
#include <cstring>
#include <doctest/doctest.h>
#include <functional>
#include <random>

using namespace tilewise;

namespace {

using Bytes = std::vector<std::byte>;

Bytes random_bytes(std::mt19937_64& random, uint64_t count) {
    Bytes bytes(count);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() >> 56);
    return bytes;
}

uint64_t below(std::mt19937_64& random, uint64_t limit) {
    return std::uniform_int_distribution<uint64_t>(0, limit - 1)(random);
}

Box random_box(std::mt19937_64& random, const Coord& extent) {
    Box box;
    for (Axis a : all_axes) {
        box.from[a] = static_cast<uint32_t>(below(random, extent[a]));
        box.extent[a] = static_cast<uint32_t>(1 + below(random, extent[a] - box.from[a]));
    }
    return box;
}

uint64_t rows_at(const Coord& at, const Element& element, const Pitch& pitch) {
    return uint64_t{at[axis_x]} * element.bytes + at[axis_y] * pitch.row + at[axis_z] * pitch.slice +
           at[axis_s] * pitch.sample;
}

/// Calls with the element's place in the box's rows and in memory, for every element.
template <class Call>
void for_elements(const Layout& layout, const Box& box, const Pitch& pitch, const Call& call) {
    for (uint64_t i = 0; i < element_count(box.extent); i++) {
        const Coord at = element_at_index(box.extent, i);
        Coord in_image{};
        for (Axis a : all_axes) in_image[a] = box.from[a] + at[a];
        call(rows_at(at, layout.pattern.element, pitch), offset_of(layout, in_image));
    }
}

std::vector<Isa> isas() {
    std::vector<Isa> isas;
    for (Isa isa : {Isa::scalar, Isa::shuffles, Isa::avx512})
        if (isa <= best_isa()) isas.push_back(isa);
    return isas;
}

/// Whether this build has them, if not this processor: plans are made for either.
bool has_avx512_kernels() { return choose_exchange_avx512(ConvertDirection::tile, 0, 64, 4, false) != nullptr; }

/// Bytes that begin at a multiple of 64, as whole lines must that are written past the caches.
struct AlignedBytes {
    struct alignas(64) Line {
        std::array<std::byte, 64> bytes;
    };
    std::vector<Line> lines;
    size_t size;

    explicit AlignedBytes(const Bytes& bytes) : lines(bytes.size() / 64 + 1), size(bytes.size()) {
        std::memcpy(lines.data(), bytes.data(), size);
    }
    std::byte* data() { return lines.data()->bytes.data(); }
    bool operator==(const Bytes& bytes) const { return std::memcmp(lines.data(), bytes.data(), size) == 0; }
};

/// Both ways, each against the elements one by one; what belongs to no element must stay.
void check_both_ways(std::mt19937_64& random, const Layout& layout, const Box& box, const Pitch& asked) {
    const size_t size = layout.pattern.element.bytes;
    const Pitch pitch = full_pitch(layout.pattern.element, box.extent, asked);
    const Bytes tiled = random_bytes(random, tiled_bytes(layout, box));
    const Bytes rows = random_bytes(random, rows_bytes(layout.pattern.element, box.extent, pitch));
    Bytes expected_rows = rows, expected_tiled = tiled;
    uint64_t end = 0;
    for_elements(layout, box, pitch, [&](uint64_t in_rows, uint64_t in_memory) {
        std::memcpy(&expected_rows[in_rows], &tiled[in_memory], size);
        std::memcpy(&expected_tiled[in_memory], &rows[in_rows], size);
        end = std::max(end, in_memory + size);
    });
    CHECK(end == tiled.size());
    Bytes new_rows = rows, new_tiled = tiled;
    detile(layout, box, tiled, new_rows, asked);
    CHECK(new_rows == expected_rows);
    tile(layout, box, rows, new_tiled, asked);
    CHECK(new_tiled == expected_tiled);
    for (Isa isa : isas())
        for (bool streams : {false, true}) {
            CAPTURE(static_cast<int>(isa));
            CAPTURE(streams);
            AlignedBytes to_rows(rows), to_tiled(tiled);
            convert_box({layout, box, pitch, ConvertDirection::detile, isa, streams}, tiled.data(), to_rows.data());
            CHECK(to_rows == expected_rows);
            convert_box({layout, box, pitch, ConvertDirection::tile, isa, streams}, rows.data(), to_tiled.data());
            CHECK(to_tiled == expected_tiled);
        }
}

/// Gives each coordinate bit an offset bit of its own, the lowest ones to x: there are runs then, as on real devices.
void make_runs(std::mt19937_64& random, Layout& layout) {
    Pattern& pattern = layout.pattern;
    std::array<size_t, axis_count> left{}, next{};
    size_t bits = 0;
    for (Axis a : all_axes) bits += left[a] = pattern.equation.columns[a].size();
    const size_t run_bits = below(random, left[axis_x] + 1);
    const uint64_t step = pattern.element.bytes / pattern.offset_unit();
    for (size_t bit = 0; bit < bits; bit++) {
        Axis a = axis_x;
        if (bit >= run_bits) do
                a = all_axes[below(random, axis_count)];
            while (left[a] == 0);
        left[a]--;
        pattern.equation.columns[a][next[a]++] = step << bit;
    }
    const uint64_t kept = below(random, 2) == 0 ? ~uint64_t{0} : ~((step << run_bits) - 1);
    for (std::vector<uint64_t>& columns : pattern.outer_xor.columns)
        for (uint64_t& column : columns) column &= kept;
    layout.constant &= kept;
}

/// A tile as devices have them: every coordinate bit has an address bit of its own and may change lower ones; x has the
/// lowest. In part of the cases bits change places within a few bytes, too.
RandomImage device_like(std::mt19937_64& random) {
    constexpr std::array<uint32_t, 8> element_bytes = {1, 2, 3, 4, 6, 8, 12, 16};
    RandomImage image;
    Layout& layout = image.layout;
    Pattern& pattern = layout.pattern;
    pattern.element.bytes = element_bytes[below(random, element_bytes.size())];
    const uint64_t step = pattern.element.bytes / pattern.offset_unit();
    const size_t bits = 7 + below(random, 5);
    std::vector<Axis> order = {axis_x, axis_x};
    for (size_t bit = 2; bit < bits; bit++) {
        const uint64_t kind = below(random, 10);
        order.push_back(kind < 5 ? axis_x : kind < 8 ? axis_y : kind == 8 ? axis_z : axis_s);
    }
    if (below(random, 2) == 0) std::shuffle(order.begin(), order.begin() + 6, random);
    const uint64_t kept_low = below(random, 4) == 0 ? 0 : 63;  // address bits that others leave alone
    for (size_t bit = 0; bit < bits; bit++) {
        uint64_t column = uint64_t{1} << bit;
        if (below(random, 3) == 0) {
            const uint64_t changed = below(random, column);
            column ^= bit < 6 ? changed : changed & ~kept_low;
        }
        pattern.equation.columns[order[bit]].push_back(column * step);
    }
    for (Axis a : all_axes) {
        pattern.tile[a] = 1U << pattern.equation.columns[a].size();
        const uint64_t tiles = a == axis_x ? 1 + below(random, 5) : 1 + below(random, 2);
        image.extent[a] = static_cast<uint32_t>(pattern.tile[a] * tiles - below(random, pattern.tile[a]));
        if (below(random, 3) == 0) pattern.outer_xor.columns[a] = {(below(random, 1U << bits) & ~kept_low) * step};
    }
    pattern.tile_bytes = uint64_t{pattern.element.bytes} << bits;
    if (below(random, 2) == 0) layout.constant = below(random, 1U << bits) * step;
    const uint64_t constant = layout.constant;
    layout = dense_layout(pattern, image.extent);
    layout.constant = constant;
    layout.base = below(random, 2) * below(random, 100);
    return image;
}

Layout layout_of(const char* text) { return layout_from_json(nlohmann::json::parse(text)); }

const Layout navi21 = layout_of(R"({"element":{"bytes":4,"width":1,"height":1},
    "tile":{"width":128,"height":128,"depth":1,"bytes":65536},
    "equation":["0","0","x0","x1","y0","y1","x2","y2","y4","x4^y4","y5","x5","x3","y3","x6","x6^y6"],
    "outer_xor":{"10":"tx0","11":"ty0","14":"ty0"},"stride":{"x":65536,"y":2097152,"z":0,"xor":{}},
    "constant":0,"base":0})");

std::string message_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("random layouts of every kind convert both ways as offset_of says, at odd sizes") {
    std::mt19937_64 random(1);
    for (int round = 0; round < 150; round++) {
        CAPTURE(round);
        const RandomImage image = random_image(random);
        check_both_ways(random, image.layout, {{}, image.extent}, {});
    }
}

TEST_CASE("layouts with runs of every length convert both ways as offset_of says") {
    std::mt19937_64 random(7);
    for (int round = 0; round < 150; round++) {
        CAPTURE(round);
        RandomImage image = random_image(random);
        make_runs(random, image.layout);
        check_both_ways(random, image.layout, {{}, image.extent}, {});
        check_both_ways(random, image.layout, random_box(random, image.extent), {});
    }
}

TEST_CASE("boxes anywhere in an image convert alike, into rows with gaps") {
    std::mt19937_64 random(2);
    for (int round = 0; round < 150; round++) {
        CAPTURE(round);
        const RandomImage image = random_image(random);
        const Box box = random_box(random, image.extent);
        Pitch pitch = full_pitch(image.layout.pattern.element, box.extent);
        pitch.row += below(random, 20);
        pitch.slice = pitch.row * box.extent[axis_y] + below(random, 50);
        pitch.sample = 0;
        check_both_ways(random, image.layout, box, pitch);
    }
}

TEST_CASE("tiles as devices have them convert both ways as offset_of says, with every instruction set") {
    std::mt19937_64 random(11);
    for (int round = 0; round < 150; round++) {
        CAPTURE(round);
        const RandomImage image = device_like(random);
        check_both_ways(random, image.layout, {{}, image.extent}, {});
        const Pitch whole_lines = {
            .row = round_up(uint64_t{image.extent[axis_x]} * image.layout.pattern.element.bytes, 64)};
        check_both_ways(random, image.layout, {{}, image.extent}, whole_lines);
        check_both_ways(random, image.layout, random_box(random, image.extent), {});
    }
}

TEST_CASE("patterns of devices are moved by vector instructions, where there are any") {
    if (best_isa() == Isa::scalar) return;
    const Layout mali = layout_of(R"({"element":{"bytes":1,"width":1,"height":1},
        "tile":{"width":16,"height":16,"depth":1,"bytes":256},
        "equation":["x0^y0","y0","x1^y1","y1","x2^y2","y2","x3^y3","y3"],"outer_xor":{},
        "stride":{"x":256,"y":4096,"z":0,"xor":{}},"constant":0,"base":0})");
    const auto name = [](const Layout& layout, Isa isa) {
        const Box box = {{}, {256, 256, 1, 1}};
        const Pitch pitch = full_pitch(layout.pattern.element, box.extent);
        return plan_name(make_plan({layout, box, pitch, ConvertDirection::tile, isa, false}));
    };
    CHECK(name(mali, Isa::scalar).starts_with("scalar"));
    CHECK(name(mali, Isa::shuffles).starts_with(std::string(shuffles_name) + " 4x16 B"));
    if (!has_avx512_kernels()) return;
    CHECK(name(navi21, Isa::avx512).starts_with("AVX-512 4x64 B"));
    CHECK(name(mali, Isa::avx512).starts_with("AVX-512 8x64 B"));  // a piece of a row is of several tiles
    // Whole lines past the caches need rows and a destination of whole lines.
    const auto streamed = [&](uintptr_t to) {
        return plan_name(make_plan(
            {navi21, {{}, {256, 256, 1, 1}}, {1024, 262144, 262144}, ConvertDirection::detile, Isa::avx512, true, to}));
    };
    CHECK(streamed(64).ends_with("streamed"));
    CHECK(streamed(16).ends_with("in strips"));
}

TEST_CASE("images too large for the caches convert alike, with tiles and rows that begin in the middle of a line") {
    std::mt19937_64 random(3);
    for (Layout layout : {navi21, dense_layout(navi21.pattern, {2500, 1300, 1, 1})})
        for (uint64_t base : {0U, 4U, 65536U}) {
            CAPTURE(base);
            layout.base = base;
            layout.constant = base == 65536 ? 0x5300 : 0;
            check_both_ways(random, layout, {{}, {2200, 1100, 1, 1}}, {});
            check_both_ways(random, layout, {{1, 3, 0, 0}, {2111, 1033, 1, 1}}, {.row = 2111 * 4 + 3});
        }
    // Blocks as high as 128 rows are converted a few rows at a time; the tiles of UIF, whose index has an XOR, four at
    // a time.
    const Layout turing = layout_of(R"({"element":{"bytes":4,"width":1,"height":1},
        "tile":{"width":16,"height":128,"depth":1,"bytes":8192},
        "equation":["0","0","x0","x1","y0","y1","x2","y2","x3","y3","y4","y5","y6"],"outer_xor":{},
        "stride":{"x":8192,"y":1179648,"z":0,"xor":{}},"constant":0,"base":0})");
    const Layout uif = layout_of(R"({"element":{"bytes":4,"width":1,"height":1},
        "tile":{"width":32,"height":8,"depth":1,"bytes":1024},
        "equation":["0","0","x0","x1","y0","y1","x2","y2","x3","x4"],"outer_xor":{},
        "stride":{"x":163840,"y":1024,"z":0,"xor":{"4":"tx0"}},"constant":0,"base":0})");
    for (const Layout& layout : {turing, uif}) {
        check_both_ways(random, layout, {{}, {2200, 1100, 1, 1}}, {.row = 2240 * 4});
        check_both_ways(random, layout, {{5, 9, 0, 0}, {2111, 1033, 1, 1}}, {});
    }
    // 12-byte elements whose tiles are gathered, and 3D tiles.
    const Layout rgb = layout_of(R"({"element":{"bytes":12,"width":1,"height":1},
        "tile":{"width":8,"height":8,"depth":4,"bytes":3072},
        "equation":["x0","y0","z0","x1","y1","x2^y2","y2","z1^x2"],
        "outer_xor":{"3":"tx0","7":"ty1^tz0"},"stride":{"x":3072,"y":153600,"z":9216000,"xor":{}},
        "constant":16,"base":0})");
    check_both_ways(random, rgb, {{}, {390, 301, 9, 1}}, {});
}

TEST_CASE("pieces of 48 bytes are written past the caches in whole lines, where four of them lie together") {
    std::mt19937_64 random(9);
    Layout layout = layout_of(R"({"element":{"bytes":3,"width":1,"height":1},
        "tile":{"width":16,"height":16,"depth":1,"bytes":768},
        "equation":["x0^y0","y0","x1^y1","y1","x2^y2","y2","x3^y3","y3"],"outer_xor":{},
        "stride":{"x":768,"y":768,"z":0,"xor":{}},"constant":0,"base":0})");
    const Box whole = {{}, {448, 80, 1, 1}};
    const auto streams = [&](ConvertDirection direction) {
        const Pitch pitch = full_pitch(layout.pattern.element, whole.extent);
        const Plan plan = make_plan({layout, whole, pitch, direction, Isa::avx512, true, 64});
        return plan_name(plan).ends_with("streamed");
    };
    for (uint32_t bytes : {3U, 6U, 12U}) {
        CAPTURE(bytes);
        layout.pattern.element.bytes = bytes;
        layout.pattern.tile_bytes = uint64_t{bytes} * 256;
        layout = dense_layout(layout.pattern, {512, 96, 1, 1});
        CHECK(streams(ConvertDirection::detile) == has_avx512_kernels());
        CHECK(streams(ConvertDirection::tile) == has_avx512_kernels());
        check_both_ways(random, layout, whole, {});
        check_both_ways(random, layout, {{64, 3, 0, 0}, {444, 90, 1, 1}}, {.row = 448 * uint64_t{bytes}});
        // What changes an element's place within four pieces keeps them apart.
        layout.constant = 16 / (bytes / 3);
        CHECK(streams(ConvertDirection::detile) == has_avx512_kernels());
        CHECK_FALSE(streams(ConvertDirection::tile));
        check_both_ways(random, layout, whole, {});
        layout.constant = 0;
        layout.pattern.outer_xor.columns[axis_x] = {0, uint64_t{32} / (bytes / 3)};
        CHECK_FALSE(streams(ConvertDirection::tile));
        check_both_ways(random, layout, whole, {});
        layout.pattern.outer_xor = {};
    }
}

TEST_CASE("the tables of real drivers are what detile reads by, and tile writes by") {
    // 2 of tests/data/layouts, whose offsets a driver gave: navi21's and those of a 300x200 image of Turing's.
    for (const char* name : {"amd_gfx103-navi21_64KB-R-X_32bpp", "nvidia_turing-ada_h300w200_32bpp"}) {
        CAPTURE(name);
        const Table table = parse_table_csv(table_text(name));
        const Layout layout = solve(table).layout;
        std::mt19937_64 random(4);
        const Box box = {{}, table.extent};
        const Bytes tiled = random_bytes(random, tiled_bytes(layout, box));
        Bytes rows(table.offsets.size() * 4), again(tiled.size());
        detile(layout, box, tiled, rows);
        tile(layout, box, rows, again);
        uint64_t wrong = 0;
        for (size_t i = 0; i < table.offsets.size(); i++) {
            wrong += std::memcmp(&rows[i * 4], &tiled[table.offsets[i]], 4) != 0;
            wrong += std::memcmp(&rows[i * 4], &again[table.offsets[i]], 4) != 0;
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("dense layouts give every element a place of its own, in whole tiles of the pattern's order") {
    std::mt19937_64 random(5);
    for (int round = 0; round < 200; round++) {
        CAPTURE(round);
        const RandomImage image = random_image(random);
        const Layout layout = dense_layout(image.layout.pattern, image.extent);
        std::vector<uint64_t> offsets;
        for (uint64_t i = 0; i < element_count(image.extent); i++)
            offsets.push_back(offset_of(layout, element_at_index(image.extent, i)));
        std::ranges::sort(offsets);
        CHECK(std::ranges::adjacent_find(offsets) == offsets.end());
        CHECK(index_xor_is_one_to_one(layout));
    }
    const Layout layout = dense_layout(navi21.pattern, {300, 200, 1, 1});
    CHECK(layout.stride == std::array<uint64_t, axis_count>{65536, 3 * 65536, 0, 0});
}

TEST_CASE("what is too short or too large is refused before anything is written") {
    const Box box = {{}, {128, 128, 1, 1}};
    Bytes tiled(65536), rows(65536);
    const auto says = [&](const std::string& message, const char* words) {
        CAPTURE(message);
        CHECK(message.find(words) != std::string::npos);
    };
    says(message_of([&] { detile(navi21, box, std::span(tiled).first(65535), rows); }), "65535 bytes");
    says(message_of([&] { detile(navi21, box, tiled, std::span(rows).first(65535)); }), "needs 65536");
    says(message_of([&] { tile(navi21, box, rows, std::span(tiled).first(100)); }), "100 bytes");
    says(message_of([&] { detile(navi21, box, tiled, rows, {.row = 511}); }), "pitch of 511");
    const Box huge = {{}, {0xffffffff, 0xffffffff, 0xffffffff, 1}};
    says(message_of([&] { detile(navi21, huge, tiled, rows); }), "the image needs");
    says(message_of([&] { tile(navi21, huge, rows, tiled); }), "the image needs");
    Layout far = navi21;
    far.stride[axis_y] = ~uint64_t{0} / 2;
    says(message_of([&] { tiled_bytes(far, {{}, {128, 1000, 1, 1}}); }), "64 bits");
    says(message_of([&] { tiled_bytes(navi21, {{~0u, 0, 0, 0}, {2, 1, 1, 1}}); }), "beyond 32 bits");
    says(message_of([&] { whole_tiles(navi21.pattern, {~0u, 200, 1, 1}); }), "beyond 32 bits");
    // Tiles that lie over one another need no more memory than they reach.
    Layout folded = navi21;
    folded.stride = {4, 8, 0, 0};
    CHECK(tiled_bytes(folded, {{}, {256, 256, 1, 1}}) <= 65536 + 4 + 8);
}

TEST_CASE("the tiled side is as long as its last element's end, wherever the box, the strides and F put that") {
    std::mt19937_64 random(1);
    const auto below = [&](uint64_t limit) { return random() % limit; };
    for (int i = 0; i < 400; i++) {
        Layout layout;
        Pattern& pattern = layout.pattern;
        pattern.element.bytes = 1U << below(5);
        pattern.tile = {1U << below(5), 1U << below(5), 1U << below(3), 1};
        uint64_t place = 1;
        pattern.tile_bytes = pattern.element.bytes;
        for (Axis a : {axis_x, axis_y, axis_z})
            for (uint32_t side = 1; side < pattern.tile[a]; side *= 2, place *= 2, pattern.tile_bytes *= 2)
                pattern.equation.columns[a].push_back((place | below(place)) *
                                                      (pattern.element.bytes / pattern.offset_unit()));
        Coord tiles = {1 + static_cast<uint32_t>(below(6)), 1 + static_cast<uint32_t>(below(6)),
                       1 + static_cast<uint32_t>(below(3)), 1};
        uint64_t stride = pattern.tile_bytes;
        const bool has_f = below(2) == 1;
        if (has_f) {
            stride *= 4;
            pattern.index_xor.columns[axis_y] = {1 + below(3)};
            layout.stride[axis_x] = stride;
        }
        for (Axis a : {axis_x, axis_y, axis_z}) {
            layout.stride[a] = below(4) == 0 && !has_f ? below(stride) * pattern.element.bytes : stride;
            stride *= tiles[a];
        }
        Box box;
        for (Axis a : {axis_x, axis_y, axis_z}) {
            const uint32_t side = pattern.tile[a] * tiles[a];
            box.from[a] = static_cast<uint32_t>(below(side));
            box.extent[a] = 1 + static_cast<uint32_t>(below(side - box.from[a]));
        }
        uint64_t end = 0;
        for (uint64_t e = 0; e < element_count(box.extent); e++) {
            Coord at = element_at_index(box.extent, e);
            for (Axis a : all_axes) at[a] += box.from[a];
            end = std::max(end, offset_of(layout, at) + pattern.element.bytes);
        }
        CAPTURE(i);
        REQUIRE(tiled_bytes(layout, box) == end);
    }
}

TEST_CASE("a size takes no longer to find where its numbers are large: each is a loop's end in no place") {
    Layout layout;
    Pattern& pattern = layout.pattern;
    pattern.element.bytes = 1;
    pattern.tile = {1 << 20, 1 << 20, 1, 1};
    pattern.tile_bytes = uint64_t{1} << 40;
    for (uint64_t bit = 0; bit < 20; bit++) {
        pattern.equation.columns[axis_x].push_back(uint64_t{1} << (2 * bit));
        pattern.equation.columns[axis_y].push_back(uint64_t{2} << (2 * bit));
    }
    CHECK(tiled_bytes(layout, {{}, {1 << 20, 1 << 20, 1, 1}}) == uint64_t{1} << 40);
    // The last element, by the same columns: all bits of x and y but the lowest of y.
    CHECK(tiled_bytes(layout, {{}, {1 << 20, (1 << 20) - 1, 1, 1}}) == (uint64_t{1} << 40) - 2);
    Layout small = layout;
    small.pattern.tile = {1, 1, 1, 1};
    small.pattern.tile_bytes = 1;
    small.pattern.equation = {};
    const Box all = {{}, {1 << 24, 1 << 24, 1, 1}};
    small.stride = {2, uint64_t{2} << 24, 0, 0};
    small.pattern.index_xor.columns[axis_y] = {1};
    CHECK(tiled_bytes(small, all) == uint64_t{1} << 49);
    // Every tile may reach as far as any other.
    small.pattern.index_xor.columns[axis_y].assign(24, 0);
    std::mt19937_64 random(2);
    for (uint64_t& column : small.pattern.index_xor.columns[axis_y]) column = random() >> 20;
    small.stride = {2, 0, 0, 0};
    CHECK(message_of([&] { tiled_bytes(small, all); }).find("lie in one another too far") != std::string::npos);
}
