// Texels fetched again and again from a few kilobytes: what counts is how many a quad of invocations gets at a time.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "order.glsl"

layout(binding = 0) writeonly buffer Sums { vec4 sums[]; };
layout(binding = 1) uniform sampler2D source;

layout(push_constant) uniform Push {
    uint rounds;
    float highest;  ///< sums up to it are written: all to check them, none to time the fetches
};

const int side = 16;  ///< of the workgroup's box; the image's is twice that

void main() {
    ivec2 own = ivec2(remap(gl_LocalInvocationIndex));
    vec4 sum = vec4(0);
    for (uint y = 0; y < rounds; ++y)
        [[unroll]] for (int x = 0; x < side; ++x) sum += texelFetch(source, own + ivec2(x, int(y) & side - 1), 0);
    if (sum.x <= highest) sums[gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationIndex] = sum;
}
