#include "patterns/picture/svg.h"
#include "patterns/picture/picture.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace tilewise {

namespace {

constexpr uint32_t max_drawn = 128, max_numbered = 32;
constexpr unsigned side = 32, margin = 8, title_height = 28;  ///< user units; the side of a square

Rgb8 color_at(double place) {
    constexpr std::array<std::array<double, 3>, 5> stops = {
        {{40, 30, 110}, {45, 90, 160}, {40, 150, 140}, {140, 200, 80}, {250, 225, 60}}};
    const double at = place * (stops.size() - 1);
    const size_t stop = std::min(static_cast<size_t>(at), stops.size() - 2);
    const auto channel = [&](size_t c) {
        return static_cast<uint8_t>(
            std::lround(std::lerp(stops[stop][c], stops[stop + 1][c], at - static_cast<double>(stop))));
    };
    return {channel(0), channel(1), channel(2)};
}

/// The drawn elements, from the first in memory to the last.
std::vector<size_t> memory_ranks(const TileDrawing& drawing) {
    std::vector<size_t> order(drawing.offsets.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::sort(order, {}, [&](size_t i) { return drawing.offsets[i]; });
    return order;
}

}  // namespace

TileDrawing draw_tile(const Layout& layout) {
    Layout at_zero = layout;
    at_zero.base = 0;
    const Coord& tile = layout.pattern.tile;
    TileDrawing drawing;
    drawing.extent = {std::min(tile[axis_x], max_drawn), std::min(tile[axis_y], max_drawn), 1, 1};
    if (layout.pattern.is_linear()) drawing.extent = {16, 8, 1, 1};
    const uint64_t count = element_count(drawing.extent);
    for (uint64_t i = 0; i < count; i++)
        drawing.offsets.push_back(offset_of(at_zero, element_at_index(drawing.extent, i)));
    drawing.colors.resize(count);
    const std::vector<size_t> order = memory_ranks(drawing);
    for (size_t rank = 0; rank < order.size(); rank++)
        drawing.colors[order[rank]] =
            color_at(static_cast<double>(rank) / static_cast<double>(std::max<uint64_t>(count - 1, 1)));
    return drawing;
}

std::string tile_svg(const Layout& layout) {
    const TileDrawing drawing = draw_tile(layout);
    const uint32_t width = drawing.extent[axis_x], height = drawing.extent[axis_y];
    const bool is_small = width <= max_numbered && height <= max_numbered;
    const uint32_t whole_width = width * side + 2 * margin, whole_height = height * side + 2 * margin + title_height;
    const auto left_of = [&](size_t i) { return margin + i % width * side; };
    const auto top_of = [&](size_t i) { return margin + title_height + i / width * side; };

    fmt::memory_buffer svg;
    const auto out = fmt::appender(svg);
    fmt::format_to(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
                   "font-family=\"sans-serif\" font-size=\"11\" text-anchor=\"middle\">\n"
                   "<text x=\"{2}\" y=\"{3}\" font-size=\"14\" text-anchor=\"start\">{4}</text>\n",
                   whole_width, whole_height, margin, margin + 14, pattern_title(layout.pattern));
    for (size_t i = 0; i < drawing.offsets.size(); i++) {
        const Rgb8 color = drawing.colors[i];
        fmt::format_to(out,
                       "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#{:02x}{:02x}{:02x}\">"
                       "<title>({},{}) at byte {}</title></rect>\n",
                       left_of(i), top_of(i), side, side, color.r, color.g, color.b, i % width, i / width,
                       drawing.offsets[i]);
    }
    if (is_small) {
        fmt::format_to(out,
                       "<polyline fill=\"none\" stroke=\"#fff\" stroke-opacity=\"0.45\" stroke-width=\"2\" points=\"");
        for (const size_t i : memory_ranks(drawing))
            fmt::format_to(out, "{},{} ", left_of(i) + side / 2, top_of(i) + side / 2);
        fmt::format_to(out, "\"/>\n");
        for (size_t i = 0; i < drawing.offsets.size(); i++) {
            const Rgb8 color = drawing.colors[i];
            const bool is_dark = color.r + color.g + color.b < 330;
            fmt::format_to(out, "<text x=\"{}\" y=\"{}\" fill=\"{}\">{}</text>\n", left_of(i) + side / 2,
                           top_of(i) + side / 2 + 4, is_dark ? "#fff" : "#000",
                           drawing.offsets[i] / layout.pattern.element.bytes);
        }
    }
    fmt::format_to(out, "</svg>\n");
    return fmt::to_string(svg);
}

}  // namespace tilewise
