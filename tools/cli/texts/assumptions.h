// Reports on stderr what an answer rests on.
#pragma once
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/image/find_image.h"
#include <string>

namespace tilewise {

/// Reports one assumption, without a capital letter and a full stop; no option silences it.
void tell_assumed(const std::string& line);

/// Reports what an answer rests on, if not on the very device that was named.
void tell_gpu(const Scope& asked);

/// Likewise for an image.
void tell_assumptions(const FoundImage& found);

}  // namespace tilewise
