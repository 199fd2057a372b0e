#include "tools/cli/files/png.h"
#include "patterns/model/error.h"
#include "tools/cli/files/deflate.h"
#include "tools/cli/files/files.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>

namespace {

/// The compressor that stb_image_write.h calls; stb frees the result.
unsigned char* compress_for_stb(unsigned char* bytes, int size, int* stream_size, int /*quality*/) {
    const std::string stream =
        tilewise::zlib_compress({reinterpret_cast<const char*>(bytes), static_cast<size_t>(size)});
    if (stream.size() > size_t{std::numeric_limits<int>::max()}) return nullptr;
    auto* const copy = static_cast<unsigned char*>(std::malloc(stream.size()));
    if (copy == nullptr) return nullptr;
    std::ranges::copy(stream, copy);
    *stream_size = static_cast<int>(stream.size());
    return copy;
}

}  // namespace

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#define STBIW_ZLIB_COMPRESS compress_for_stb
#include <stb_image_write.h>

namespace tilewise {

namespace {

/// The channels for red, green and blue, or for gray; null if there is none.
std::vector<const Channel*> shown_channels(const std::vector<Channel>& channels) {
    const auto named = [&](char name) {
        const auto found = std::ranges::find(channels, name, &Channel::name);
        return found == channels.end() ? nullptr : &*found;
    };
    std::vector<const Channel*> colors = {named('R'), named('G'), named('B')};
    if (std::ranges::any_of(colors, [](const Channel* c) { return c != nullptr; })) {
        if (colors[1] == nullptr && colors[2] == nullptr) colors.resize(1);
        return colors;
    }
    colors.clear();
    const size_t count = channels.size() < 3 ? 1 : 3;
    for (size_t i = 0; i < count; i++) colors.push_back(&channels[i]);
    return colors;
}

struct Range {
    double min = 0, max = 1;
};

Range range_of(const Channel& channel, std::span<const std::byte> rows, size_t size) {
    const bool is_integer = channel.kind == ChannelKind::unsigned_number || channel.kind == ChannelKind::signed_number;
    if (!is_integer || channel.scaled) return {};
    Range range = {std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()};
    for (size_t at = 0; at < rows.size(); at += size) {
        const double value = shown_value(channel, &rows[at], size);
        range = {std::min(range.min, value), std::max(range.max, value)};
    }
    return range;
}

unsigned char byte_of(double value, const Range& range) {
    const double scaled = range.max > range.min ? (value - range.min) / (range.max - range.min) : 0;
    return static_cast<unsigned char>(std::lround(255 * std::clamp(std::isnan(scaled) ? 0 : scaled, 0.0, 1.0)));
}

}  // namespace

void write_png(const std::string& path, std::span<const std::byte> rows, const Element& element, const Coord& extent,
               const std::vector<Channel>& channels) {
    const std::vector<const Channel*> shown = shown_channels(channels);
    const size_t size = element.bytes;
    const uint64_t width = extent[axis_x], height = uint64_t{extent[axis_y]} * extent[axis_z];
    // The encoder counts its bytes, one extra per row, as int.
    if (__uint128_t{width * shown.size() + 1} * height > std::numeric_limits<int>::max())
        throw Error(fmt::format("cannot make a picture of {}x{} texels for {}: it is too large", width, height, path));
    std::vector<unsigned char> pixels(element_count(extent) * shown.size());
    for (size_t c = 0; c < shown.size(); c++) {
        if (shown[c] == nullptr) continue;
        const Range range = range_of(*shown[c], rows, size);
        for (size_t i = 0; i * size < rows.size(); i++)
            pixels[i * shown.size() + c] = byte_of(shown_value(*shown[c], &rows[i * size], size), range);
    }
    const auto columns = static_cast<int>(width), count = static_cast<int>(shown.size());
    std::string png;
    const auto append = [](void* to, void* data, int bytes) {
        static_cast<std::string*>(to)->append(static_cast<const char*>(data), static_cast<size_t>(bytes));
    };
    if (stbi_write_png_to_func(append, &png, columns, static_cast<int>(height), count, pixels.data(),
                               columns * count) == 0)
        throw Error(fmt::format("cannot make a picture for {}: there is no memory", path));
    write_whole_file(path, png);
}

}  // namespace tilewise
