#include "tools/answers/identify/possible_layouts.h"
#include "db/facts/kept_pattern.h"
#include "db/query/query.h"
#include "patterns/convert/convert.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/image_layout.h"
#include "patterns/model/names.h"
#include "patterns/model/one_to_one.h"
#include "tools/answers/add_once.h"
#include "tools/answers/answer.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace tilewise {

namespace {

/// What is known about one pattern.
struct ObservedPattern {
    Pattern pattern;
    std::vector<std::string> devices;
    std::vector<uint64_t> constants = {0};
    std::map<std::string, Layout> observed;  ///< at this very extent, by device
    Coord largest = {};                      ///< the largest level along each axis
    bool is_of_level_0 = false;              ///< some image has it in level 0
};

/// Whether only small images show the pattern, as the corner of a block, or small levels of larger ones do: larger
/// images do not have it.
bool is_too_small(const ObservedPattern& known, const Coord& extent) {
    return (mode_of(known.pattern).name == corner_mode || !known.is_of_level_0) &&
           (extent[axis_x] > known.largest[axis_x] || extent[axis_y] > known.largest[axis_y]);
}

std::map<std::string, ObservedPattern> known_patterns(const db::Database& database, const Element& element,
                                                      const Coord& extent) {
    std::map<std::string, ObservedPattern> known;
    for (const db::ObservationRow& row : db::find_observations(database, {})) {
        const db::ObservationFact& fact = row.fact;
        if (!fact.layout || fact.layout->pattern.element.bytes != element.bytes || fact.samples != 1) continue;
        if (fact.layout->pattern.is_linear()) continue;
        ObservedPattern& pattern = known[row.pattern];
        pattern.pattern = fact.layout->pattern;
        pattern.pattern.element = element;
        add_once(pattern.devices, row.device.name);
        if (std::ranges::find(pattern.constants, fact.layout->constant) == pattern.constants.end())
            pattern.constants.push_back(fact.layout->constant);
        const Coord seen = elements_of(level_extent_px(fact.extent_px, fact.level), element, 1);
        pattern.is_of_level_0 |= fact.level == 0;
        for (const Axis a : all_axes) pattern.largest[a] = std::max(pattern.largest[a], seen[a]);
        if (seen == extent && fact.level == 0 && fact.layer == 0)
            pattern.observed.emplace(row.device.name, *fact.layout);
    }
    return known;
}

class Collector {
public:
    Collector(PossibleLayouts& out, const Coord& extent, uint64_t base, uint64_t bytes)
        : out_(out), extent_(extent), base_(base), bytes_(bytes) {}

    void add(PossibleLayout choice) {
        choice.layout.base = base_;
        // A file with another element size, or a damaged row, may have strides too small for this image.
        if (fits(choice.layout) && why_not_one_to_one(choice.layout, extent_)) return;
        const auto same = [&](const PossibleLayout& other) { return other.layout == choice.layout; };
        if (std::ranges::any_of(out_.fitting, same)) return;
        if (fits(choice.layout))
            out_.fitting.push_back(std::move(choice));
        else
            out_.too_large++;
    }

private:
    bool fits(const Layout& layout) const {
        try {
            return tiled_bytes(layout, {{}, extent_}) <= bytes_;
        } catch (const Error&) {
            return false;  // beyond 64 bits
        }
    }

    PossibleLayouts& out_;
    const Coord& extent_;
    uint64_t base_, bytes_;
};

/// Adds layouts with padded rows of tiles. Tiles lie along the first axis of `axes` first, then along the second: a row
/// of tiles runs along the first.
void add_pitches(Collector& collector, const PossibleLayout& dense, const Coord& extent, uint64_t bytes) {
    const Layout& layout = dense.layout;
    const Pattern& pattern = layout.pattern;
    std::vector<Axis> axes;
    for (const Axis a : pattern.order)
        if (layout.stride[a] != 0) axes.push_back(a);
    if (axes.size() < 2) return;
    const uint64_t row = layout.stride[axes[1]];
    const auto with_row = [&](uint64_t row_bytes, const std::string& placed) {
        if (row_bytes < row) return;
        PossibleLayout choice = dense;
        for (size_t i = 1; i < axes.size(); i++)
            choice.layout.stride[axes[i]] = layout.stride[axes[i]] / row * row_bytes;
        choice.placed = placed;
        collector.add(std::move(choice));
    };
    for (const uint64_t multiple : {2U, 4U, 8U})
        with_row(round_up(row, multiple * pattern.tile_bytes),
                 fmt::format("rows of tiles in multiples of {}", multiple));
    const uint64_t rows = (extent[axes.back()] - 1) / pattern.tile[axes.back()] + 1;
    const uint64_t tiles = ceil_div(bytes, pattern.tile_bytes);
    if (axes.size() == 2 && tiles % rows == 0)
        with_row(tiles / rows * pattern.tile_bytes, "rows of tiles that fill the file");
}

void add_linear(Collector& collector, const Element& element, const Coord& extent, uint64_t bytes) {
    Pattern pattern;
    pattern.element = element;
    pattern.tile_bytes = element.bytes;
    const uint64_t row = uint64_t{extent[axis_x]} * element.bytes, rows = uint64_t{extent[axis_y]} * extent[axis_z];
    const auto with_pitch = [&](uint64_t pitch, const std::string& placed) {
        if (pitch < row) return;
        Layout layout = dense_layout(pattern, extent);
        if (layout.stride[axis_y] != 0) layout.stride[axis_y] = pitch;
        if (layout.stride[axis_z] != 0) layout.stride[axis_z] = pitch * extent[axis_y];
        collector.add({layout, "", placed, {}});
    };
    with_pitch(row, "without gaps");
    for (const uint64_t multiple : {4U, 16U, 32U, 64U, 128U, 256U, 512U, 1024U, 4096U})
        with_pitch(round_up(row, multiple), fmt::format("pitch in multiples of {}", multiple));
    if (bytes % rows == 0) with_pitch(bytes / rows, "rows that fill the file");
    if (rows > 1 && bytes >= row && (bytes - row) % (rows - 1) == 0)
        with_pitch((bytes - row) / (rows - 1), "rows that fill the file, but for the last one's padding");
}

}  // namespace

PossibleLayouts possible_layouts(const db::Database& database, const Element& element, const Coord& extent,
                                 uint64_t base, uint64_t bytes) {
    PossibleLayouts found;
    Collector collector(found, extent, base, bytes);
    const uint64_t behind_base = bytes - std::min(bytes, base);
    add_linear(collector, element, extent, behind_base);
    const auto add_with_pitches = [&](const PossibleLayout& dense) {
        collector.add(dense);
        add_pitches(collector, dense, extent, behind_base);
    };
    for (const auto& [id, known] : known_patterns(database, element, extent)) {
        for (const auto& [device, layout] : known.observed)
            collector.add({layout, id, fmt::format("as seen on {}", device), known.devices});
        if (is_too_small(known, extent)) continue;
        PossibleLayout dense = {dense_layout(known.pattern, extent), id, "without gaps", known.devices};
        for (const uint64_t constant : known.constants) {
            dense.layout.constant = constant;
            add_with_pitches(dense);
        }
    }
    for (const db::KeptPattern& kept : db::kept_patterns(database)) {
        if (kept.layout.pattern.element.bytes != element.bytes || kept.layout.pattern.is_linear()) continue;
        PossibleLayout dense = {dense_layout(kept.layout.pattern, extent), kept.name, "without gaps", {}};
        dense.layout.pattern.element = element;
        dense.layout.constant = kept.layout.constant;
        add_with_pitches(dense);
    }
    for (const ModeRequest& request : requests_without_a_chip()) {
        const Answer<Layout> layout = answer_of([&] { return defined_layout(request, element, extent); });
        if (layout.index() != 0) continue;  // the mode has no such elements
        const PossibleLayout dense = {
            std::get<Layout>(layout), pattern_id(std::get<Layout>(layout).pattern), "without gaps", {}, request};
        add_with_pitches(dense);
    }
    return found;
}

}  // namespace tilewise
