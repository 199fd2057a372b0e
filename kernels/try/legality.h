// Which variants of a compute shader give the same results, by what is in its SPIR-V.
#pragma once
#include "kernels/try/reflection.h"

namespace tilewise::kernels {

/// Each is empty where such variants are legal; else what forbids them, with the instruction that does.
///
/// A variant gives the invocations of a dispatch other names: which one is at which place of the grid. The program that
/// each of them runs stays the same, so nothing changes but what depends on who runs beside whom.
struct Legality {
    /// Of the invocations of a workgroup.
    std::string order;
    /// Of the workgroups of a dispatch.
    std::string groups;
    /// Workgroups of another size, whose invocations are given the names that they had.
    std::string shape;
};
Legality legality_of(const SpirvCode& code, const ShaderReflection& shader);

}  // namespace tilewise::kernels
