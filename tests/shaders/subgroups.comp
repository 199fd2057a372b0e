#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 64) in;
layout(binding = 0, rgba8) uniform readonly image2D source;
layout(std430, binding = 1) writeonly buffer Sums { uint sums[]; };
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint value = all(lessThan(at, imageSize(source))) ? uint(imageLoad(source, at).g * 255.0) : 0u;
    uint sum = subgroupAdd(value);
    uint place = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (subgroupElect()) sums[(place * gl_NumSubgroups + gl_SubgroupID) & 0xffffu] = sum;
}
