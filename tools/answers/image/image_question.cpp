#include "tools/answers/image/image_question.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "probe/formats/formats.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace tilewise {

AskedImage wanted_image(const ImageQuestion& question) {
    if (!question.about.extent) throw UsageError("of what image? give --extent");
    AskedImage wanted = {*question.about.extent, question.levels.value_or(1), question.layers.value_or(1),
                         question.samples.value_or(1), question.type};
    if ((wanted.type == "1D" && wanted.extent[1] > 1) ||
        (!wanted.type.empty() && wanted.type != "3D" && wanted.extent[2] > 1))
        throw UsageError(fmt::format("no {} image is {}", wanted.type, extent_text(wanted.extent)));
    const uint32_t longest = *std::ranges::max_element(wanted.extent);
    if (longest > max_image_side_px)
        throw UsageError(fmt::format("{} is larger than any image can be", extent_text(wanted.extent)));
    if (wanted.levels > static_cast<uint32_t>(std::bit_width(longest)))
        throw UsageError(fmt::format("{} has at most {} levels", extent_text(wanted.extent), std::bit_width(longest)));
    const bool strides =
        question.pitch || std::ranges::any_of(question.stride, [](const auto& s) { return s.has_value(); });
    if (strides && wanted.levels > 1)
        throw UsageError("--pitch, --constant and --stride-x, -y, -z are for images of one level");
    if (question.layer_stride && wanted.layers == 1) throw UsageError("--layer-stride is for images of several layers");
    return wanted;
}

void require_one_way(const ImageQuestion& question) {
    const int given = !question.pattern.empty() + question.layout.has_value();
    const Question& about = question.about;
    const bool filtered = !about.gpu.empty() || !about.device.empty() || !about.format.empty();
    if (given > 1 || (given == 0 && !filtered))
        throw UsageError(
            "laid out how? give --gpu and --format, or --pattern, or --layout; tilewise query lists patterns");
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
