#version 450
// The second route to what lane_order.comp reads from built-ins: which invocations form a subgroup, and in which order,
// as seen from what they tell one another.
#extension GL_KHR_shader_subgroup_ballot : require

layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(set = 0, binding = 0) writeonly buffer Peers {
    uvec4 peers[];  // index of the subgroup's first, invocations of the subgroup before this one, in all, 1 if elected
};
layout(set = 0, binding = 1, r32ui) uniform writeonly uimage2D texels;

void main() {
#ifdef BY_ID
    const uint index =
        gl_LocalInvocationID.x + gl_WorkGroupSize.x * (gl_LocalInvocationID.y + gl_WorkGroupSize.y * gl_LocalInvocationID.z);
#else
    const uint index = gl_LocalInvocationIndex;
#endif
    const uint invocations = gl_WorkGroupSize.x * gl_WorkGroupSize.y * gl_WorkGroupSize.z;
    const uvec4 present = subgroupBallot(true);
    const uint elected = subgroupElect() ? 1 : 0;
    peers[gl_WorkGroupID.x * invocations + index] =
        uvec4(subgroupBroadcastFirst(index), subgroupBallotExclusiveBitCount(present), subgroupBallotBitCount(present), elected);
    imageStore(texels, ivec2(index % 32, index / 32), uvec4(index));
}
