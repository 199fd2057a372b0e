#include "navi21.h"
#include "patterns/snippet/snippet.h"  // the other way of writing it works, too
#include <cstdio>
#include <numeric>
#include <tilewise/patterns/convert/convert.h>
#include <tilewise/patterns/model/error.h>
#include <tilewise/patterns/model/layout_json.h>
#include <tilewise/patterns/remap/remap.h>

int main() {
    const tilewise::Layout layout = tilewise::layout_from_json(nlohmann::json::parse(navi21_json));
    for (const auto& row : navi21_rows)
        if (tilewise::offset_of(layout, {row.x, row.y, 0, 0}) != row.offset) {
            std::printf("(%u,%u) is elsewhere\n", row.x, row.y);
            return 1;
        }

    const tilewise::Box image = {{}, {256, 256, 1, 1}};
    std::vector<uint32_t> rows(256 * 256), tiled(256 * 256), again(256 * 256);
    std::iota(rows.begin(), rows.end(), 0U);
    tilewise::tile(layout, image, std::as_bytes(std::span(rows)), std::as_writable_bytes(std::span(tiled)));
    tilewise::detile(layout, image, std::as_bytes(std::span(tiled)), std::as_writable_bytes(std::span(again)));
    for (const auto& row : navi21_rows)
        if (tiled[row.offset / 4] != row.y * 256 + row.x) return 2;
    if (again != rows) return 3;

    const tilewise::Derivation derivation = tilewise::derive_remap(layout.pattern, {});
    if (derivation.remap.columns.size() != 8) return 4;
    tilewise::SnippetRequest request;
    request.remap = derivation.remap;
    if (tilewise::emit_snippet(request).find("tilewise_remap") == std::string::npos) return 5;
    try {
        tilewise::detile(layout, image, {}, {});
        return 6;
    } catch (const tilewise::Error&) {
    }
    std::puts("C++: as the driver's table says");
    return 0;
}
