#include "kernels/brightest/brightest.h"
#include "patterns/model/bits.h"
#include "patterns/model/parallel.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tilewise::kernels {

namespace {

/// The rows of one row of squares.
struct Strip {
    Size image;
    uint32_t top = 0, bottom = 0;
    std::vector<float> channels;
    const float* texel(uint32_t x, uint32_t y) const { return &channels[(size_t{y - top} * image.width + x) * 4]; }
};

double luminance_of(const float* texel) {
    return 0.2126 * static_cast<double>(texel[0]) + 0.7152 * static_cast<double>(texel[1]) +
           0.0722 * static_cast<double>(texel[2]);
}

/// Allows for a few roundings of float32 numbers, each at most 2^-24: of weights, products, sums and the texel's
/// conversion.
bool near(double is, double exact) { return std::abs(is - exact) <= std::ldexp(std::abs(exact), -21); }

std::string wrong_point(const Strip& strip, const BrightPoint& point, double highest) {
    const float* texel = strip.texel(point.x, point.y);
    const std::string name = fmt::format("the point ({}, {})", point.x, point.y);
    for (size_t i = 0; i < 4; ++i)
        if (!near(static_cast<double>(point.colour[i]), static_cast<double>(texel[i])))
            return fmt::format("{} has {} = {}, should be {}", name, "rgba"[i], point.colour[i], texel[i]);
    const double exact = luminance_of(texel), given = static_cast<double>(point.luminance);
    if (!near(given, exact)) return fmt::format("{} has luminance {}, should be {}", name, given, exact);
    if (!near(exact, highest))
        return fmt::format("{} has luminance {}, but its square has one of {}", name, exact, highest);
    for (uint32_t y = strip.top; y <= point.y; ++y)
        for (uint32_t x = point.x / square_side * square_side;
             x < std::min((point.x / square_side + 1) * square_side, strip.image.width); ++x) {
            if (y == point.y && x >= point.x) return {};
            if (std::equal(texel, texel + 3, strip.texel(x, y)))
                return fmt::format("{} is as bright as ({}, {}), which comes first", name, x, y);
        }
    return {};
}

/// `point` is null if the square has none.
std::string wrong_square(const Strip& strip, uint32_t left, double threshold, const BrightPoint* point) {
    double highest = 0;
    for (uint32_t y = strip.top; y < strip.bottom; ++y)
        for (uint32_t x = left; x < std::min(left + square_side, strip.image.width); ++x)
            highest = std::max(highest, luminance_of(strip.texel(x, y)));
    if (!near(highest, threshold) && (highest > threshold) != (point != nullptr))
        return fmt::format("the square at ({}, {}) has luminance {} and {} point, with threshold {}", left, strip.top,
                           highest, point ? "a" : "no", threshold);
    return point ? wrong_point(strip, *point, highest) : std::string();
}

}  // namespace

std::string wrong_points(const Texels& texels, float threshold, std::span<const BrightPoint> points) {
    const Size size = texels.size;
    const uint32_t across = ceil_div(size.width, square_side), down = ceil_div(size.height, square_side);
    std::vector<const BrightPoint*> of_square(size_t{across} * down);
    for (const BrightPoint& point : points) {
        if (point.x >= size.width || point.y >= size.height)
            return fmt::format("the point ({}, {}) is not in the image", point.x, point.y);
        const BrightPoint*& place = of_square[size_t{point.y / square_side} * across + point.x / square_side];
        if (place)
            return fmt::format("the points ({}, {}) and ({}, {}) are of one square", place->x, place->y, point.x,
                               point.y);
        place = &point;
    }
    std::vector<std::string> wrong(down);
    for_rows(down, [&](uint32_t first, uint32_t last) {
        for (uint32_t row = first; row < last; ++row) {
            const uint32_t top = row * square_side, bottom = std::min(top + square_side, size.height);
            const Strip strip = {size, top, bottom, channels_of(texels, top, bottom)};
            for (uint32_t column = 0; column < across && wrong[row].empty(); ++column)
                wrong[row] = wrong_square(strip, column * square_side, static_cast<double>(threshold),
                                          of_square[size_t{row} * across + column]);
        }
    });
    const auto found = std::ranges::find_if(wrong, [](const std::string& text) { return !text.empty(); });
    return found == wrong.end() ? std::string() : *found;
}

}  // namespace tilewise::kernels
