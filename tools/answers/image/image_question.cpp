#include "tools/answers/image/image_question.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/image_layout_json.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/text.h"
#include "probe/formats/formats.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilewise {

namespace {

/// A file says which image its layout is for; the question may say so, too. Throws UsageError if they differ, or if the
/// question gives strides besides.
void check_said_alike(const ImageQuestion& question, const ImageLayout& image) {
    const auto differs = [](const auto& option, const auto& value) { return option && *option != value; };
    const AskedFormat& format = question.about.format;
    if (differs(question.about.extent, image.extent_px) || differs(question.levels, image.levels) ||
        differs(question.layers, image.layers) || differs(question.samples, image.samples) ||
        differs(question.type, image.type) || (!question.flags.empty() && question.flags != image.flags) ||
        (!format.name.empty() && format.name != image.format) || !has_names(image.usage, question.about.usage))
        throw UsageError(fmt::format("{} is of another image: {} {}, {}, {}, {}{}{}", question.layout->name,
                                     image.format, extent_text(image.extent_px), counted(image.levels, "level"),
                                     counted(image.layers, "layer"), counted(image.samples, "sample"),
                                     image.usage.empty() ? "" : ", usage " + image.usage,
                                     image.flags.empty() ? "" : ", flags " + image.flags));
    const SaidStrides& strides = question.strides;
    if (question.base || strides.constant || strides.layer || strides.any_of_tiles())
        throw UsageError(fmt::format("{} gives all bases and strides: leave out --base, --pitch and the like",
                                     question.layout->name));
}

/// Throws Error if the image's chroma would end inside a texel: no driver creates such images.
void require_whole_chroma(const ImageKind& image) {
    const probe::Format* format = probe::find_format(image.format);
    if (!format) return;
    const auto [x, y] = probe::extent_multiple(*format);
    if (image.extent_px[0] % x != 0 || image.extent_px[1] % y != 0)
        throw Error(fmt::format("no {} image is {}: its texels share chroma, so that extents are multiples of {}x{}",
                                image.format, extent_text(image.extent_px), x, y));
}

}  // namespace

LayoutFile layout_file(const std::string& name, const nlohmann::json& json) {
    LayoutFile file = {name, {}, {}, {}};
    try {
        if (json.contains("subresources"))
            file.image = image_layout_from_json(json);
        else
            file.layout = layout_from_json(json.contains("layout") ? json["layout"] : json);
    } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", name, error.what()));
    }
    if (!json.contains("extent")) return file;
    const nlohmann::json& sides = json["extent"];
    const bool is_extent = sides.is_array() && sides.size() == 3 &&
                           std::ranges::all_of(sides, [](const auto& side) { return side.is_number_unsigned(); });
    // An extent that is a text or a fraction matches no image.
    file.extent_el = is_extent ? sides.get<std::array<uint64_t, 3>>() : std::array<uint64_t, 3>{};
    return file;
}

bool says_pattern(const ImageQuestion& question) {
    const Question& about = question.about;
    if (!question.equation.empty() || question.said) return true;
    if (!question.pattern.empty() || question.layout || names_origin(about)) return false;
    return about.modifier || !about.mode_parameters.empty() || is_defined_mode(about.mode);
}

void take_kept_pattern(ImageQuestion& question, const db::Database& database) {
    if (question.pattern.empty() || question.pattern == "linear") return;
    const std::optional<db::KeptPattern> kept = db::find_kept_pattern(database, question.pattern);
    if (!kept) return;
    const Question& about = question.about;
    if (names_origin(about) || !about.mode.empty() || about.modifier || !question.equation.empty() || question.layout)
        throw UsageError(
            fmt::format("--pattern {} is a kept pattern and belongs to no device: leave out --gpu, --mode, --modifier, "
                        "--equation and --layout",
                        question.pattern));
    question.said = pattern_kept(*kept);
    question.pattern.clear();
}

ImageQuestion read_said_pattern(ImageQuestion question) {
    Question& about = question.about;
    if (question.strides.pitch && question.strides.tile[axis_y])
        throw UsageError("--pitch and --stride-y are two ways to say the same thing: leave one out");
    if (about.modifier && !about.mode.empty())
        throw UsageError("--modifier and --mode are two ways to say the same thing: leave one out");
    if (!about.mode_parameters.empty() && about.mode.empty())
        throw UsageError("--param is a parameter of a mode: give --mode");
    if (!about.mode_parameters.empty() && names_origin(about))
        throw UsageError(
            "--param is for modes as documents define them, whatever the device: leave out --gpu and the like");
    if (question.element_bytes != 0) {
        if (about.format.element.bytes != 0 && about.format.element.bytes != question.element_bytes)
            throw UsageError(fmt::format("--element-bytes {}: elements of {} have {} bytes; leave one out",
                                         question.element_bytes, about.format.said, about.format.element.bytes));
        if (about.format.element.bytes == 0) about.format.element = {question.element_bytes, 1, 1};
    }
    if (about.modifier && (!question.pattern.empty() || question.layout))
        throw UsageError(fmt::format("--modifier and {} both give the pattern: leave one out",
                                     question.layout ? "--layout" : "--pattern"));
    if (about.modifier && names_origin(about)) about.mode = words_of_modifier(*about.modifier);
    if (!says_pattern(question)) return question;
    require_known(about.format);
    if (!question.equation.empty()) {
        if (!question.pattern.empty() || question.layout || about.modifier || !about.mode.empty() ||
            names_origin(about))
            throw UsageError(
                "--equation gives the pattern: leave out --gpu, --mode, --modifier, --pattern and --layout");
        question.said = pattern_of_equation(question.equation, about.format.element);
        return question;
    }
    if (question.said) return question;
    if (about.modifier == uint64_t{0}) {
        question.pattern = "linear";
        about.modifier.reset();
        return question;
    }
    question.said =
        about.modifier ? pattern_of_modifier(*about.modifier) : pattern_of_mode({about.mode, about.mode_parameters});
    if (about.format.element.bytes == 0)
        throw UsageError("how many bytes does an element have? give --format or --element-bytes");
    about.mode.clear();
    about.modifier.reset();
    return question;
}

ImageKind asked_kind(const ImageQuestion& question) {
    require_known(question.about.format);
    if (question.layout && question.layout->image) {
        check_said_alike(question, *question.layout->image);
        return *question.layout->image;
    }
    if (!question.about.extent) throw UsageError("how large is the image? give --extent");
    const Extent_px& extent = *question.about.extent;
    const bool is_deep = extent[2] > 1;
    ImageKind asked;
    asked.type = question.type.value_or(is_deep ? ImageType::three_d : ImageType::two_d);
    asked.extent_px = extent;
    asked.levels = question.levels.value_or(1);
    asked.layers = question.layers.value_or(1);
    asked.samples = question.samples.value_or(1);
    asked.format = question.about.format.name;
    asked.usage = question.about.usage;
    asked.flags = question.flags;
    if ((asked.type == ImageType::one_d && extent[1] > 1) || (asked.type != ImageType::three_d && is_deep))
        throw UsageError(fmt::format("no {} image is {}", image_type_name(asked.type), extent_text(extent)));
    if (asked.type == ImageType::three_d && asked.layers > 1)
        throw UsageError(fmt::format("no 3D image has {}: leave --layers out", counted(asked.layers, "layer")));
    if (!std::has_single_bit(asked.samples) ||
        (asked.samples > 1 && (asked.type != ImageType::two_d || asked.levels > 1)))
        throw UsageError(
            fmt::format("no {} image of {} has {}: samples are 1, 2, 4, .., and several are of 2D images of "
                        "one level",
                        image_type_name(asked.type), counted(asked.levels, "level"), counted(asked.samples, "sample")));
    const Element& element = question.about.format.element;
    if (asked.samples > 1 && (element.width > 1 || element.height > 1))
        throw UsageError(fmt::format("no image of {} has {}: the texels of a block have one sample", asked.format,
                                     counted(asked.samples, "sample")));
    if (has_names(asked.flags, "cube-compatible") &&
        (asked.type != ImageType::two_d || extent[0] != extent[1] || asked.layers < faces_of_cube || asked.samples > 1))
        throw UsageError(fmt::format("no cube is {} of {}: cubes are square and have six layers or more, of one sample",
                                     extent_text(extent), counted(asked.layers, "layer")));
    const uint32_t longest = *std::ranges::max_element(extent);
    if (longest > max_image_side_px)
        throw UsageError(fmt::format("{} is larger than any image can be", extent_text(extent)));
    if (asked.levels > static_cast<uint32_t>(std::bit_width(longest)))
        throw UsageError(fmt::format("{} has at most {} levels", extent_text(extent), std::bit_width(longest)));
    require_whole_chroma(asked);
    const SaidStrides& strides = question.strides;
    if ((strides.any_of_tiles() || strides.constant) && asked.levels > 1)
        throw UsageError("--pitch, --constant and --stride-x, -y, -z are for images of one level");
    if (strides.tile[axis_z] && asked.type != ImageType::three_d)
        throw UsageError("--stride-z is for images with a depth: give --extent WxHxD, or --image-type 3D");
    if (strides.layer && asked.layers == 1) throw UsageError("--layer-stride is for images of several layers");
    return asked;
}

bool is_asked_type(const ImageQuestion& question, const ImageShape& asked, ImageType type) {
    if (question.type) return type == *question.type;
    return (type == ImageType::three_d) == (asked.type == ImageType::three_d);
}

void require_one_way(const ImageQuestion& question) {
    const int given = !question.pattern.empty() + question.layout.has_value() + !question.equation.empty();
    const Question& about = question.about;
    if (says_pattern(question)) return;
    const bool filtered = !about.gpu.said.empty() || !about.device.said.empty() || !about.format.said.empty();
    if (given > 1 || (given == 0 && !filtered))
        throw UsageError(
            "which layout? give --gpu and --format, or --pattern, --mode, --equation or --layout; tilewise query lists "
            "patterns");
    if (!question.is_given()) return;
    const std::pair<const char*, const std::string&> origins[] = {{"--gpu", about.gpu.said},
                                                                  {"--vendor", about.vendor},
                                                                  {"--device", about.device.said},
                                                                  {"--driver", about.driver}};
    for (const auto& [option, value] : origins)
        if (!value.empty())
            throw UsageError(fmt::format("{} and {}: a given layout belongs to no device; leave one out",
                                         question.layout ? "--layout" : "--pattern linear", option));
}

void check_element(const Pattern& pattern, const Element& wanted, const std::string& format) {
    if (wanted.bytes != 0 && wanted.bytes != pattern.element.bytes)
        throw UsageError(fmt::format("{} has elements of {} bytes, the pattern those of {}; choose another",
                                     format.empty() ? "the image that is asked for" : format, wanted.bytes,
                                     pattern.element.bytes));
}

void fail_by_strides(const StrideFault& fault) {
    switch (fault.kind) {
        case StrideFault::pitch_of_columns:
            throw UsageError("--pitch is for tiles in rows, and these lie in columns: give --stride-x and --stride-y");
        case StrideFault::pitch_beyond_64_bits:
            throw UsageError(fmt::format("--pitch {} reaches beyond 64 bits of address", fault.value));
        case StrideFault::pitch_too_small:
            throw UsageError(fmt::format("--pitch {}: a row of the image has {} bytes; give as many or more",
                                         fault.value, fault.least));
        case StrideFault::constant_beyond_tile:
            throw UsageError(fmt::format("--constant {} reaches beyond the tile", fault.value));
        case StrideFault::missing:
            break;
    }
    throw UsageError(fmt::format("the image has several tiles along {}: give {}", axis_name(fault.axis),
                                 stride_options[fault.axis]));
}

}  // namespace tilewise
