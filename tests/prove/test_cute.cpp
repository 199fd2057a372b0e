// Emitted CuTe layouts, compiled against a stand-in for CuTe and evaluated at every element.
#include "patterns/model/error.h"
#include "tests/prove/prove.h"
#include "tests/prove/tiles.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/table_files.h"
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

using namespace tilewise;
using namespace tilewise::prove;

namespace {

SnippetRequest request_of(const Layout& layout) {
    SnippetRequest request;
    request.language = Language::cute;
    request.kind = SnippetKind::address;
    request.layout = layout;
    return request;
}

/// The code, or why there is none.
struct EmittedLayouts {
    std::string code, refusal;
};
EmittedLayouts emitted(const SnippetRequest& request) {
    try {
        return {emit_snippet(request), ""};
    } catch (const Error& error) {
        return {"", error.what()};
    }
}

/// The snippet, and a C function of that name which fills `count` results.
std::string unit(const std::string& code, const std::string& name, const std::string& call, unsigned width) {
    std::string include = "#include <cute/tensor.hpp>\n", text = code;
    text.erase(text.find(include), include.size());
    std::vector<std::string> numbers;
    for (unsigned k = 0; k < width; ++k) numbers.push_back(fmt::format("in[{} * i + {}]", width, k));
    return fmt::format(
        "namespace snippet_{0} {{\n{1}}}\nextern \"C\" void {0}(const int64_t* in, int64_t* out, uint64_t count) {{\n"
        "    for (uint64_t i = 0; i < count; ++i) out[i] = snippet_{0}::{2}{{}}({3});\n}}\n",
        name, text, call, fmt::join(numbers, ", "));
}

using Evaluate = void (*)(const int64_t*, int64_t*, uint64_t);

struct Library {
    Folder folder;
    std::unique_ptr<void, int (*)(void*)> handle = {nullptr, dlclose};

    explicit Library(const std::string& units) {
        write_text(folder / "proof.cpp", "#include <cute/tensor.hpp>\n" + units);
        const Ended compiled =
            run({"g++", "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-I",
                 source_dir() + "/tests/prove/stand_in", folder / "proof.cpp", "-o", folder / "proof.so"});
        INFO(compiled.err.substr(0, 4000));
        REQUIRE(compiled.code == 0);
        handle.reset(dlopen((folder / "proof.so").c_str(), RTLD_NOW));
        REQUIRE(handle != nullptr);
    }

    std::vector<int64_t> operator()(const std::string& name, const std::vector<int64_t>& in, size_t count) const {
        const auto evaluate = reinterpret_cast<Evaluate>(dlsym(handle.get(), name.c_str()));
        if (!evaluate) FAIL("the library has no " << name);
        std::vector<int64_t> out(count, -1);
        evaluate(in.data(), out.data(), count);
        return out;
    }
};

}  // namespace

TEST_CASE("a pattern's CuTe layout gives every element's offset, with a swizzle where it takes one") {
    const std::vector<TileCase> cases = tile_cases(1 << 14);
    std::string units;
    std::vector<size_t> expressible;
    size_t swizzled = 0;
    for (size_t i = 0; i < cases.size(); ++i) {
        const std::string code = emitted(request_of(cases[i].layout)).code;
        if (code.empty()) continue;
        units += unit(code, "case_" + std::to_string(i), "tilewise_address", snippet_dimensions(cases[i].layout));
        expressible.push_back(i);
        swizzled += code.find("Swizzle") != std::string::npos;
    }
    const Library library(units);
    size_t elements = 0, tables = 0;
    for (const size_t i : expressible) {
        const TileCase& tile = cases[i];
        CAPTURE(tile.name);
        const unsigned width = snippet_dimensions(tile.layout);
        std::vector<int64_t> in, expected;
        for (size_t k = 0; k < tile.places.size(); ++k) {
            const Coord within = within_tile(tile.layout.pattern, tile.places[k]);
            in.insert(in.end(), within.begin(), within.begin() + width);
            expected.push_back(static_cast<int64_t>((tile.offsets[k] - tile_start(tile.layout, tile.places[k])) /
                                                    tile.layout.pattern.element.bytes));
        }
        CHECK(library("case_" + std::to_string(i), in, expected.size()) == expected);
        elements += expected.size();
        tables += tile.is_table;
    }
    fmt::print("CuTe: {} of {} patterns, {} of them swizzled, {} elements\n", expressible.size(), cases.size(),
               swizzled, elements);
    CHECK(tables >= 9);
    CHECK(swizzled >= 5);
    CHECK(expressible.size() >= 60);
}

TEST_CASE("what is no layout with a swizzle is refused in one line that says why") {
    struct RefusedRequest {
        std::string table, reason;
    };
    const RefusedRequest refused[] = {
        {"amd_gfx103-navi21_64KB-R-X_32bpp", "(G)"},
        {"amd_gfx8-polaris10_2DTHIN1_32bpp", ""},
        {"broadcom_v3d42-71_UIF-XOR_32bpp", "(F)"},
        {"lavapipe_llvmpipe_linear-300x50_32bpp", "the pattern is linear"},
        {"mali_utgard-valhall_u-interleaved_32bpp", "not a Swizzle<B,M,S> (a2=x0^y0, "},
        {"nvidia_fermi-volta_bl16_32bpp", "XOR"},
        {"qcom_a6xx_TILE6-3-4ch_32bpp", "not a Swizzle<B,M,S>"},
    };
    for (const RefusedRequest& each : refused) {
        CAPTURE(each.table);
        const std::string refusal = emitted(request_of(table_layout(each.table))).refusal;
        CHECK(refusal.starts_with("not expressible in CuTe: "));
        CHECK(refusal.find(each.reason) != std::string::npos);
        CHECK(refusal.find('\n') == std::string::npos);
    }
    SnippetRequest request = request_of(table_layout("apple_agx_twiddled_32bpp"));
    for (const SnippetKind kind :
         {SnippetKind::texel, SnippetKind::group_order, SnippetKind::kernel, SnippetKind::convert}) {
        request.kind = kind;
        CHECK_THROWS_AS(emit_snippet(request), UsageError);
    }
}

TEST_CASE("a remap's CuTe layout takes each index to its texel") {
    std::string units;
    std::vector<Remap> remaps = {row_order({32, 8, 1, 1}), morton_order({4, 4, 4, 1}), rdna_order()};
    for (const char* table : {"nvidia_turing-ada_bl16_32bpp", "amd_gfx103-navi21_64KB-R-X_32bpp",
                              "apple_agx_twiddled_32bpp", "intel_gen125plus_Tile4_32bpp"})
        remaps.push_back(derive_remap(table_layout(table).pattern, {}).remap);
    for (size_t i = 0; i < remaps.size(); ++i) {
        SnippetRequest request;
        request.language = Language::cute;
        request.remap = remaps[i];
        units += unit(emit_snippet(request), "remap_" + std::to_string(i), "tilewise_remap", 1);
    }
    const Library library(units);
    for (size_t i = 0; i < remaps.size(); ++i) {
        CAPTURE(i);
        std::vector<int64_t> in, expected;
        for (uint32_t index = 0; index < element_count(remaps[i].shape); ++index) {
            in.push_back(index);
            expected.push_back(static_cast<int64_t>(element_index(remaps[i].shape, remaps[i](index))));
        }
        CHECK(library("remap_" + std::to_string(i), in, in.size()) == expected);
    }
}
