// What is found of an image: where it lies, and what that rests on.
#pragma once
#include "patterns/convert/assemble.h"
#include "tools/answers/image/usages.h"
#include <optional>
#include <string>
#include <vector>

namespace tilewise {

struct FoundImage {
    ImageLayout image;
    std::vector<std::string> assumed = {};  ///< one line each; empty where all was observed or given
    std::optional<StrideFault> fault = {};  ///< why no image lies with the strides that are said
    std::string said = {};  ///< what the answer rests on, where that is not the very device that was named; else empty
    /// Where the question names no usage: with which ones this very image has another size.
    std::vector<OtherUsage> other_usages = {};
};

/// Says of the image what was assumed of it, if anything.
void mark_assumed(ImageLayout& image, const std::vector<std::string>& assumed);

/// Throws Error that lists the assumptions, where there are any and they are not allowed.
void require_allowed(const FoundImage& found, bool assume);

}  // namespace tilewise
