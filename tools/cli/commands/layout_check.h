// tilewise layout --verify: what rules predict of images, held against what a device does with them.
#pragma once
#include "tools/answers/image/image_question.h"
#include "tools/cli/options/globals.h"
#include <algorithm>
#include <string>
#include <thread>

namespace tilewise {

struct LayoutCheck {
    size_t count = 0;  ///< images
    uint64_t seed = 2;
    uint32_t max_side = 4096;
    unsigned jobs = std::clamp(std::thread::hardware_concurrency(), 1U, 8U);
    std::string route;
};

/// Images of the devices here, drawn at random: predicted, probed and compared. `images`: which of them.
void check_layouts(const LayoutCheck& check, const ImageQuestion& images, const Globals& globals);

}  // namespace tilewise
