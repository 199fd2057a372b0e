// TEXELS texels an invocation, below one another a box apart: read and written, only read, or only written.
//   FORMAT           the images' format qualifier
//   FETCH, STORE     only that
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "order.glsl"

layout(binding = 0, FORMAT) writeonly uniform image2D result;
layout(binding = 1) uniform sampler2D source;

layout(push_constant) uniform Push {
    ivec2 size;
    float written_below;  // FETCH: zero while it is timed
};

void main() {
    ivec2 at = ivec2(gl_WorkGroupID.xy * uvec2(shape_x, shape_y * TEXELS) + remap(gl_LocalInvocationIndex));
    vec4 texels[TEXELS];
#ifdef STORE
    [[unroll]] for (int i = 0; i < TEXELS; ++i) texels[i] = vec4(0.5);
#else
    [[unroll]] for (int i = 0; i < TEXELS; ++i)
        texels[i] = texelFetch(source, min(at + ivec2(0, i * int(shape_y)), size - 1), 0);
#endif
#ifdef FETCH
    // Texels are above zero: with written_below at zero nothing is written, but the compiler must read all the same.
    vec4 sum = vec4(0);
    [[unroll]] for (int i = 0; i < TEXELS; ++i) sum += texels[i];
    if (sum.x < written_below) imageStore(result, at, sum / TEXELS);
#else
    // What would lie outside of the image is not stored.
    [[unroll]] for (int i = 0; i < TEXELS; ++i) imageStore(result, at + ivec2(0, i * int(shape_y)), texels[i]);
#endif
}
