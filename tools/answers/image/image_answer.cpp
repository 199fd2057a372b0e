#include "tools/answers/image/image_answer.h"
#include "patterns/model/error.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise {

void mark_assumed(ImageLayout& image, const std::vector<std::string>& assumed) {
    if (assumed.empty()) return;
    image.source = LayoutSource::assumed;
    image.evidence += fmt::format("; assumed: {}", fmt::join(assumed, "; "));
}

void require_allowed(const FoundImage& found, bool assume) {
    if (!found.assumed.empty() && !assume)
        throw Error(fmt::format("nobody has seen this very image: {}; give --assume to convert anyway, or probe it",
                                fmt::join(found.assumed, "; ")));
}

}  // namespace tilewise
