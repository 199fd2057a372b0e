// The registers that a driver's compiler gives a compute kernel.
#pragma once
#include "kernels/shader/compute_pass.h"
#include <optional>

namespace tilewise::kernels {

/// By pass; none if the driver does not report it.
using RegisterCounts = std::vector<std::optional<uint32_t>>;

/// The registers of an invocation in each pass. Creates pipelines to find out, on all cores. Throws Error if they
/// cannot be created.
RegisterCounts registers_of(Context& context, const Variant& variant, std::vector<ComputePassInputs> passes);

}  // namespace tilewise::kernels
