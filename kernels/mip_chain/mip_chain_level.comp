// One level of a mip chain from the level above it: each invocation makes a texel, the mean of 2x2.
//   FORMAT      the image's format qualifier
#version 450
#extension GL_GOOGLE_include_directive : require
#include "order.glsl"

layout(binding = 0, FORMAT) writeonly uniform image2D result;
layout(binding = 1) uniform sampler2D source;

layout(push_constant) uniform Push {
    ivec2 size;  // of the level above
};

void main() {
    ivec2 at = own_texel();
    // A side of one texel counts twice. What would lie outside of the level is not stored.
    ivec2 a = min(2 * at, size - 1), b = min(2 * at + 1, size - 1);
    vec4 upper = texelFetch(source, a, 0) + texelFetch(source, ivec2(b.x, a.y), 0);
    vec4 lower = texelFetch(source, ivec2(a.x, b.y), 0) + texelFetch(source, b, 0);
    imageStore(result, at, (upper + lower) * 0.25);
}
