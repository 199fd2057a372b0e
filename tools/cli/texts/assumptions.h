// What an answer rests on, told on stderr.
#pragma once
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/image/find_image.h"
#include <string>

namespace tilewise {

/// One assumption, without a capital and a full stop: no option silences it.
void tell_assumed(const std::string& line);

/// Says what an answer rests on, where that is not the very device that was named.
void tell_gpu(const Scope& asked);

/// The same of an image.
void tell_assumptions(const FoundImage& found);

}  // namespace tilewise
