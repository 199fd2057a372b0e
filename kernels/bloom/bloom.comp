// A step of a dual-filter blur, down to half of the size or up from it: each invocation makes a texel of bilinear
// samples around its place.
//   FORMAT      the result's format qualifier
//   UP          from half of the size: eight samples, four of them twice; else to it: five, that in the middle four times
//   FETCHES     each sample is computed from four texels; else by the sampler
#version 450
#extension GL_GOOGLE_include_directive : require
#include "order.glsl"

layout(binding = 0, FORMAT) writeonly uniform image2D result;
layout(binding = 1) uniform sampler2D source;

layout(push_constant) uniform Push {
    ivec2 size;         // of the result
    ivec2 source_size;  // about twice that, or half of it
};

/// `at`: 0 to 1 over the source.
vec4 tap(vec2 at) {
#ifdef FETCHES
    vec2 place = at * vec2(source_size) - 0.5;
    ivec2 a = ivec2(floor(place)), b = min(a + 1, source_size - 1);
    vec2 part = place - floor(place);
    a = clamp(a, ivec2(0), source_size - 1);
    b = max(b, ivec2(0));
    vec4 upper = mix(texelFetch(source, a, 0), texelFetch(source, ivec2(b.x, a.y), 0), part.x);
    vec4 lower = mix(texelFetch(source, ivec2(a.x, b.y), 0), texelFetch(source, b, 0), part.x);
    return mix(upper, lower, part.y);
#else
    return textureLod(source, at, 0);
#endif
}

void main() {
    ivec2 texel = own_texel();
    vec2 at = (vec2(texel) + 0.5) / vec2(size);
#ifdef UP
    vec2 step = 0.5 / vec2(source_size);
    vec4 sum = tap(at + vec2(-2 * step.x, 0)) + tap(at + vec2(2 * step.x, 0));
    sum += tap(at + vec2(0, -2 * step.y)) + tap(at + vec2(0, 2 * step.y));
    sum += 2 * tap(at - step) + 2 * tap(at + step);
    sum += 2 * tap(at + vec2(step.x, -step.y)) + 2 * tap(at + vec2(-step.x, step.y));
    sum *= 1.0 / 12;
#else
    vec2 step = 0.5 / vec2(size);
    vec4 sum = 4 * tap(at) + tap(at - step) + tap(at + step);
    sum += tap(at + vec2(step.x, -step.y)) + tap(at + vec2(-step.x, step.y));
    sum *= 1.0 / 8;
#endif
    imageStore(result, texel, sum);  // what would lie outside of the image is not stored
}
