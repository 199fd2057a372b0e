// What compilers say of snippets: glslc, which counts operations, and g++, whose program computes what patterns/ does.
#include "patterns/snippet/snippet.h"
#include "patterns/solve/solve.h"
#include "tests/support/program.h"
#include "tests/support/table_files.h"
#include "tools/bench/spirv_operations.h"
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace tilewise;

TEST_CASE("Morton and rotated order take no more operations than by hand, counted by a compiler") {
    if (run({"glslc", "--version"}).code != 0) {
        MESSAGE("SKIPPED: no glslc");
        return;
    }
    const auto ours = [](const Remap& remap) {
        SnippetRequest request;
        request.remap = remap;
        return spirv_operations(shader_around(request));
    };
    const unsigned morton = spirv_operations(shader_around(handwritten_morton));
    const unsigned rotated = spirv_operations(shader_around(handwritten_rotated));
    CHECK(morton == 15);  // 7 for the bits of each coordinate, and a shift
    CHECK(ours(morton_order({16, 16, 1, 1})) <= morton);
    CHECK(ours(rdna_order()) <= rotated);
    CHECK(ours(rdna_order()) <= 9);  // by hand, with the two masks of each term made one
    CHECK(ours(row_order({16, 16, 1, 1})) == 2);
}

TEST_CASE("C++ snippets compile without a warning and give what patterns/ gives") {
    const char* const tables[] = {"amd_gfx103-navi21_64KB-R-X_32bpp", "broadcom_v3d42-71_UIF-XOR_32bpp",
                                  "nvidia_fermi-volta_bl16_32bpp", "mali_utgard-valhall_u-interleaved_32bpp",
                                  "lavapipe_llvmpipe_linear-37x20_96bpp"};
    constexpr uint32_t width = 150, height = 70;
    constexpr uint64_t columns = 160, rows = 96;  // more tiles than there are, in multiples of what F changes
    std::string text = "#include <algorithm>\n#include <cstdint>\n#include <cstdio>\n", main = "int main() {\n";
    std::string expected;
    SnippetRequest request;
    request.language = Language::cpp;
    for (size_t i = 0; i < std::size(tables); i++) {
        request.layout = table_layout(tables[i]);
        Layout& layout = request.layout;
        const Pattern& pattern = layout.pattern;
        const bool by_columns = pattern.order[0] == axis_y;
        layout.base = 0;
        layout.stride = {pattern.tile_bytes * (by_columns ? rows : 1), pattern.tile_bytes * (by_columns ? 1 : columns)};
        text += fmt::format("namespace s{} {{\n", i);
        for (SnippetKind kind : {SnippetKind::address, SnippetKind::texel}) {
            request.kind = kind;
            const std::string code = emit_snippet(request);
            // The types are there once, with the address.
            text += kind == SnippetKind::address ? code : code.substr(code.find("constexpr"));
        }
        text += "}\n";
        main += fmt::format(
            "    for (uint32_t y = 0; y < {1}; y++)\n        for (uint32_t x = 0; x < {2}; x++) {{\n"
            "            const uint64_t at = s{0}::tilewise_address({{x, y}}, {{{3}, {4}}});\n"
            "            const auto back = s{0}::tilewise_texel(at + {5}, {{{3}, {4}}});\n"
            "            std::printf(\"%llu %u %u\\n\", static_cast<unsigned long long>(at), back.x, back.y);\n        "
            "}}\n",
            i, height, width, layout.stride[axis_x], layout.stride[axis_y], pattern.element.bytes - 1);
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t x = 0; x < width; x++)
                expected += fmt::format("{} {} {}\n", offset_of(layout, {x, y, 0, 0}), x, y);
    }
    const Folder folder;
    write_text(folder / "snippets.cpp", text + main + "}\n");
    const Ended compiled = run({"g++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow",
                                "-Wconversion", "-Werror", "-o", folder / "snippets", folder / "snippets.cpp"});
    INFO(compiled.err.substr(0, 2000));
    REQUIRE(compiled.code == 0);
    CHECK((run({folder / "snippets"}).out == expected));
}
