// A user's filter is tried before anything is timed.
#pragma once
#include "kernels/image/texels.h"
#include "kernels/separable/filter.h"
#include "tools/runs/validate/workbench.h"
#include <span>

namespace tilewise {

/// Once over a small image: whether it compiles, and comes to its end. Throws Error; where the device stays at work,
/// ends the program.
void rehearse(Workbench& bench, const kernels::FilterText& filter, kernels::Format format,
              std::span<const uint32_t> radii);

/// Exit code 1: to free anything that the device is still at work with would wait for ever.
[[noreturn]] void end_with_device_at_work(const std::string& message);

/// What may be wrong with a filter whose results differ.
std::string advice_on_wrong_filter(const kernels::Context& context, const kernels::FilterText& filter);

}  // namespace tilewise
