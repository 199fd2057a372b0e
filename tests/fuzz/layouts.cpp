#include "patterns/c_api.h"
#include "patterns/convert/convert.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/names.h"
#include "patterns/picture/picture.h"
#include "patterns/picture/svg.h"
#include "patterns/snippet/snippet.h"
#include "tests/fuzz/targets.h"
#include <algorithm>
#include <memory>

namespace tilewise::fuzz {

namespace {

constexpr uint64_t most_bytes = 1 << 20, most_elements = 1 << 11;

struct FreeLayout {
    void operator()(tilewise_layout* layout) const { tilewise_layout_free(layout); }
};

struct FreeImage {
    void operator()(tilewise_image* image) const { tilewise_image_free(image); }
};

void read_image(std::string_view text) {
    const std::unique_ptr<tilewise_image, FreeImage> image(tilewise_image_from_json(text.data(), text.size()));
    if (!image) return;
    const std::unique_ptr<char, void (*)(char*)> written(tilewise_image_to_json(image.get()), tilewise_text_free);
    const std::unique_ptr<tilewise_image, FreeImage> again(
        tilewise_image_from_json(written.get(), std::string_view(written.get()).size()));
    require(again != nullptr, "an image layout that was written is read back");
}

/// Two tiles along each axis, and one element more; fewer where that would take long.
Coord small_extent(const Layout& layout) {
    Coord extent = unit_extent;
    for (Axis a : all_axes) {
        const uint64_t wanted = 2 * uint64_t{layout.pattern.tile[a]} + 1;
        extent[a] = static_cast<uint32_t>(std::min(wanted, most_elements / element_count(extent)));
    }
    if (layout.stride[axis_s] == 0 && layout.pattern.tile[axis_s] == 1) extent[axis_s] = 1;
    return extent;
}

bool one_to_one(std::vector<uint64_t> offsets, uint64_t element_bytes) {
    std::ranges::sort(offsets);
    for (size_t i = 1; i < offsets.size(); i++)
        if (offsets[i] - offsets[i - 1] < element_bytes) return false;
    return true;
}

void require_addresses(const Layout& layout, const Coord& extent) {
    const AxisTables tables(layout, extent);
    const ElementFinder element_at(layout, extent);
    std::vector<uint64_t> offsets;
    for (uint64_t i = 0; i < element_count(extent); i++) {
        const Coord at = element_at_index(extent, i);
        offsets.push_back(offset_of(layout, at));
        require(tables.at(at) == offsets.back(), "tables and formula agree");
        if (const auto found = element_at(offsets.back()))
            require(offset_of(layout, *found) == offsets.back(), "an element found lies where it was looked for");
    }
    const Box box = {{}, extent};
    uint64_t size = 0;
    if (!accepted([&] { size = tiled_bytes(layout, box); }) || size > most_bytes) return;
    const uint32_t bytes = layout.pattern.element.bytes;
    require(*std::ranges::max_element(offsets) + bytes <= size, "tiled_bytes() includes every element");

    std::vector<std::byte> rows(rows_bytes(layout.pattern.element, extent)), tiled(size), again(rows.size());
    for (size_t i = 0; i < rows.size(); i++) rows[i] = static_cast<std::byte>(i * 0x9e3779b1 >> 16);
    if (!accepted([&] {
            tile(layout, box, rows, tiled);
            detile(layout, box, tiled, again);
        }))
        return;
    if (!one_to_one(offsets, bytes)) return;
    require(again == rows, "what was tiled comes back");
    for (size_t i = 0; i < offsets.size(); i++)
        require(std::equal(&rows[i * bytes], &rows[i * bytes] + bytes, &tiled[offsets[i]]),
                "tile() puts elements where the layout says");
}

void write_code(const Layout& layout) {
    accepted([&] {
        SnippetRequest request;
        request.kind = SnippetKind::address;
        request.layout = layout;
        emit_snippet(request);
        request.kind = SnippetKind::texel;
        emit_snippet(request);
    });
    accepted([&] {
        SnippetRequest request;
        request.remap = derive_remap(layout.pattern, {}).remap;
        emit_snippet(request);
    });
}

}  // namespace

void layouts(Input input) {
    const std::string_view text = text_of(input);
    read_image(text);
    const std::unique_ptr<tilewise_layout, FreeLayout> parsed(tilewise_layout_from_json(text.data(), text.size()));
    if (!parsed) return;
    const Layout layout = layout_from_json(nlohmann::json::parse(text));
    require(layout_from_json(to_json(layout)) == layout, "a layout that was written is read back");
    pattern_name(layout.pattern);
    pattern_title(layout.pattern);
    address_bits(layout);
    memory_order(layout, 8, 8);
    tile_svg(layout);
    const Coord extent = small_extent(layout);
    accepted([&] { require_addresses(layout, extent); });
    accepted([&] { require_addresses(dense_layout(layout.pattern, extent), extent); });
    // This takes a hundred times as long as all the rest.
    if (input.size() % 16 == 0) write_code(layout);
}

}  // namespace tilewise::fuzz
