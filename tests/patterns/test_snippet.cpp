// Snippets as programs of integer operations, computed here and compared with patterns/.
#include "patterns/model/error.h"
#include "patterns/model/layout_json.h"
#include "patterns/snippet/function.h"
#include "patterns/snippet/snippet.h"
#include "patterns/solve/solve.h"
#include "tests/support/random_layout.h"
#include <algorithm>
#include <bit>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <random>

using namespace tilewise;

namespace {

/// The function's results, and the arguments by component.
std::vector<uint64_t> call(const ir::Function& function, const std::vector<uint64_t>& arguments) {
    const std::vector<ir::Node>& nodes = function.program.nodes;
    std::vector<uint64_t> values(nodes.size());
    for (size_t i = 0; i < nodes.size(); i++) {
        const ir::Node& node = nodes[i];
        if (node.op == ir::Op::input)
            values[i] = arguments[i];
        else if (node.op == ir::Op::constant)
            values[i] = node.constant;
        else
            values[i] = ir::compute(node.op, node.wide, values[node.a], values[node.b]);
    }
    std::vector<uint64_t> results;
    for (ir::Value result : function.results) results.push_back(values[result]);
    return results;
}

/// With the order of strides, and without a base: as snippets have it.
Layout in_order(Layout layout) {
    layout.base = 0;
    return layout_from_json(to_json(layout));
}

template <typename Values>
std::vector<uint64_t> first(const Values& values, unsigned n) {
    return {values.begin(), values.begin() + n};
}

std::vector<uint64_t> joined(std::vector<uint64_t> a, const std::vector<uint64_t>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

ir::Function function_of(SnippetKind kind, const Layout& layout, bool wide, Language language = Language::glsl) {
    SnippetRequest request;
    request.language = language;
    request.kind = kind;
    request.layout = layout;
    return snippet_function(request, wide);
}

}  // namespace

TEST_CASE("address and texel of random layouts agree with offset_of at every element") {
    std::mt19937_64 random(7);
    for (int round = 0; round < 120; round++) {
        const RandomImage image = random_image(random);
        const Layout layout = in_order(image.layout);
        const bool wide = round % 2 == 1;
        const unsigned dimensions = snippet_dimensions(layout);
        const ir::Function address = function_of(SnippetKind::address, layout, wide);
        const ir::Function texel = function_of(SnippetKind::texel, layout, wide);
        const std::vector<uint64_t> stride = first(layout.stride, dimensions);
        uint64_t wrong = 0;
        for (uint64_t i = 0; i < element_count(image.extent); i++) {
            const Coord at = element_at_index(image.extent, i);
            const uint64_t offset = offset_of(layout, at);
            wrong += call(address, joined(first(at, dimensions), stride))[0] != offset;
            const uint64_t inside = offset + i % layout.pattern.element.bytes;
            wrong += call(texel, joined({inside}, stride)) != first(at, dimensions);
        }
        INFO(to_json(layout).dump());
        REQUIRE(wrong == 0);
    }
}

TEST_CASE("address and texel by pdep and pext agree with offset_of at every element") {
    std::mt19937_64 random(11);
    for (int round = 0; round < 60; round++) {
        const RandomImage image = random_image(random);
        const Layout layout = in_order(image.layout);
        const unsigned dimensions = snippet_dimensions(layout);
        const std::vector<uint64_t> stride = first(layout.stride, dimensions);
        const ir::Function address = function_of(SnippetKind::address, layout, true, Language::c_pdep);
        const ir::Function texel = function_of(SnippetKind::texel, layout, true, Language::c_pdep);
        uint64_t wrong = 0;
        for (uint64_t i = 0; i < element_count(image.extent); i++) {
            const Coord at = element_at_index(image.extent, i);
            const uint64_t offset = offset_of(layout, at);
            wrong += call(address, joined(first(at, dimensions), stride))[0] != offset;
            wrong += call(texel, joined({offset}, stride)) != first(at, dimensions);
        }
        INFO(to_json(layout).dump());
        REQUIRE(wrong == 0);
    }
}

TEST_CASE("group orders agree with group_position for any grid") {
    std::vector<GroupOrder> orders = {{}, {GroupOrderKind::strips, 1}, {GroupOrderKind::strips, 8}};
    orders.push_back({GroupOrderKind::tiles, 0, {4, 2, 1, 1}});
    orders.push_back({GroupOrderKind::tiles, 0, {3, 5, 2, 1}, {axis_y, axis_x, axis_z, axis_s}});
    orders.push_back({GroupOrderKind::tiles, 0, {1, 4, 2, 1}, {axis_z, axis_x, axis_y, axis_s}});
    for (const GroupOrder& order : orders) {
        SnippetRequest request;
        request.kind = SnippetKind::group_order;
        request.group_order = order;
        const ir::Function function = snippet_function(request, false);
        for (const Coord& groups : {Coord{1, 1, 1, 1}, Coord{17, 13, 1, 1}, Coord{8, 8, 3, 1}, Coord{5, 9, 7, 1}}) {
            uint64_t wrong = 0;
            for (uint64_t id = 0; id < element_count(groups); id++)
                wrong += call(function, joined({id}, first(groups, 3))) != first(group_position(order, groups, id), 3);
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("remaps agree with the matrix at every invocation") {
    std::mt19937_64 random(3);
    std::vector<Remap> remaps = {row_order({32, 8, 1, 1}), row_order({64, 1, 1, 1}), morton_order({16, 16, 1, 1}),
                                 morton_order({4, 4, 4, 1}), rdna_order()};
    for (int i = 0; i < 100; i++) {
        Remap remap = morton_order({16u << i % 3, 8, 1u << i % 2, 1});
        std::shuffle(remap.columns.begin(), remap.columns.end(), random);
        for (int j = 0; j < i % 5; j++) {  // a column added to another one leaves the map one-to-one
            const size_t from = random() % remap.columns.size(), to = random() % remap.columns.size();
            for (Axis a : all_axes)
                if (from != to) remap.columns[to][a] ^= remap.columns[from][a];
        }
        remaps.push_back(remap);
    }
    for (const Remap& remap : remaps) {
        SnippetRequest request;
        request.remap = remap;
        const ir::Function function = snippet_function(request, false);
        uint64_t wrong = 0;
        for (uint32_t i = 0; i < element_count(remap.shape); i++)
            wrong += call(function, {i}) != first(remap(i), static_cast<unsigned>(function.results.size()));
        CHECK(wrong == 0);
    }
}

TEST_CASE("the comment names what the code rests on") {
    SnippetRequest request;
    request.remap = rdna_order();
    request.provenance = "tilewise 9.9.9: pattern 0123\na device";
    for (int language = 0; language < 7; language++) {
        request.language = static_cast<Language>(language);
        const std::string code = emit_snippet(request);
        CHECK(code.starts_with("// tilewise 9.9.9: pattern 0123\n// a device\n"));
        CHECK(code.find("x0 y0 y1 x1 x2 y2") != std::string::npos);
        CHECK(code.find("tilewise_remap(") != std::string::npos);
        CHECK(language_from_name(language_name(request.language)) == request.language);
    }
    CHECK(language_from_name("Glsl") == Language::glsl);
    CHECK(language_from_name("Metal") == Language::msl);
    CHECK(language_from_name("C++") == Language::cpp);
    CHECK(language_from_name("HIP") == Language::cuda);
    CHECK_THROWS_AS(language_from_name("gl"), UsageError);
    CHECK_THROWS_AS(snippet_kind_from_name("swizzle"), UsageError);
}
