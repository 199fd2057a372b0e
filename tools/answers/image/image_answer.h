// What is found of an image: where it lies, and what that rests on.
#pragma once
#include "patterns/model/image_layout.h"
#include "tools/answers/image/usages.h"
#include <string>
#include <vector>

namespace tilewise {

struct FoundImage {
    ImageLayout image;
    std::vector<std::string> assumed = {};  ///< one line each; empty where all was observed or given
    std::string said = {};  ///< what the answer rests on, where that is not the very device that was named; else empty
    /// Where the question names no usage: with which ones this very image has another size.
    std::vector<OtherUsage> other_usages = {};
};

}  // namespace tilewise
