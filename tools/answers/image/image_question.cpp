#include "tools/answers/image/image_question.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "probe/formats/formats.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace tilewise {

ImageShape asked_shape(const ImageQuestion& question) {
    if (!question.about.extent) throw UsageError("of what image? give --extent");
    const Extent_px& extent = *question.about.extent;
    const bool is_deep = extent[2] > 1;
    const ImageShape asked = {question.type.value_or(is_deep ? ImageType::three_d : ImageType::two_d), extent,
                              question.levels.value_or(1), question.layers.value_or(1), question.samples.value_or(1)};
    if ((asked.type == ImageType::one_d && extent[1] > 1) || (asked.type != ImageType::three_d && is_deep))
        throw UsageError(fmt::format("no {} image is {}", image_type_name(asked.type), extent_text(extent)));
    const uint32_t longest = *std::ranges::max_element(extent);
    if (longest > max_image_side_px)
        throw UsageError(fmt::format("{} is larger than any image can be", extent_text(extent)));
    if (asked.levels > static_cast<uint32_t>(std::bit_width(longest)))
        throw UsageError(fmt::format("{} has at most {} levels", extent_text(extent), std::bit_width(longest)));
    const bool strides = question.pitch || question.constant ||
                         std::ranges::any_of(question.stride, [](const auto& s) { return s.has_value(); });
    if (strides && asked.levels > 1)
        throw UsageError("--pitch, --constant and --stride-x, -y, -z are for images of one level");
    if (question.layer_stride && asked.layers == 1) throw UsageError("--layer-stride is for images of several layers");
    return asked;
}

ImageKind asked_kind(const ImageQuestion& question) {
    ImageKind kind;
    static_cast<ImageShape&>(kind) = asked_shape(question);
    kind.format = format_name_of(question.about.format);
    kind.usage = question.about.usage;
    kind.flags = question.flags;
    return kind;
}

bool is_asked_type(const ImageQuestion& question, const ImageShape& asked, ImageType type) {
    if (question.type) return type == *question.type;
    return (type == ImageType::three_d) == (asked.type == ImageType::three_d);
}

void require_one_way(const ImageQuestion& question) {
    const int given = !question.pattern.empty() + question.layout.has_value();
    const Question& about = question.about;
    const bool filtered = !about.gpu.empty() || !about.device.empty() || !about.format.empty();
    if (given > 1 || (given == 0 && !filtered))
        throw UsageError(
            "laid out how? give --gpu and --format, or --pattern, or --layout; tilewise query lists patterns");
    if (!question.is_given()) return;
    const std::pair<const char*, const std::string&> origins[] = {
        {"--gpu", about.gpu}, {"--vendor", about.vendor}, {"--device", about.device}, {"--driver", about.driver}};
    for (const auto& [option, value] : origins)
        if (!value.empty())
            throw UsageError(fmt::format("{} and {}: a layout that is given is no device's; leave one out",
                                         question.layout ? "--layout" : "--pattern linear", option));
}

std::string format_name_of(const std::string& format) { return format.empty() ? "" : probe::format_named(format).name; }

Element element_of_format(const std::string& format) {
    return format.empty() ? Element{} : probe::format_named(format).element;
}

void check_element(const Pattern& pattern, const Element& wanted, const std::string& format) {
    if (wanted.bytes != 0 && wanted.bytes != pattern.element.bytes)
        throw UsageError(fmt::format("{} has elements of {} bytes, the pattern those of {}; choose another", format,
                                     wanted.bytes, pattern.element.bytes));
}

}  // namespace tilewise
