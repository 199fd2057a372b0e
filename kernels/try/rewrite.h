// A compute shader in another legal order of its workgroups and invocations, or in workgroups of another size.
//
// The built-in variables become plain ones, which a new entry point fills before it calls the old one:
//
//   WorkgroupId, LocalInvocationIndex, as the device has them
//     -> the workgroup's place in the order of groups
//     -> the invocation's place in its workgroup, by the remap
//     -> WorkgroupId, LocalInvocationId, LocalInvocationIndex, GlobalInvocationId, NumWorkgroups, as the shader sees them
//
// Workgroups of another size are taken apart again: the shader sees those that it was written for. Invocations beyond
// its grid return at once.
#pragma once
#include "kernels/try/reflection.h"
#include "patterns/remap/remap.h"

namespace tilewise::kernels {

struct ShaderVariant {
    /// Of the workgroup that is dispatched; x and y may be another one's than the shader's, z may not.
    std::array<uint32_t, 3> local_size = {1, 1, 1};
    /// Along x and y of the workgroup; none: as the device numbers them.
    std::optional<Remap> order;
    GroupOrder groups = {};
    bool operator==(const ShaderVariant&) const = default;
};

/// What the shader runs with, before and after.
struct ShaderGrid {
    std::array<uint32_t, 3> local_size = {1, 1, 1};
    std::array<uint32_t, 3> groups = {1, 1, 1};
};

/// The workgroups to dispatch.
std::array<uint32_t, 3> dispatched(const ShaderGrid& grid, const ShaderVariant& variant);

/// Whether the grid's size is in the code: another one needs other SPIR-V.
bool depends_on_grid(const ShaderGrid& grid, const ShaderVariant& variant);

/// `code` is valid, and legality_of() allows the variant. Throws Error for what cannot be rewritten, naming it.
std::vector<uint32_t> rewritten(SpirvCode code, const ShaderReflection& shader, const ShaderGrid& grid,
                                const ShaderVariant& variant);

/// The same variant as lines for a text in GLSL or HLSL: a function that makes the names of the invocation anew.
struct VariantText {
    /// uvec3 or uint3 variables tilewise_WorkGroupID, tilewise_LocalInvocationID, tilewise_GlobalInvocationID,
    /// tilewise_NumWorkGroups, uint tilewise_LocalInvocationIndex, and bool tilewise_order(group, groups, index),
    /// which fills them; false: the invocation has nothing to do.
    std::string head;
};
VariantText variant_text(const ShaderGrid& grid, const ShaderVariant& variant, bool is_hlsl);

}  // namespace tilewise::kernels
