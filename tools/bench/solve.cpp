// How many elements per second the solver solves and proves, on one core: 4096x4096 images with patterns of every kind.
//   tilewise_bench_solve [WIDTH HEIGHT]
#include "patterns/solve/solve.h"
#include "patterns/model/layout_json.h"
#include "tools/bench/timing.h"
#include <cstdlib>
#include <fmt/format.h>
#include <sys/resource.h>

using namespace tilewise;

namespace {

struct SolvedTable {
    const char* name;
    const char* layout;
};

// Mesa's layouts (Turing: nil's GOB; navi21: addrlib's 64KB_R_X; UIF: v3d_tiling), with strides for 4096 texels per
// row.
constexpr SolvedTable subjects[] = {
    {"linear", R"({"element":{"bytes":4,"width":1,"height":1},"tile":{"width":1,"height":1,"depth":1,"bytes":4},
        "equation":["0","0"],"outer_xor":{},"stride":{"x":4,"y":16448,"z":0,"xor":{}},"constant":0,"base":0})"},
    {"Turing block-linear", R"({"element":{"bytes":4,"width":1,"height":1},
        "tile":{"width":16,"height":128,"depth":1,"bytes":8192},
        "equation":["0","0","x0","x1","y0","y1","x2","y2","x3","y3","y4","y5","y6"],"outer_xor":{},
        "stride":{"x":8192,"y":2097152,"z":0,"xor":{}},"constant":0,"base":0})"},
    {"navi21 64KB_R_X (outer XOR)", R"({"element":{"bytes":4,"width":1,"height":1},
        "tile":{"width":128,"height":128,"depth":1,"bytes":65536},
        "equation":["0","0","x0","x1","y0","y1","x2","y2","y4","x4^y4","y5","x5","x3","y3","x6","x6^y6"],
        "outer_xor":{"10":"tx0","11":"ty0","14":"ty0"},"stride":{"x":65536,"y":2097152,"z":0,"xor":{}},
        "constant":0,"base":0})"},
    {"Broadcom UIF (tile-index XOR)", R"({"element":{"bytes":4,"width":1,"height":1},
        "tile":{"width":32,"height":8,"depth":1,"bytes":1024},
        "equation":["0","0","x0","x1","y0","y1","x2","y2","x3","x4"],"outer_xor":{},
        "stride":{"x":524288,"y":1024,"z":0,"xor":{"4":"tx0"}},"constant":0,"base":0})"},
};

Table table_of(const Layout& layout, uint32_t width, uint32_t height) {
    Table table;
    table.element = layout.pattern.element;
    table.extent = {width, height, 1, 1};
    table.offsets.resize(element_count(table.extent));
    const AxisTables tables(layout, table.extent);
    for (uint32_t y = 0; y < height; y++) tables.row(y, 0, 0, &table.offsets[size_t{y} * width]);
    return table;
}

double peak_megabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

int main(int argc, char** argv) {
    const uint32_t width = argc > 2 ? static_cast<uint32_t>(std::atoi(argv[1])) : 4096;
    const uint32_t height = argc > 2 ? static_cast<uint32_t>(std::atoi(argv[2])) : 4096;
    if (width == 0 || height == 0) {
        fmt::print(stderr, "usage: tilewise_bench_solve [WIDTH HEIGHT]\n");
        return 2;
    }
    constexpr size_t repetitions = 7;
    for (const SolvedTable& subject : subjects) {
        const Layout layout = layout_from_json(nlohmann::json::parse(subject.layout));
        const Table table = table_of(layout, width, height);
        Solution solution;
        const std::function<void()> work[] = {[&] { solution = solve(table); }};
        const Rate rate =
            rate_of(sorted_seconds(work, repetitions)[0], static_cast<double>(table.offsets.size()) / 1e6);
        if (solution.fit != Fit::exact) {
            fmt::print(stderr, "tilewise_bench_solve: {}: {}\n", subject.name, solution.reason);
            return 1;
        }
        const double table_megabytes = static_cast<double>(table.offsets.size() * sizeof(uint64_t)) / (1 << 20);
        fmt::print(
            "{:30} {}x{}: {:6.0f} M elements/s (median of {}, {:.0f} to {:.0f}); peak memory {:.2f} times the table\n",
            subject.name, width, height, rate.median, repetitions, rate.low, rate.high,
            peak_megabytes() / table_megabytes);
    }
    return 0;
}
