// The tables of tests/data/layouts.
#pragma once
#include "patterns/solve/solve.h"
#include "tests/support/paths.h"
#include <algorithm>
#include <cstdio>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace tilewise {

inline std::string unpacked(const std::filesystem::path& path) {
#ifdef TILEWISE_UNPACKED_TABLES  // where there is no xz, the build unpacks them
    std::ifstream file(std::filesystem::path(TILEWISE_UNPACKED_TABLES) / path.stem(), std::ios::binary);
    REQUIRE(file);
    return {std::istreambuf_iterator<char>(file), {}};
#else
    const std::string command = "xz -dc '" + path.string() + "'";
    FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe);
    std::string text;
    char buffer[65536];
    while (size_t n = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
    REQUIRE(pclose(pipe) == 0);
    return text;
#endif
}

inline std::vector<std::filesystem::path> table_paths() {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/tests/data/layouts"))
        if (entry.path().extension() == ".xz") paths.push_back(entry.path());
    std::ranges::sort(paths);
    return paths;
}

/// tests/data/layouts/NAME.csv.xz
inline std::string table_text(const std::string& name) {
    return unpacked(source_dir() + "/tests/data/layouts/" + name + ".csv.xz");
}

/// The layout of tests/data/layouts/NAME.csv.xz, which has an exact pattern.
inline Layout table_layout(const std::string& name) {
    const Solution solution = solve(parse_table_csv(table_text(name)));
    REQUIRE(solution.fit == Fit::exact);
    return solution.layout;
}

}  // namespace tilewise
