#include "db/query/query.h"
#include "db/sqlite/open.h"
#include "patterns/convert/convert.h"
#include "patterns/model/one_to_one.h"
#include "probe/formats/formats.h"
#include "tests/fuzz/targets.h"
#include "tools/answers/identify/possible_layouts.h"
#include "tools/answers/identify/smoothness.h"
#include <algorithm>

namespace tilewise::fuzz {

namespace {

constexpr size_t head_bytes = 8;

/// Patterns of three vendors: all of the catalog would take 200 ms an input.
const db::Database& catalog() {
    static const db::Database database = [] {
        std::vector<db::CatalogFile> files;
        std::ranges::copy_if(db::embedded_catalog(), std::back_inserter(files), [](const db::CatalogFile& file) {
            return file.name == "apple-honeykrisp.json" || file.name == "arm-panvk.json" ||
                   file.name == "published-tables.json";
        });
        return db::open_catalog(files);
    }();
    return database;
}

const std::vector<db::PatternSummary>& patterns() {
    static const std::vector<db::PatternSummary> all = db::find_patterns(catalog(), {});
    return all;
}

void convert(const Layout& layout, const Coord& extent, std::span<const std::byte> memory) {
    const Box box = {{}, extent};
    const uint64_t needed = tiled_bytes(layout, box);
    std::vector<std::byte> rows(rows_bytes(layout.pattern.element, extent));
    const bool done = accepted([&] { detile(layout, box, memory, rows); });
    require(done == (memory.size() >= needed), "an image is refused where bytes are missing, and only there");
    if (!done) return;
    std::vector<std::byte> tiled(needed), again(rows.size());
    tile(layout, box, rows, tiled);
    detile(layout, box, tiled, again);
    require(again == rows, "what was detiled and tiled comes back");
}

void identify(const probe::Format& format, const Coord& extent, uint64_t base, std::span<const std::byte> memory) {
    std::vector<PossibleLayout> choices =
        possible_layouts(catalog(), format.element, extent, base, memory.size()).fitting;
    if (choices.size() > 3) choices.resize(3);
    const std::vector<Channel> channels = channels_of(format);
    for (const PossibleLayout& choice : choices) {
        const TiledPicture picture = {memory, extent, channels, choice.layout};
        contrast_with_noise(picture);
        roughest_border(picture, 6);
        contrast(picture, {memory, extent, channels, choices.front().layout});
    }
}

}  // namespace

void images(Input input) {
    if (input.size() < head_bytes) return;
    const std::span<const std::byte> memory = std::as_bytes(input.subspan(head_bytes));
    const std::span<const probe::Format> formats = probe::known_formats();
    const probe::Format& format = formats[input[0] % formats.size()];
    const Coord extent = {input[1] % 64U + 1, input[2] % 64U + 1, input[3] % 4U + 1, 1};
    const uint64_t base = input[4];
    Layout layout = dense_layout(patterns()[input[5] % patterns().size()].layout.pattern, extent);
    layout.base = base;
    layout.stride[axis_y] += uint64_t{layout.pattern.tile_bytes} * (input[6] % 4U);
    // A longer stride along y may lead into the tiles of the next slice.
    if (!why_not_one_to_one(layout, extent)) accepted([&] { convert(layout, extent, memory); });
    accepted([&] { identify(format, extent, base, memory); });
}

}  // namespace tilewise::fuzz
