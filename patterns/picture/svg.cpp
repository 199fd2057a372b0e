#include "patterns/picture/svg.h"
#include "patterns/picture/picture.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace tilewise {

namespace {

constexpr uint32_t max_numbered = 32;
constexpr unsigned margin = 8, title_height = 28, axis_width = 30, legend_height = 44;  ///< user units
constexpr unsigned large_side = 32, small_side = 6;                                     ///< of a square
constexpr std::array<std::array<double, 3>, 5> stops = {
    {{40, 30, 110}, {45, 90, 160}, {40, 150, 140}, {140, 200, 80}, {250, 225, 60}}};

std::string hex(const Rgb8& color) { return fmt::format("#{:02x}{:02x}{:02x}", color.r, color.g, color.b); }

/// Where the squares of a picture are.
struct Squares {
    uint32_t width, height;
    unsigned side;
    unsigned left_of(size_t i) const { return margin + axis_width + static_cast<unsigned>(i % width) * side; }
    unsigned top_of(size_t i) const {
        return margin + title_height + axis_width / 2 + static_cast<unsigned>(i / width) * side;
    }
};

/// Coordinates along the top and the left: as many as there is room for.
void draw_axes(fmt::appender out, const Squares& squares) {
    const unsigned step = squares.side == large_side ? 1 : 8;
    for (uint32_t x = 0; x < squares.width; x += step)
        fmt::format_to(out, "<text x=\"{}\" y=\"{}\" fill=\"#888\">{}</text>\n", squares.left_of(x) + squares.side / 2,
                       squares.top_of(0) - 5, x);
    for (uint32_t y = 0; y < squares.height; y += step)
        fmt::format_to(out, "<text x=\"{}\" y=\"{}\" fill=\"#888\" text-anchor=\"end\">{}</text>\n",
                       squares.left_of(0) - 5, squares.top_of(size_t{y} * squares.width) + squares.side / 2 + 4, y);
}

/// One square per element, with its byte offset, and a line through the squares in memory order.
void draw_numbered(fmt::appender out, const Squares& squares, const TileDrawing& drawing) {
    for (size_t i = 0; i < drawing.offsets.size(); i++)
        fmt::format_to(out,
                       "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\">"
                       "<title>({},{}) at byte {}</title></rect>\n",
                       squares.left_of(i), squares.top_of(i), squares.side, squares.side, hex(drawing.colors[i]),
                       i % squares.width, i / squares.width, drawing.offsets[i]);
    fmt::format_to(out, "<polyline fill=\"none\" stroke=\"#fff\" stroke-opacity=\"0.45\" stroke-width=\"2\" points=\"");
    for (const size_t i : memory_ranks(drawing))
        fmt::format_to(out, "{},{} ", squares.left_of(i) + squares.side / 2, squares.top_of(i) + squares.side / 2);
    fmt::format_to(out, "\"/>\n");
    for (size_t i = 0; i < drawing.offsets.size(); i++) {
        const Rgb8 color = drawing.colors[i];
        const bool is_dark = color.r + color.g + color.b < 330;
        fmt::format_to(out, "<text x=\"{}\" y=\"{}\" fill=\"{}\">{}</text>\n", squares.left_of(i) + squares.side / 2,
                       squares.top_of(i) + squares.side / 2 + 4, is_dark ? "#fff" : "#000", drawing.offsets[i]);
    }
}

/// For many elements: adjacent elements that are close in memory form one shape, with one path per colour.
void draw_shapes(fmt::appender out, const Squares& squares, const TileDrawing& drawing) {
    constexpr size_t max_colors = 64;
    const std::vector<size_t> order = memory_ranks(drawing);
    const size_t of_color = std::max<size_t>(order.size() / max_colors, 1);
    std::vector<size_t> color(order.size());
    for (size_t rank = 0; rank < order.size(); rank++) color[order[rank]] = rank / of_color;
    std::map<size_t, std::string> paths;
    for (size_t i = 0; i < color.size();) {
        size_t end = i + 1;
        while (end % squares.width != 0 && color[end] == color[i]) end++;
        paths[color[i]] += fmt::format("M{} {}h{}v{}h-{}z", squares.left_of(i), squares.top_of(i),
                                       (end - i) * squares.side, squares.side, (end - i) * squares.side);
        i = end;
    }
    for (const auto& [c, path] : paths) {
        const size_t first = c * of_color, last = std::min(first + of_color, order.size()) - 1;
        fmt::format_to(out, "<path fill=\"{}\" d=\"{}\"><title>bytes {} to {}</title></path>\n",
                       hex(drawing.colors[order[first]]), path, drawing.offsets[order[first]],
                       drawing.offsets[order[last]]);
    }
}

/// Shows which colour stands for which byte.
void draw_legend(fmt::appender out, const Squares& squares, const TileDrawing& drawing, uint64_t element_bytes) {
    const unsigned left = squares.left_of(0), width = squares.width * squares.side,
                   top = squares.top_of(drawing.offsets.size()) + 12;
    fmt::format_to(out, "<defs><linearGradient id=\"memory\">");
    for (size_t stop = 0; stop < stops.size(); stop++) {
        const double place = static_cast<double>(stop) / (stops.size() - 1);
        fmt::format_to(out, "<stop offset=\"{}\" stop-color=\"{}\"/>", place, hex(memory_color(place)));
    }
    fmt::format_to(out,
                   "</linearGradient></defs>\n<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"8\" "
                   "fill=\"url(#memory)\"/>\n"
                   "<text x=\"{}\" y=\"{}\" fill=\"#888\" text-anchor=\"start\">byte 0</text>\n"
                   "<text x=\"{}\" y=\"{}\" fill=\"#888\" text-anchor=\"end\">{}</text>\n",
                   left, top, width, left, top + 22, left + width, top + 22,
                   std::ranges::max(drawing.offsets) + element_bytes - 1);
}

}  // namespace

Rgb8 memory_color(double place) {
    const double at = place * (stops.size() - 1);
    const size_t stop = std::min(static_cast<size_t>(at), stops.size() - 2);
    const auto channel = [&](size_t c) {
        return static_cast<uint8_t>(
            std::lround(std::lerp(stops[stop][c], stops[stop + 1][c], at - static_cast<double>(stop))));
    };
    return {channel(0), channel(1), channel(2)};
}

std::vector<size_t> memory_ranks(const TileDrawing& drawing) {
    std::vector<size_t> order(drawing.offsets.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::sort(order, {}, [&](size_t i) { return drawing.offsets[i]; });
    return order;
}

TileDrawing draw_tile(const Layout& layout, uint32_t most) {
    Layout at_zero = layout;
    at_zero.base = 0;
    const Coord& tile = layout.pattern.tile;
    TileDrawing drawing;
    drawing.extent = {std::min(tile[axis_x], most), std::min(tile[axis_y], most), 1, 1};
    if (layout.pattern.is_linear()) drawing.extent = {16, 8, 1, 1};
    const uint64_t count = element_count(drawing.extent);
    for (uint64_t i = 0; i < count; i++)
        drawing.offsets.push_back(offset_of(at_zero, element_at_index(drawing.extent, i)));
    drawing.colors.resize(count);
    const std::vector<size_t> order = memory_ranks(drawing);
    for (size_t rank = 0; rank < order.size(); rank++)
        drawing.colors[order[rank]] =
            memory_color(static_cast<double>(rank) / static_cast<double>(std::max<uint64_t>(count - 1, 1)));
    return drawing;
}

std::vector<std::string> memory_colors() {
    constexpr size_t count = 256;
    std::vector<std::string> colors;
    for (size_t i = 0; i < count; i++) colors.push_back(hex(memory_color(static_cast<double>(i) / (count - 1))));
    return colors;
}

std::string tile_svg(const Layout& layout) {
    const TileDrawing drawing = draw_tile(layout);
    const uint32_t width = drawing.extent[axis_x], height = drawing.extent[axis_y];
    const bool is_small = width <= max_numbered && height <= max_numbered;
    const Squares squares = {width, height, is_small ? large_side : small_side};
    const std::string title = pattern_title(layout.pattern);
    const unsigned for_title = static_cast<unsigned>(title.size()) * 8;
    const unsigned whole_width = std::max(squares.left_of(0) + width * squares.side, for_title) + margin,
                   whole_height = squares.top_of(drawing.offsets.size()) + legend_height;

    fmt::memory_buffer svg;
    const auto out = fmt::appender(svg);
    fmt::format_to(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
                   "font-family=\"sans-serif\" font-size=\"10\" text-anchor=\"middle\" "
                   "shape-rendering=\"crispEdges\">\n"
                   "<text x=\"{2}\" y=\"{3}\" font-size=\"14\" fill=\"#888\" text-anchor=\"start\">{4}</text>\n",
                   whole_width, whole_height, margin, margin + 14, title);
    draw_axes(out, squares);
    if (is_small)
        draw_numbered(out, squares, drawing);
    else
        draw_shapes(out, squares, drawing);
    draw_legend(out, squares, drawing, layout.pattern.element.bytes);
    fmt::format_to(out, "</svg>\n");
    return fmt::to_string(svg);
}

}  // namespace tilewise
