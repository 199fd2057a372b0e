// Counts the integer operations in the snippets of every known pattern, or of the named ones, and prints markdown
// tables:
//   tilewise_bench_operations [ID]... > tables
#include "db/query/query.h"
#include "db/sqlite/open.h"
#include "patterns/remap/remap.h"
#include "tools/bench/spirv_operations.h"
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <string>
#include <vector>

using namespace tilewise;

namespace {

unsigned of_remap(const Remap& remap) {
    SnippetRequest request;
    request.remap = remap;
    return spirv_operations(shader_around(request));
}

unsigned of_layout(SnippetKind kind, const Layout& layout) {
    SnippetRequest request;
    request.kind = kind;
    request.layout = layout;
    return spirv_operations(shader_around(request));
}

std::string of_derived_remap(const Pattern& pattern, uint32_t invocations) {
    if (pattern.is_linear()) return "-";
    RemapRequest request;
    request.invocations = invocations;
    return fmt::format("{}", of_remap(derive_remap(pattern, request).remap));
}

void print_tables(const std::vector<std::string>& ids) {
    fmt::print("| remap | by hand | tilewise |\n|---|---|---|\n");
    fmt::print("| Morton order, 16x16 | {} | {} |\n", spirv_operations(shader_around(handwritten_morton)),
               of_remap(morton_order({16, 16, 1, 1})));
    fmt::print("| rotated pairs, 8x8 | {} | {} |\n\n", spirv_operations(shader_around(handwritten_rotated)),
               of_remap(rdna_order()));

    fmt::print("| pattern | | seen on | remap 64 | remap 256 | address | texel |\n|---|---|---|---|---|---|---|\n");
    const db::Database catalog = db::open_catalog();
    for (const db::PatternSummary& pattern : db::find_patterns(catalog, {})) {
        if (!ids.empty() && std::ranges::find(ids, pattern.id) == ids.end()) continue;
        const Layout& layout = pattern.layout;
        fmt::print("| {} | {} | {} | {} | {} | {} | {} |\n", pattern.id, pattern.title,
                   pattern.devices.front().device->name, of_derived_remap(layout.pattern, 64),
                   of_derived_remap(layout.pattern, 256), of_layout(SnippetKind::address, layout),
                   of_layout(SnippetKind::texel, layout));
        std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        print_tables({argv + 1, argv + argc});
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}
