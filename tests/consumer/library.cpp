// The C++ example of docs/library.md, on the layout of navi21.h.
#include "navi21.h"
#include <cstdio>
#include <optional>
#include <tilewise/patterns/convert/convert.h>
#include <tilewise/patterns/model/layout_json.h>
#include <vector>

int main() {
    const char* text = navi21_json;
    const std::vector<std::byte> memory(15 * 9 * 65536);
    // The layout of the images at hand; text: a "layout" object that tilewise layout --json printed.
    tilewise::Layout seen = tilewise::layout_from_json(nlohmann::json::parse(text));
    tilewise::Coord extent = {1920, 1080, 1, 1};
    tilewise::Layout layout = tilewise::dense_layout(seen, extent);  // or `seen`, at the size it was seen at
    uint64_t offset = tilewise::offset_of(layout, {77, 133, 0, 0});  // where a texel lies
    std::optional<tilewise::Coord> texel = tilewise::element_of(layout, extent, offset);  // and back
    if (!texel || *texel != tilewise::Coord{77, 133, 0, 0}) return 1;

    std::vector<std::byte> rows(tilewise::rows_bytes(layout.pattern.element, extent));
    tilewise::detile(layout, {{}, extent}, memory, rows);  // a whole image, or any box of it
    std::puts("C++: the example of docs/library.md");
    return 0;
}
