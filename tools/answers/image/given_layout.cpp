#include "tools/answers/image/given_layout.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/image_layout.h"
#include "patterns/model/image_layout_json.h"
#include "patterns/model/layout_json.h"
#include "tools/answers/image/predicted_image.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

namespace {

GivenLayout read_layout(const LayoutFile& file, const std::optional<Extent_px>& extent) {
    const nlohmann::json& json = file.json;
    GivenLayout given;
    try {
        if (json.contains("subresources")) {
            given.image = image_layout_from_json(json);
            return given;
        }
        given.layout = layout_from_json(json.contains("layout") ? json["layout"] : json);
    } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", file.name, error.what()));
    }
    if (!extent) throw UsageError("of what image? give --extent");
    const Coord wanted = elements_of(*extent, given.layout.pattern.element, 1);
    if (!json.contains("extent"))
        given.assumed =
            fmt::format("the layout of {}, which says of no extent, is that of {}", file.name, extent_text(*extent));
    else if (json["extent"] != nlohmann::json({wanted[axis_x], wanted[axis_y], wanted[axis_z]}))
        given.assumed =
            fmt::format("the layout of {}, solved at another extent, is that of {}", file.name, extent_text(*extent));
    return given;
}

Pattern linear_pattern(const Element& element) {
    if (element.bytes == 0) throw UsageError("linear rows of what? give --format");
    Pattern pattern;
    pattern.element = element;
    pattern.tile_bytes = element.bytes;
    return pattern;
}

}  // namespace

std::optional<GivenLayout> given_layout(const ImageQuestion& question, const ImageShape& asked) {
    const Element element = element_of_format(question.about.format);
    std::optional<GivenLayout> given;
    if (question.layout) given = read_layout(*question.layout, question.about.extent);
    if (question.pattern == "linear") {
        given.emplace();
        given->layout = dense_layout(linear_pattern(element), elements_of(asked.extent_px, element, asked.samples));
    }
    if (!given || given->image) return given;
    Element& of_layout = given->layout.pattern.element;
    check_element(given->layout.pattern, element, question.about.format);
    if (element.bytes != 0) of_layout = element;
    return given;
}

void check_said_alike(const ImageQuestion& question, const ImageLayout& image) {
    const auto differs = [](const auto& option, const auto& value) { return option && *option != value; };
    const std::string& format = question.about.format;
    if (differs(question.about.extent, image.extent_px) || differs(question.levels, image.levels) ||
        differs(question.layers, image.layers) || differs(question.samples, image.samples) ||
        differs(question.type, image.type) || (!question.flags.empty() && question.flags != image.flags) ||
        !has_usage(image.usage, question.about.usage) || (!format.empty() && format_name_of(format) != image.format))
        throw UsageError(fmt::format("{} is of another image: {} {}, {} levels, {} layers, {} samples{}{}",
                                     question.layout->name, image.format, extent_text(image.extent_px), image.levels,
                                     image.layers, image.samples, image.usage.empty() ? "" : ", usage " + image.usage,
                                     image.flags.empty() ? "" : ", flags " + image.flags));
    const auto said = [](const auto& option) { return option.has_value(); };
    if (question.base || question.constant || question.pitch || question.layer_stride ||
        std::ranges::any_of(question.stride, said))
        throw UsageError(fmt::format("{} says of all bases and strides: leave out --base, --pitch and the like",
                                     question.layout->name));
}

void apply_strides(const ImageQuestion& question, Layout& layout, const Coord& extent) {
    const Pattern& pattern = layout.pattern;
    if (question.pitch) {
        const auto row_major = std::array{axis_x, axis_y, axis_z, axis_s};
        if (pattern.order != row_major)
            throw UsageError("--pitch is for tiles in rows, and these lie in columns: give --stride-x and --stride-y");
        const uint64_t rows = whole_tiles(pattern, extent).extent[axis_y] / pattern.tile[axis_y];
        uint64_t slice = 0;
        if (__builtin_mul_overflow(*question.pitch, pattern.tile[axis_y], &layout.stride[axis_y]) ||
            __builtin_mul_overflow(layout.stride[axis_y], rows, &slice))
            throw UsageError(fmt::format("--pitch {} reaches beyond 64 bits of address", *question.pitch));
        if (layout.stride[axis_z] != 0) layout.stride[axis_z] = slice;
    }
    for (Axis a : {axis_x, axis_y, axis_z})
        if (question.stride[a]) layout.stride[a] = *question.stride[a];
    if (question.constant) layout.constant = *question.constant;
    if (layout.constant >= pattern.tile_bytes / pattern.offset_unit())
        throw UsageError(fmt::format("--constant {} reaches beyond the tile", layout.constant));
    for (Axis a : {axis_x, axis_y, axis_z})
        if (extent[a] > pattern.tile[a] && layout.stride[a] == 0)
            throw UsageError(
                fmt::format("the image has several tiles along {}: give {}", axis_name(a), stride_options[a]));
}

bool strides_are_given(const ImageQuestion& question, const Pattern& pattern, const Coord& extent) {
    return std::ranges::all_of(std::array{axis_x, axis_y, axis_z}, [&](Axis a) {
        return extent[a] <= pattern.tile[a] || question.stride[a] || (a == axis_y && question.pitch);
    });
}

Box whole_tiles(const Pattern& pattern, const Coord& extent) {
    Box box;
    for (Axis a : all_axes) box.extent[a] = static_cast<uint32_t>(round_up(extent[a], pattern.tile[a]));
    return box;
}

}  // namespace tilewise
