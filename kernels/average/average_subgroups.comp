// One dispatch. Each workgroup strides over the image; in a step each invocation reads ALONG_X * ALONG_Y texels, one of
// each of as many neighbouring boxes, all on their way at once. The workgroup that ends last adds up the sums of all.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_EXT_control_flow_attributes : require
#include "order.glsl"

layout(binding = 0) coherent buffer Result {
    vec4 mean;
    uint finished;  // workgroups; zero between two runs
};
layout(binding = 1) coherent buffer Partials { vec4 partials[]; };
layout(binding = 2) uniform sampler2D source;

layout(push_constant) uniform Push {
    ivec2 size;    // of the image
    ivec2 steps;   // that cover it
    ivec2 stride;  // from a workgroup's step to its next one: as many steps as there are workgroups
    float scale;
};

const int TEXELS = ALONG_X * ALONG_Y;
const uint AT_ONCE = 8;  // partial sums that an invocation of the last workgroup reads together

shared vec4 sums[gl_WorkGroupSize.x];  // one for each subgroup: no more of them than invocations
shared bool is_last;

/// Right in subgroup 0.
vec4 workgroup_sum(vec4 value) {
    value = subgroupAdd(value);
    if (subgroupElect()) sums[gl_SubgroupID] = value;
    barrier();
    if (gl_SubgroupID > 0) return vec4(0);
    vec4 sum = vec4(0);
    for (uint i = gl_SubgroupInvocationID; i < gl_NumSubgroups; i += gl_SubgroupSize) sum += sums[i];
    return subgroupAdd(sum);
}

vec4 step_sum(ivec2 first, ivec2 own) {
    const ivec2 box = ivec2(shape_x, shape_y);
    vec4 texels[TEXELS];
    if (all(lessThanEqual(first + box * ivec2(ALONG_X, ALONG_Y), size))) {
        [[unroll]] for (int i = 0; i < TEXELS; ++i)
            texels[i] = texelFetch(source, first + own + box * ivec2(i % ALONG_X, i / ALONG_X), 0);
    } else {
        [[unroll]] for (int i = 0; i < TEXELS; ++i) {
            ivec2 at = first + own + box * ivec2(i % ALONG_X, i / ALONG_X);
            texels[i] = all(lessThan(at, size)) ? texelFetch(source, at, 0) : vec4(0);
        }
    }
    vec4 sum = texels[0];
    [[unroll]] for (int i = 1; i < TEXELS; ++i) sum += texels[i];
    return sum;
}

void main() {
    ivec2 own = ivec2(remap(gl_LocalInvocationIndex));
    ivec2 at = ivec2(gl_WorkGroupID.x % uint(steps.x), gl_WorkGroupID.x / uint(steps.x));
    vec4 sum = vec4(0);
    while (at.y < steps.y) {
        sum += step_sum(at * ivec2(shape_x * ALONG_X, shape_y * ALONG_Y), own);
        at += stride;
        if (at.x >= steps.x) at += ivec2(-steps.x, 1);
    }

    sum = workgroup_sum(sum);
    if (gl_SubgroupID == 0 && subgroupElect()) {
        partials[gl_WorkGroupID.x] = sum;
        memoryBarrierBuffer();
        is_last = atomicAdd(finished, 1) == gl_NumWorkGroups.x - 1;
    }
    barrier();
    if (!is_last) return;
    memoryBarrierBuffer();
    sum = vec4(0);
    for (uint first = gl_LocalInvocationIndex; first < gl_NumWorkGroups.x; first += AT_ONCE * gl_WorkGroupSize.x) {
        vec4 parts[AT_ONCE];  // all on their way before the first is added: nothing else runs any more
        [[unroll]] for (uint i = 0; i < AT_ONCE; ++i) {
            uint at = first + i * gl_WorkGroupSize.x;
            parts[i] = at < gl_NumWorkGroups.x ? partials[at] : vec4(0);
        }
        [[unroll]] for (uint i = 0; i < AT_ONCE; ++i) sum += parts[i];
    }
    sum = workgroup_sum(sum);
    if (gl_SubgroupID == 0 && subgroupElect()) {
        mean = sum * scale;
        finished = 0;
    }
}
