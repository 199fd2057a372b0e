#include "kernels/remap_candidates.h"
#include "patterns/remap/remap.h"
#include "tests/support/db_sample.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <doctest/doctest.h>
#include <map>
#include <set>

using namespace tilewise;

namespace {

bool covers_its_box(const Remap& remap) {
    std::set<Coord> texels;
    for (uint32_t i = 0; i < element_count(remap.shape); ++i) {
        const Coord at = remap(i);
        if (at[axis_x] >= remap.shape[axis_x] || at[axis_y] >= remap.shape[axis_y]) return false;
        texels.insert(at);
    }
    return texels.size() == element_count(remap.shape);
}

/// 16-byte texels on an H100: offsets of the bits of x and of y.
Layout rgba32f() { return sample::layout_of(16, {0x40, 0x100}, {0x10, 0x20, 0x80, 0x200, 0x400, 0x800, 0x1000}); }

kernels::Order follow_memory(const Coord& shape) {
    static const Pattern pattern = rgba32f().pattern;
    return {"learned", memory_order(pattern, shape)};
}

}  // namespace

TEST_CASE("memory order of 16x16 texels of 16 bytes on an H100 is the one that was measured to be best there") {
    // The layout, and the order of the invocation's bits, are of a prototype's measurement.
    const Layout layout = rgba32f();
    CHECK(columns_text(memory_order(layout.pattern, {16, 16, 1, 1})) == "y0 y1 x0 y2 x1 y3 x2 x3");
    CHECK(columns_text(memory_order(layout.pattern, {2, 4, 1, 1})) == "y0 y1 x0");
}

TEST_CASE("memory order is what the derivation gives in the shape that it chooses") {
    const Pattern pattern = sample::navi21().pattern;
    const Derivation derivation = derive_remap(pattern, {});
    CHECK(memory_order(pattern, derivation.remap.shape) == derivation.remap);
}

TEST_CASE("a thousand candidates: every shape of 64 to 1024 invocations, none twice, each one-to-one onto its box") {
    const std::vector<kernels::Order> orders = remap_candidates({}, follow_memory);
    CHECK(orders.size() == 1000);
    std::set<std::pair<Coord, std::vector<Coord>>> known;
    std::set<Coord> shapes;
    std::map<std::string, int> kinds;
    for (const kernels::Order& order : orders) {
        CHECK(known.emplace(order.remap.shape, order.remap.columns).second);
        CHECK(covers_its_box(order.remap));
        shapes.insert(order.remap.shape);
        kinds[order.name]++;
    }
    CHECK(shapes.size() == 7 + 8 + 9 + 10 + 11);
    CHECK(kinds["learned"] == 45);
    CHECK(kinds["row"] == 35);     // of boxes 1 texel wide or high, row order is memory order
    CHECK(kinds["morton"] == 30);  // of boxes 1 or 2 texels wide, or 1 high, Morton order is row order
    CHECK(kinds["matrix"] > 60);
    CHECK(kinds["permutation"] > 700);
}

TEST_CASE(
    "a seed decides the candidates: those of the tournaments that were recorded come again, another seed's do not") {
    const auto texts = [](uint64_t seed) {
        std::set<std::string> found;
        for (const kernels::Order& order : remap_candidates({1000, seed}, follow_memory))
            found.insert(shape_text(order.remap.shape) + " " + columns_text(order.remap));
        return found;
    };
    const std::set<std::string> seed_1 = texts(1), seed_2 = texts(2);
    const auto tournaments = nlohmann::json::parse(read_text(source_dir() + "/docs/results/nvidia-h200/tune.json"));
    size_t recorded = 0, of_seed_2 = 0;
    for (const auto& tournament : tournaments) {
        if (tournament.at("format") != "R32G32B32A32_SFLOAT" || tournament.at("seed") != 1) continue;
        for (const auto& heat : tournament.at("heats"))
            for (const auto& candidate : heat) {
                if (candidate.at("order") != "permutation" && candidate.at("order") != "matrix") continue;
                const std::vector<uint32_t> shape = candidate.at("shape");
                const std::string text =
                    shape_text({shape.at(0), shape.at(1), 1, 1}) + " " + candidate.at("columns").get<std::string>();
                CAPTURE(text);
                CHECK(seed_1.contains(text));
                of_seed_2 += seed_2.contains(text);
                ++recorded;
            }
    }
    CHECK(recorded > 100);
    CHECK(of_seed_2 < recorded / 10);  // small boxes have few permutations
}

TEST_CASE("where there are fewer remaps than were asked for, all permutations are found") {
    // Boxes of 4 texels: the two permutations each of 1x4, 2x2 and 4x1, and what XORs make of them.
    const auto orders = remap_candidates({1000, 1, 4, 4}, {});
    std::set<std::pair<Coord, std::vector<Coord>>> permutations;
    for (const kernels::Order& order : orders)
        if (order.name != "matrix") permutations.emplace(order.remap.shape, order.remap.columns);
    CHECK(permutations.size() == 6);
    CHECK(orders.size() <= 3 * 6);  // GL(2, 2) has 6 elements
}
