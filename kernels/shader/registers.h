// The registers that a driver's compiler gives a compute kernel.
#pragma once
#include "kernels/shader/compute_pass.h"
#include <optional>

namespace tilewise::kernels {

/// By the pass; none where the driver does not tell.
using RegisterCounts = std::vector<std::optional<uint32_t>>;

/// The registers of an invocation in each pass. Pipelines are made to ask, on all cores. Throws Error where they
/// cannot be made.
RegisterCounts registers_of(Context& context, const Variant& variant, std::vector<ComputePassInputs> passes);

}  // namespace tilewise::kernels
