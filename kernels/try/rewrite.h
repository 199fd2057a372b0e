// Rewrites a compute shader to another legal order of its workgroups and invocations, or to workgroups of another size.
//
// The built-in variables become ordinary ones, which a new entry point fills before it calls the old one:
//
//   WorkgroupId, LocalInvocationIndex, as the device has them
//     -> the workgroup's place in the order of groups
//     -> the invocation's place in its workgroup, by the remap
//     -> WorkgroupId, LocalInvocationId, LocalInvocationIndex, GlobalInvocationId, NumWorkgroups, as the shader sees
//        them
//
// Workgroups of another size are split up again: the shader sees those that it was written for. Invocations beyond its
// grid return at once.
#pragma once
#include "kernels/try/reflection.h"
#include "patterns/remap/remap.h"

namespace tilewise::kernels {

/// The built-in variables that get other values.
inline constexpr std::array renamed_built_ins = {spv::BuiltIn::NumWorkgroups, spv::BuiltIn::WorkgroupId,
                                                 spv::BuiltIn::LocalInvocationId, spv::BuiltIn::GlobalInvocationId,
                                                 spv::BuiltIn::LocalInvocationIndex};

struct ShaderVariant {
    /// Size of the dispatched workgroup; x and y may differ from the shader's, z may not.
    std::array<uint32_t, 3> local_size = {1, 1, 1};
    /// Along x and y of the workgroup; none: the device's numbering.
    std::optional<Remap> order;
    GroupOrder groups = {};
    bool operator==(const ShaderVariant&) const = default;
};

/// The grid that the shader runs with, before and after.
struct ShaderGrid {
    std::array<uint32_t, 3> local_size = {1, 1, 1};
    std::array<uint32_t, 3> groups = {1, 1, 1};
};

/// The workgroups to dispatch.
std::array<uint32_t, 3> dispatched(const ShaderGrid& grid, const ShaderVariant& variant);

/// Whether the code contains the grid's size, so that another grid needs other SPIR-V.
bool depends_on_grid(const ShaderGrid& grid, const ShaderVariant& variant);

/// `code` must be valid, and legality_of() must allow the variant. Throws Error naming what cannot be rewritten.
std::vector<uint32_t> rewritten(SpirvCode code, const ShaderReflection& shader, const ShaderGrid& grid,
                                const ShaderVariant& variant);

/// The same variant as lines for a GLSL or HLSL text: a function that recomputes the identity of the invocation.
struct VariantText {
    /// Declares uvec3 or uint3 variables tilewise_WorkGroupID, tilewise_LocalInvocationID, tilewise_GlobalInvocationID,
    /// tilewise_NumWorkGroups, uint tilewise_LocalInvocationIndex, and bool tilewise_order(group, groups, index), which
    /// fills them and returns false if the invocation has nothing to do.
    std::string head;
};
VariantText variant_text(const ShaderGrid& grid, const ShaderVariant& variant, bool is_hlsl);

}  // namespace tilewise::kernels
