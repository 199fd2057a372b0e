// Tries a user's filter before anything is timed.
#pragma once
#include "kernels/image/texels.h"
#include "kernels/separable/filter.h"
#include "tools/runs/validate/workbench.h"
#include <span>

namespace tilewise {

/// Runs the filter once over a small image, to see whether it compiles and ends. Throws Error if not; if the device
/// keeps working, ends the program.
void rehearse(Workbench& bench, const kernels::FilterText& filter, kernels::Format format,
              std::span<const uint32_t> radii);

/// Exits with code 1: freeing anything that the device still works with would wait for ever.
[[noreturn]] void end_with_device_at_work(const std::string& message);

/// Says what may be wrong with a filter whose results differ.
std::string advice_on_wrong_filter(const kernels::Context& context, const kernels::FilterText& filter);

}  // namespace tilewise
