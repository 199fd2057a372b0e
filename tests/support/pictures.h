// Pictures to tile, and data that are no picture.
#pragma once
#include "patterns/convert/convert.h"
#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <string>

namespace tilewise {

inline std::string noise(size_t bytes, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::string text(bytes, '\0');
    for (char& c : text) c = static_cast<char>(random() >> 56);
    return text;
}

struct Rgb {
    double r = 0, g = 0, b = 0;
};

/// A picture: a smoothly shaded sky with disks and a checkered floor, and a little noise as from a camera.
inline Rgb shade(double x, double y, std::mt19937_64& random) {
    Rgb color = {0.2 + 0.3 * y, 0.4 + 0.3 * std::sin(3 * x + 2 * y), 0.9 - 0.5 * y};
    const auto disk = [&](double cx, double cy, double radius, Rgb paint) {
        if (std::hypot(x - cx, y - cy) < radius) color = paint;
    };
    disk(0.3, 0.3, 0.17, {0.9, 0.3, 0.2});
    disk(0.7, 0.45, 0.22, {0.2, 0.8, 0.3 + 0.4 * x});
    if (y > 0.75 && (static_cast<int>(x * 12) + static_cast<int>(y * 12)) % 2 == 0) color = {0.05, 0.05, 0.1};
    for (double* channel : {&color.r, &color.g, &color.b})
        *channel = std::clamp(*channel + 0.02 * (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5), 0.0, 1.0);
    return color;
}

/// Rows of RGBA8, or of as many copies of the shades as the element has bytes.
inline std::string picture(uint32_t width, uint32_t height, uint32_t element_bytes) {
    std::mt19937_64 random(11);
    std::string rows;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const Rgb color = shade(double{1} * x / width, double{1} * y / height, random);
            for (uint32_t byte = 0; byte < element_bytes; byte++) {
                const double value = byte % 4 == 0 ? color.r : byte % 4 == 1 ? color.g : byte % 4 == 2 ? color.b : 1;
                rows += static_cast<char>(std::lround(value * 255));
            }
        }
    return rows;
}

/// The file that tile would write, computed with patterns/ alone.
inline std::string tiled_by(const Layout& layout, const Coord& extent, const std::string& rows) {
    std::string tiled(tiled_bytes(layout, {{}, extent}), '\0');
    tile(layout, {{}, extent}, std::as_bytes(std::span(rows)), std::as_writable_bytes(std::span(tiled)));
    return tiled;
}

}  // namespace tilewise
