#include "patterns/convert/whole_image.h"
#include "patterns/model/bits.h"
#include "patterns/model/one_to_one.h"
#include "patterns/model/parallel.h"
#include <algorithm>
#include <optional>

namespace tilewise {

namespace {

/// Large enough that starting a band costs little in comparison, and that tile() writes past the caches.
constexpr uint64_t band_bytes = 16 << 20;

/// A part of a subresource: whole tiles along the axis across which it is cut.
struct Band {
    size_t part;
    Box box;
};

Axis cut_axis(const ImagePart& part) {
    const auto tiles = [&](Axis a) { return ceil_div(part.extent[a], part.layout.pattern.tile[a]); };
    return tiles(axis_z) > 1 ? axis_z : axis_y;
}

void append_bands(size_t index, const ImagePart& part, std::vector<Band>& bands) {
    const Axis cut = cut_axis(part);
    const uint32_t tile = part.layout.pattern.tile[cut];
    const uint64_t row_of_tiles =
        element_count(part.extent) / part.extent[cut] * part.layout.pattern.element.bytes * tile;
    const uint64_t rows = std::max<uint64_t>(1, band_bytes / std::max<uint64_t>(row_of_tiles, 1));
    const auto step = static_cast<uint32_t>(std::min<uint64_t>(rows * tile, part.extent[cut]));
    for (uint64_t from = 0; from < part.extent[cut]; from += step) {
        Band band = {index, {{}, part.extent}};
        band.box.from[cut] = static_cast<uint32_t>(from);
        band.box.extent[cut] = static_cast<uint32_t>(std::min<uint64_t>(step, part.extent[cut] - from));
        bands.push_back(band);
    }
}

/// Parts whose tiles lie among those of others, as in mip tails: tile() may write back the bytes between its elements.
std::vector<bool> lie_among_others(const std::vector<ImagePart>& parts) {
    struct Range {
        uint64_t begin, end;
        size_t part;
    };
    std::vector<Range> ranges;
    for (size_t i = 0; i < parts.size(); i++)
        ranges.push_back({parts[i].layout.base, end_of_tiles(parts[i].layout, parts[i].extent), i});
    std::ranges::sort(ranges, {}, &Range::begin);
    std::vector<bool> among(parts.size());
    const Range* widest = nullptr;  // of the earlier ones, the one that reaches furthest
    for (const Range& range : ranges) {
        if (widest && range.begin < widest->end) among[range.part] = among[widest->part] = true;
        if (!widest || range.end > widest->end) widest = &range;
    }
    return among;
}

void convert_band(const ImageConversion& conversion, const Band& band) {
    const ImagePart& part = conversion.parts[band.part];
    const Element& element = part.layout.pattern.element;
    const Pitch pitch = full_pitch(element, part.extent);
    const uint64_t at =
        conversion.rows_at_B[band.part] + band.box.from[axis_y] * pitch.row + band.box.from[axis_z] * pitch.slice;
    const uint64_t bytes = rows_bytes(element, band.box.extent, pitch);
    if (conversion.direction == ConvertDirection::detile)
        detile(part.layout, band.box, conversion.in, conversion.out.subspan(at, bytes), pitch);
    else
        tile(part.layout, band.box, conversion.in.subspan(at, bytes), conversion.out, pitch);
}

}  // namespace

void convert_image(const ImageConversion& conversion, unsigned jobs, const Advance& advance) {
    const std::vector<bool> among = lie_among_others(conversion.parts);
    std::vector<Band> bands, one_by_one;
    for (size_t i = 0; i < conversion.parts.size(); i++)
        append_bands(i, conversion.parts[i], among[i] ? one_by_one : bands);
    const uint64_t total = bands.size() + one_by_one.size();
    parallel_for(
        bands.size(), [&](size_t i) { convert_band(conversion, bands[i]); },
        [&](size_t done) { tell(advance, done, total); }, jobs);
    // In the order of the rows: a stencil byte is written after the depth word that it lies in.
    for (size_t i = 0; i < one_by_one.size(); i++) {
        convert_band(conversion, one_by_one[i]);
        tell(advance, bands.size() + i + 1, total);
    }
}

}  // namespace tilewise
