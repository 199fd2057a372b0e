#include "tools/cli/files/tile_png.h"
#include "patterns/picture/picture.h"
#include "patterns/picture/svg.h"
#include "tools/cli/files/png.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <fmt/format.h>
#include <span>
#include <vector>

#include <stb_easy_font.h>

namespace tilewise {

namespace {

constexpr Rgb8 black = {0, 0, 0}, white = {255, 255, 255}, gray = {90, 90, 90};
constexpr unsigned most = 16;                                                ///< elements along an axis
constexpr unsigned side = 56, margin = 16, left = 56, top = 72, under = 64;  ///< pixels; of a square, around squares

struct Pixels {
    unsigned width = 0, height = 0;
    std::vector<std::byte> rgb = std::vector<std::byte>(size_t{3} * width * height, std::byte{255});

    std::span<std::byte, 3> at(unsigned x, unsigned y) {
        return std::span<std::byte, 3>(&rgb[3 * (size_t{y} * width + x)], 3);
    }
    void set(unsigned x, unsigned y, const Rgb8& color) {
        if (x >= width || y >= height) return;
        const std::span<std::byte, 3> pixel = at(x, y);
        pixel[0] = std::byte{color.r}, pixel[1] = std::byte{color.g}, pixel[2] = std::byte{color.b};
    }
    void fill(unsigned x, unsigned y, unsigned w, unsigned h, const Rgb8& color) {
        for (unsigned row = y; row < y + h; row++)
            for (unsigned column = x; column < x + w; column++) set(column, row, color);
    }
};

/// A corner of one of a letter's bars, as stb_easy_font.h writes them: four per bar, each with a position and a color.
struct Corner {
    float x, y, z;
    std::array<unsigned char, 4> color;
};

constexpr unsigned letter_height = 7;

unsigned text_width(const std::string& text, unsigned scale) {
    std::string copy = text;  // the header takes text that it could write to
    return static_cast<unsigned>(stb_easy_font_width(copy.data())) * scale;
}

/// `x`, `y`: the upper left corner of the first letter.
void write(Pixels& pixels, unsigned x, unsigned y, const std::string& text, unsigned scale, const Rgb8& color) {
    constexpr size_t corners_of_letter = 4 * 17;  // no letter has more than 17 bars
    std::string copy = text;
    std::vector<Corner> corners(corners_of_letter * std::max<size_t>(copy.size(), 1));
    const int bars = stb_easy_font_print(0, 0, copy.data(), nullptr, corners.data(),
                                         static_cast<int>(corners.size() * sizeof(Corner)));
    for (size_t bar = 0; bar < static_cast<size_t>(bars); bar++) {
        const Corner &first = corners[4 * bar], &last = corners[4 * bar + 2];
        const auto scaled = [&](float place) { return static_cast<unsigned>(std::lround(place)) * scale; };
        pixels.fill(x + scaled(first.x), y + scaled(first.y), scaled(last.x) - scaled(first.x),
                    scaled(last.y) - scaled(first.y), color);
    }
}

void write_centered(Pixels& pixels, unsigned x, unsigned y, const std::string& text, unsigned scale,
                    const Rgb8& color) {
    write(pixels, x - std::min(x, text_width(text, scale) / 2), y - letter_height * scale / 2, text, scale, color);
}

struct Place {
    unsigned x = 0, y = 0;
};

/// Blends half white over the pixels of the path, each pixel once, however often the line crosses it.
void draw_path(Pixels& pixels, const std::vector<Place>& places) {
    std::vector<bool> on(size_t{pixels.width} * pixels.height);
    for (size_t i = 1; i < places.size(); i++) {
        const int dx = static_cast<int>(places[i].x) - static_cast<int>(places[i - 1].x),
                  dy = static_cast<int>(places[i].y) - static_cast<int>(places[i - 1].y);
        const int steps = std::max({std::abs(dx), std::abs(dy), 1});
        for (int step = 0; step <= steps; step++) {
            const auto x = static_cast<unsigned>(static_cast<int>(places[i - 1].x) + dx * step / steps),
                       y = static_cast<unsigned>(static_cast<int>(places[i - 1].y) + dy * step / steps);
            for (unsigned row = y - 1; row <= y + 1; row++)
                for (unsigned column = x - 1; column <= x + 1; column++) on[size_t{row} * pixels.width + column] = true;
        }
    }
    for (unsigned y = 0; y < pixels.height; y++)
        for (unsigned x = 0; x < pixels.width; x++)
            if (on[size_t{y} * pixels.width + x])
                for (std::byte& channel : pixels.at(x, y))
                    channel = std::byte(static_cast<uint8_t>((std::to_integer<unsigned>(channel) + 255) / 2));
}

}  // namespace

void write_tile_png(const std::string& path, const Layout& layout) {
    const TileDrawing drawing = draw_tile(layout, most);
    const unsigned columns = drawing.extent[axis_x], rows = drawing.extent[axis_y];
    const Coord& tile = layout.pattern.tile;
    std::string title = pattern_title(layout.pattern);
    if (tile[axis_x] > columns || tile[axis_y] > rows) title += fmt::format("; its first {}x{}", columns, rows);
    Pixels pixels = {std::max(left + columns * side, margin + text_width(title, 2)) + margin,
                     top + rows * side + under};
    write(pixels, margin, margin, title, 2, black);

    const auto place_of = [&](size_t i) {
        return Place{left + static_cast<unsigned>(i % columns) * side, top + static_cast<unsigned>(i / columns) * side};
    };
    std::vector<Place> path_places;
    for (size_t i = 0; i < drawing.colors.size(); i++)
        pixels.fill(place_of(i).x, place_of(i).y, side, side, drawing.colors[i]);
    for (const size_t i : memory_ranks(drawing))
        path_places.push_back({place_of(i).x + side / 2, place_of(i).y + side / 2});
    draw_path(pixels, path_places);
    for (size_t i = 0; i < drawing.colors.size(); i++) {
        const Rgb8& color = drawing.colors[i];
        const bool is_dark = color.r + color.g + color.b < 330;
        const std::string offset = std::to_string(drawing.offsets[i]);
        // Digits of double size are used if they fit into a square.
        write_centered(pixels, place_of(i).x + side / 2, place_of(i).y + side / 2, offset,
                       text_width(offset, 2) < side ? 2 : 1, is_dark ? white : black);
    }
    for (unsigned x = 0; x < columns; x++)
        write_centered(pixels, left + x * side + side / 2, top - 14, fmt::format("{}", x), 2, gray);
    for (unsigned y = 0; y < rows; y++)
        write_centered(pixels, left - 24, top + y * side + side / 2, fmt::format("{}", y), 2, gray);

    const unsigned legend = top + rows * side + 14, width = columns * side;
    for (unsigned x = 0; x < width; x++)
        pixels.fill(left + x, legend, 1, 12, memory_color(static_cast<double>(x) / std::max(width - 1, 1U)));
    const std::string last = fmt::format("{}", std::ranges::max(drawing.offsets) + layout.pattern.element.bytes - 1);
    write(pixels, left, legend + 20, "byte 0", 2, gray);
    write(pixels, left + width - std::min(width, text_width(last, 2)), legend + 20, last, 2, gray);

    const std::vector<Channel> channels = {
        {.bit = 0, .bits = 8, .name = 'R'}, {.bit = 8, .bits = 8, .name = 'G'}, {.bit = 16, .bits = 8, .name = 'B'}};
    write_png(path, pixels.rgb, {3, 1, 1}, {pixels.width, pixels.height, 1, 1}, channels);
}

}  // namespace tilewise
