// The 19 tables of tests/data/layouts against the equations that an independent fitter found for them (.eq files).
#include "patterns/model/layout_json.h"
#include "patterns/solve/solve.h"
#include "tests/support/layout_formula.h"
#include "tests/support/paths.h"
#include "tests/support/table_files.h"
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <map>

using namespace tilewise;

namespace {

std::string read(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The rows "PREFIX.aN = x0 ^ y1" of an .eq file, without blanks, by bit.
std::map<int, std::string> equations(const std::string& eq, const std::string& prefix) {
    std::map<int, std::string> rows;
    std::istringstream lines(eq);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(prefix + ".a")) continue;
        const size_t equals = line.find('=');
        std::string row = line.substr(equals + 1);
        std::erase(row, ' ');
        rows[std::stoi(line.substr(prefix.size() + 2))] = row;
    }
    return rows;
}

/// "first tile {'x': 16, 'y': 128}" of an .eq file.
std::pair<uint32_t, uint32_t> first_tile(const std::string& eq) {
    unsigned x = 0, y = 0;
    const size_t at = eq.find("## first tile {");
    REQUIRE(at != std::string::npos);
    REQUIRE(sscanf(eq.c_str() + at, "## first tile {'x': %u, 'y': %u}", &x, &y) == 2);
    return {x, y};
}

uint64_t parity_of(const std::string& row, const Coord& at) {
    uint64_t value = 0;
    for (size_t i = 0; i < row.size(); i++) {
        if (row[i] == '^') continue;
        if (row[i] == 'x' || row[i] == 'y') {
            value ^= at[static_cast<size_t>(row[i] - 'x')] >> std::stoi(row.substr(i + 1)) & 1;
            while (i + 1 < row.size() && row[i + 1] != '^') i++;
        } else {
            value ^= row[i] == '1';
        }
    }
    return value;
}

Solution solution_of(const std::filesystem::path& path) {
    Solution solution = solve(parse_table_csv(unpacked(path)));
    INFO(path.filename().string(), ": ", solution.reason);
    REQUIRE(solution.fit == Fit::exact);
    return solution;
}

std::string eq_of(std::filesystem::path path) { return read(path.replace_extension().replace_extension(".eq")); }

Solution named(const char* name) {
    return solution_of(std::string(source_dir() + "/tests/data/layouts/") + name + ".csv.xz");
}

}  // namespace

TEST_CASE("all 19 tables are solved, and the formula of the JSON object gives back every element") {
    REQUIRE(table_paths().size() == 19);
    for (const auto& path : table_paths()) {
        CAPTURE(path.filename().string());
        const Table table = parse_table_csv(unpacked(path));
        const LayoutFormula formula(to_json(solution_of(path).layout));
        uint64_t wrong = 0;
        for (uint64_t i = 0; i < table.offsets.size(); i++)
            wrong += formula(element_at_index(table.extent, i)) != table.offsets[i];
        CHECK(wrong == 0);
    }
}

TEST_CASE("where the other fitter found one equation for the whole image, the solved layout equals it everywhere") {
    int compared = 0;
    for (const auto& path : table_paths()) {
        const std::string eq = eq_of(path);
        const auto whole = equations(eq, "whole");
        if (whole.empty()) continue;
        compared++;
        CAPTURE(path.filename().string());
        const Table table = parse_table_csv(unpacked(path));
        const Layout layout = solution_of(path).layout;
        uint64_t wrong = 0;
        for (uint64_t i = 0; i < table.offsets.size(); i += 37) {
            const Coord at = element_at_index(table.extent, i);
            uint64_t offset = 0;
            for (const auto& [bit, row] : whole) offset |= parity_of(row, at) << bit;
            wrong += offset_of(layout, at) != offset;
        }
        CHECK(wrong == 0);
    }
    CHECK(compared == 15);
}

TEST_CASE("the tile and its equation are the other fitter's, or a smaller tile that repeats") {
    for (const auto& path : table_paths()) {
        CAPTURE(path.filename().string());
        const std::string eq = eq_of(path);
        const Layout layout = solution_of(path).layout;
        const Pattern& pattern = layout.pattern;
        const auto [width, height] = first_tile(eq);
        REQUIRE(pattern.tile[axis_x] <= width);
        REQUIRE(pattern.tile[axis_y] <= height);
        if (pattern.tile[axis_x] != width || pattern.tile[axis_y] != height) {
            CHECK(pattern.outer_xor.is_zero());
            CHECK(pattern.index_xor.is_zero());
            continue;
        }
        if (pattern.counts_elements()) continue;  // the other fitter has no equation for 12-byte elements
        const nlohmann::json object = to_json(layout);
        const auto rows = equations(eq, "tile");
        REQUIRE(object["equation"].size() == rows.size());
        for (const auto& [bit, row] : rows) {
            std::string ours = object["equation"][static_cast<size_t>(bit)];
            if (layout.constant >> bit & 1) ours += "^1";
            CHECK(ours == row);
        }
        const auto outer = equations(eq, "tilexor");
        CHECK(object["outer_xor"].size() == outer.size());
        for (const auto& [bit, row] : outer) {
            // Their coordinates are called xt0 where ours are tx0.
            CHECK(object["outer_xor"][std::to_string(bit)] == std::string{'t', row[0]} + row.substr(2));
        }
    }
}

TEST_CASE(
    "smaller tiles than the other fitter's are found for TileY and gfx12 only: columns of whole words that repeat") {
    std::vector<std::string> smaller;
    for (const auto& path : table_paths()) {
        const Pattern pattern = solution_of(path).layout.pattern;
        const auto [width, height] = first_tile(eq_of(path));
        if (pattern.tile[axis_x] != width || pattern.tile[axis_y] != height)
            smaller.push_back(path.filename().string().substr(0, path.filename().string().find('_', 6)));
    }
    CHECK(smaller == std::vector<std::string>{"amd_gfx12-gfx1201", "intel_gen6-gen12"});
}

TEST_CASE("linear rows keep their pitch, 12-byte texels included") {
    const Layout rgb = named("lavapipe_llvmpipe_linear-37x20_96bpp").layout;
    CHECK(rgb.pattern.is_linear());
    CHECK(rgb.pattern.element.bytes == 12);
    CHECK(rgb.stride == std::array<uint64_t, axis_count>{12, 512, 0, 0});
    const Layout rgba = named("lavapipe_llvmpipe_linear-300x50_32bpp").layout;
    CHECK(rgba.stride == std::array<uint64_t, axis_count>{4, 1216, 0, 0});
}

TEST_CASE("navi21 has outer XOR, Fermi a constant, Broadcom's UIF column-major tiles with an XORed index") {
    const auto navi21 = to_json(named("amd_gfx103-navi21_64KB-R-X_32bpp").layout);
    CHECK(nlohmann::json(navi21["outer_xor"]) == nlohmann::json({{"10", "tx0"}, {"11", "ty0"}, {"14", "ty0"}}));
    CHECK(named("nvidia_fermi-volta_bl16_32bpp").layout.constant == 0x20);
    const auto uif = to_json(named("broadcom_v3d42-71_UIF-XOR_32bpp").layout);
    CHECK(nlohmann::json(uif["stride"]) ==
          nlohmann::json({{"x", 32768}, {"y", 1024}, {"z", 0}, {"xor", {{"4", "tx0"}}}}));
}

TEST_CASE("an image whose size is no multiple of the tile has the pattern of the one whose size is") {
    CHECK(pattern_id(named("nvidia_turing-ada_h300w200_32bpp").layout.pattern) ==
          pattern_id(named("nvidia_turing-ada_bl16_32bpp").layout.pattern));
    CHECK(pattern_id(named("mali_utgard-valhall_u-interleaved-300x200_32bpp").layout.pattern) ==
          pattern_id(named("mali_utgard-valhall_u-interleaved_32bpp").layout.pattern));
}

TEST_CASE("one column of a tile is read, whose first element lies behind others of the tile") {
    // Images of 128x64 and 128x128 elements in 64 KiB have one column: their drivers put it anywhere in the tile.
    for (const char* name : {"navi21_rg32_1x174.csv", "navi21_d32_1x524.csv"}) {
        CAPTURE(name);
        const Table table = parse_table_csv(read(std::string(source_dir() + "/tests/data/") + name));
        const Solution solution = solve(table);
        CAPTURE(solution.reason);
        REQUIRE(solution.fit == Fit::exact);
        const LayoutFormula formula(to_json(solution.layout));
        for (uint64_t i = 0; i < table.offsets.size(); i++)
            REQUIRE(formula(element_at_index(table.extent, i)) == table.offsets[i]);
        Table wrong = table;
        wrong.offsets[100] ^= 64;
        CHECK(solve(wrong).fit == Fit::no_fit);
    }
}
