// The figures of a device, measured and kept.
#pragma once
#include "probe/probe.h"
#include "tools/answers/gpu/figures.h"

namespace tilewise {

/// Runs kernels in this process: whatever is to be probed has been before.
FigureFacts measure_figures(const probe::DeviceInfo& device, db::Database& database);

}  // namespace tilewise
