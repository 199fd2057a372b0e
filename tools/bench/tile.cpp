// How fast whole images are tiled and detiled on one core, compared with memcpy of the same bytes: in memory with small
// pages, as malloc returns it, and with huge pages (Linux).
//   tilewise_bench_tile [WIDTH HEIGHT]
#include "patterns/convert/plan.h"
#include "patterns/model/bits.h"
#include "patterns/model/layout_json.h"
#include "tools/bench/timing.h"
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <random>
#include <sys/mman.h>

using namespace tilewise;

namespace {

struct TimedLayout {
    const char* name;
    const char* layout;
};

// Mesa's layouts, each with the source from which the tables of tests/data/layouts were generated. Strides are dense.
constexpr TimedLayout subjects[] = {
    {"linear, 4 B", R"({"element":{"bytes":4,"width":1,"height":1},"tile":{"width":1,"height":1,"depth":1,"bytes":4},
        "equation":["0","0"],"outer_xor":{},"stride":{"x":4,"y":16384,"z":0,"xor":{}},"constant":0,"base":0})"},
    {"Turing, 1 B", R"({"element":{"bytes":1,"width":1,"height":1},
        "tile":{"width":64,"height":128,"depth":1,"bytes":8192},
        "equation":["x0","x1","x2","x3","y0","y1","x4","y2","x5","y3","y4","y5","y6"],"outer_xor":{},
        "stride":{"x":8192,"y":524288,"z":0,"xor":{}},"constant":0,"base":0})"},
    {"Turing, 4 B", R"({"element":{"bytes":4,"width":1,"height":1},
        "tile":{"width":16,"height":128,"depth":1,"bytes":8192},
        "equation":["0","0","x0","x1","y0","y1","x2","y2","x3","y3","y4","y5","y6"],"outer_xor":{},
        "stride":{"x":8192,"y":2097152,"z":0,"xor":{}},"constant":0,"base":0})"},
    {"Turing, 16 B", R"({"element":{"bytes":16,"width":1,"height":1},
        "tile":{"width":4,"height":128,"depth":1,"bytes":8192},
        "equation":["0","0","0","0","y0","y1","x0","y2","x1","y3","y4","y5","y6"],"outer_xor":{},
        "stride":{"x":8192,"y":8388608,"z":0,"xor":{}},"constant":0,"base":0})"},
    {"navi21 64KB_R_X, 4 B", R"({"element":{"bytes":4,"width":1,"height":1},
        "tile":{"width":128,"height":128,"depth":1,"bytes":65536},
        "equation":["0","0","x0","x1","y0","y1","x2","y2","y4","x4^y4","y5","x5","x3","y3","x6","x6^y6"],
        "outer_xor":{"10":"tx0","11":"ty0","14":"ty0"},"stride":{"x":65536,"y":2097152,"z":0,"xor":{}},
        "constant":0,"base":0})"},
    {"Apple twiddled, 4 B", R"({"element":{"bytes":4,"width":1,"height":1},
        "tile":{"width":64,"height":64,"depth":1,"bytes":16384},
        "equation":["0","0","x0","y0","x1","y1","x2","y2","x3","y3","x4","y4","x5","y5"],"outer_xor":{},
        "stride":{"x":16384,"y":1048576,"z":0,"xor":{}},"constant":0,"base":0})"},
    {"Mali u-interleaved, 4 B", R"({"element":{"bytes":4,"width":1,"height":1},
        "tile":{"width":16,"height":16,"depth":1,"bytes":1024},
        "equation":["0","0","x0^y0","y0","x1^y1","y1","x2^y2","y2","x3^y3","y3"],"outer_xor":{},
        "stride":{"x":1024,"y":262144,"z":0,"xor":{}},"constant":0,"base":0})"},
    {"Broadcom UIF, 4 B", R"({"element":{"bytes":4,"width":1,"height":1},
        "tile":{"width":32,"height":8,"depth":1,"bytes":1024},
        "equation":["0","0","x0","x1","y0","y1","x2","y2","x3","x4"],"outer_xor":{},
        "stride":{"x":524288,"y":1024,"z":0,"xor":{"4":"tx0"}},"constant":0,"base":0})"},
};

struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
};
using Bytes = std::unique_ptr<std::byte[], Free>;

enum class Pages { small, huge };
constexpr size_t huge_page = 2 << 20;

Bytes random_bytes(size_t count, Pages pages, uint64_t seed) {
    const size_t whole = round_up(count, huge_page);
    Bytes bytes(static_cast<std::byte*>(std::aligned_alloc(huge_page, whole)));
    if (!bytes) throw std::bad_alloc();
    madvise(bytes.get(), whole, pages == Pages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    std::mt19937_64 random(seed);
    for (size_t i = 0; i < whole; i += sizeof(uint64_t)) {
        const uint64_t word = random();
        std::memcpy(&bytes[i], &word, sizeof word);
    }
    return bytes;
}

/// The interval is that of the order statistics: the median lies between the 6th and the 16th of 21 in 97% of cases.
constexpr size_t repetitions = 21, interval_rank = 5;

std::string text(const Rate& rate, const Rate& copy, const std::string& plan) {
    return fmt::format("{:6.2f} GB/s ({:.2f} to {:.2f}), {:3.0f}% of memcpy  {}", rate.median, rate.low, rate.high,
                       100 * rate.median / copy.median, plan);
}

/// Whether every element lies where the layout says, checked one by one.
bool is_right(const Layout& layout, const Coord& extent, const std::byte* tiled, const std::byte* rows) {
    const size_t size = layout.pattern.element.bytes;
    const AxisTables tables(layout, extent);
    std::vector<uint64_t> offsets(extent[axis_x]);
    for (uint32_t y = 0; y < extent[axis_y]; y++) {
        tables.row(y, 0, 0, offsets.data());
        for (const uint64_t offset : offsets) {
            if (std::memcmp(tiled + offset, rows, size) != 0) return false;
            rows += size;
        }
    }
    return true;
}

bool measure(const TimedLayout& subject, Pages pages, uint32_t width, uint32_t height) {
    const Layout layout =
        dense_layout(layout_from_json(nlohmann::json::parse(subject.layout)).pattern, {width, height, 1, 1});
    const Box box = {{}, {width, height, 1, 1}};
    const size_t tiled_size = tiled_bytes(layout, box), size = rows_bytes(layout.pattern.element, box.extent);
    const Bytes rows = random_bytes(size, pages, 1), image = random_bytes(tiled_size, pages, 2);
    const Bytes new_rows = random_bytes(size, pages, 3), new_image = random_bytes(tiled_size, pages, 4);
    const Bytes copy = random_bytes(size, pages, 5);
    const std::function<void()> work[] = {
        [&] {
            detile(layout, box, {image.get(), tiled_size}, {new_rows.get(), size});
        },
        [&] {
            tile(layout, box, {rows.get(), size}, {new_image.get(), tiled_size});
        },
        [&] { std::memcpy(copy.get(), rows.get(), size); },
    };
    for (const auto& once : work) once();  // warms up, and gives the results that are checked
    if (!is_right(layout, box.extent, image.get(), new_rows.get()) ||
        !is_right(layout, box.extent, new_image.get(), rows.get())) {
        fmt::print(stderr, "tilewise_bench_tile: {}: the result is wrong\n", subject.name);
        return false;
    }
    const auto seconds = sorted_seconds(work, repetitions);
    const auto rate = [&](size_t of_work) {  // GB/s of the image's bytes
        return rate_of(seconds[of_work], static_cast<double>(size) / 1e9, interval_rank);
    };
    const auto plan = [&](ConvertDirection direction, const Bytes& to) {
        return plan_name(
            make_plan(conversion_of(layout, box, full_pitch(layout.pattern.element, box.extent), direction, to.get())));
    };
    const Rate copied = rate(2);
    fmt::print("{:24} detile {}\n{:24} tile   {}\n{:24} memcpy {:6.2f} GB/s ({:.2f} to {:.2f})\n", subject.name,
               text(rate(0), copied, plan(ConvertDirection::detile, new_rows)), "",
               text(rate(1), copied, plan(ConvertDirection::tile, new_image)), "", copied.median, copied.low,
               copied.high);
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    const uint32_t width = argc > 2 ? static_cast<uint32_t>(std::atoi(argv[1])) : 4096;
    const uint32_t height = argc > 2 ? static_cast<uint32_t>(std::atoi(argv[2])) : 4096;
    if (width == 0 || height == 0) {
        fmt::print(stderr, "usage: tilewise_bench_tile [WIDTH HEIGHT]\n");
        return 2;
    }
    fmt::print("{}x{}, random bytes, median of {} and its 95% interval, time of one core\n", width, height,
               repetitions);
    for (const Pages pages : {Pages::small, Pages::huge}) {
        fmt::print("\n{} pages\n", pages == Pages::small ? "small" : "huge");
        for (const TimedLayout& subject : subjects)
            if (!measure(subject, pages, width, height)) return 1;
    }
    return 0;
}
