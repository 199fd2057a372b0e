#version 450
// In which subgroup and lane each invocation of a workgroup runs. The compiler may choose it by what the shader does,
// so this one does what a kernel over an image does: it stores a texel, and it finds it by the same built-in.
#extension GL_KHR_shader_subgroup_basic : require

layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(set = 0, binding = 0) writeonly buffer Places {
    uvec4 places[];  // subgroup, lane, subgroup size, subgroups
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
    places[gl_WorkGroupID.x * invocations + index] =
        uvec4(gl_SubgroupID, gl_SubgroupInvocationID, gl_SubgroupSize, gl_NumSubgroups);
    imageStore(texels, ivec2(index % 32, index / 32), uvec4(index));
}
