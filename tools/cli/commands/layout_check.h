// tilewise layout --verify: compares what rules predict about images with what a device does.
#pragma once
#include "tools/answers/image/image_question.h"
#include "tools/cli/options/globals.h"
#include <algorithm>
#include <string>
#include <thread>

namespace tilewise {

struct LayoutCheck {
    size_t count = 0;  ///< the number of images
    uint64_t seed = 2;
    uint32_t max_side = 4096;
    unsigned jobs = std::clamp(std::thread::hardware_concurrency(), 1U, 8U);
    std::string route;
};

/// Predicts, probes and compares random images on the devices here. `images` says which kinds of image.
void check_layouts(const LayoutCheck& check, const ImageQuestion& images, const Globals& globals);

}  // namespace tilewise
