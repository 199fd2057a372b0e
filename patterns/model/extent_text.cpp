#include "patterns/model/extent_text.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace tilewise {

std::string extent_text(const Coord& extent) {
    std::string text = fmt::format("{}x{}", extent[axis_x], extent[axis_y]);
    if (extent[axis_z] > 1) text += fmt::format("x{}", extent[axis_z]);
    if (extent[axis_s] > 1) text += fmt::format(" x{} samples", extent[axis_s]);
    return text;
}

std::string extent_text(const Extent_px& extent) { return extent_text(Coord{extent[0], extent[1], extent[2], 1}); }

std::string sides_text(const Extent_px& extent) { return fmt::format("{}", fmt::join(extent, "x")); }

std::string image_text(const ImageKind& image) {
    const auto several = [](uint32_t number, const char* noun) {
        return number == 1 ? "" : ", " + counted(number, noun);
    };
    return fmt::format("{}{}{}{}{}{}", image.format, image.format.empty() ? "" : " ", extent_text(image.extent_px),
                       several(image.levels, "level"), several(image.layers, "layer"),
                       several(image.samples, "sample"));
}

namespace {

/// The frame of a screen or video that is called so; nullptr if none is. 4K and 8K are the ones of CTA-861 (UHD).
const Extent_px* frame_named(const std::string& name) {
    static const std::map<std::string, Extent_px> frames = {
        {"720P", {1280, 720, 1}}, {"1080P", {1920, 1080, 1}}, {"1440P", {2560, 1440, 1}}, {"2160P", {3840, 2160, 1}},
        {"4K", {3840, 2160, 1}},  {"4320P", {7680, 4320, 1}}, {"8K", {7680, 4320, 1}}};
    const auto found = frames.find(name);
    return found == frames.end() ? nullptr : &found->second;
}

/// With x for the sign of multiplication and for an asterisk, and without the spaces beside them and at the ends.
std::string plain_extent(const std::string& typed) {
    std::string plain;
    bool had_space = false;
    for (size_t i = 0; i < typed.size(); i++) {
        char c = typed[i];
        if (typed.compare(i, 2, "\xc3\x97") == 0) {
            c = 'x';
            i++;
        }
        if (c == ' ') {
            had_space = true;
            continue;
        }
        if (c == '*') c = 'x';
        const bool separates = c == 'x' || c == 'X';
        // A space between two digits stays, so that "300 200" does not become 300200.
        if (had_space && !separates && !plain.empty() && (plain.back() | 0x20) != 'x') plain += ' ';
        had_space = false;
        plain += c;
    }
    return plain;
}

}  // namespace

Extent_px parse_extent(const std::string& typed) {
    const std::string text = plain_extent(typed);
    if (const Extent_px* frame = frame_named(to_upper(text))) return *frame;
    Extent_px value = {1, 1, 1};
    size_t count = 0;
    const char* at = text.data();
    const char* const end = at + text.size();
    bool good = true;
    while (good && count < value.size()) {
        const auto [next, error] = std::from_chars(at, end, value[count++]);
        good = error == std::errc();
        at = next;
        if (at == end || (*at != 'x' && *at != 'X')) break;
        ++at;
    }
    if (!good || at != end || (text.back() | 0x20) == 'x' || count < 2)
        throw UsageError(
            fmt::format("\"{}\" is not an extent; write 256x200, 300x1 for a 1D image, 64x64x32 for a 3D "
                        "one, or 720p, 1080p, 1440p, 4K or 8K",
                        typed));
    for (uint32_t side : value)
        if (side == 0)
            throw UsageError(fmt::format("the extent {} has a side of 0; every side must be at least 1", typed));
    return value;
}

}  // namespace tilewise
