// What is found about an image: where it lies, and what that rests on.
#pragma once
#include "patterns/convert/assemble.h"
#include "tools/answers/image/usages.h"
#include <optional>
#include <string>
#include <vector>

namespace tilewise {

struct FoundImage {
    ImageLayout image;
    std::vector<std::string> assumed = {};  ///< one line each; empty if everything was observed or given
    std::optional<StrideFault> fault = {};  ///< why no image can have the strides that are given
    std::string said = {};  ///< what the answer rests on, if not on the very device that was named; else empty
    /// If the question names no usage: the usages with which this very image has another size.
    std::vector<OtherUsage> other_usages = {};
    /// Of an image put together from patterns: bytes to the end of its last tile, or of its mode's last block.
    uint64_t whole_bytes = 0;
};

/// Adds the assumptions, if any, to the image's evidence, and makes `assumed` its source.
void mark_assumed(ImageLayout& image, const std::vector<std::string>& assumed);

/// Throws Error that lists the assumptions if there are any and `assume` does not allow them.
void require_allowed(const FoundImage& found, bool assume);

}  // namespace tilewise
