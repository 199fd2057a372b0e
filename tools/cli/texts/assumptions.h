// What an answer rests on, told on stderr.
#pragma once
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/image/find_image.h"

namespace tilewise {

/// Says what an answer rests on, where that is not the very device that was named; what is assumed no option silences.
void tell_gpu(const Scope& asked);

/// The same of an image.
void tell_assumptions(const FoundImage& found);

}  // namespace tilewise
