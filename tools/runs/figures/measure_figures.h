// Measures the figures of a device and stores them.
#pragma once
#include "probe/probe.h"
#include "tools/answers/gpu/figures.h"

namespace tilewise {

/// Runs kernels in this process: any probing must be finished before the call.
FigureFacts measure_figures(const probe::DeviceInfo& device, db::Database& database);

}  // namespace tilewise
