// Which variants of a compute shader give the same results, judged from its SPIR-V.
#pragma once
#include "kernels/try/reflection.h"

namespace tilewise::kernels {

/// Each text is empty if such variants are legal; otherwise it says what forbids them, with the instruction.
///
/// A variant gives the invocations of a dispatch other identities, that is, other places in the grid. The program that
/// each invocation runs stays the same, so only what depends on which invocations run together can change.
struct Legality {
    /// Another order of the invocations in a workgroup.
    std::string order;
    /// Another order of the workgroups in a dispatch.
    std::string groups;
    /// Workgroups of another size, whose invocations keep their identities.
    std::string shape;
};
Legality legality_of(const SpirvCode& code, const ShaderReflection& shader);

}  // namespace tilewise::kernels
