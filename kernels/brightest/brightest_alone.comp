// Each invocation searches a whole 8x8; the order is one of these squares.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "order.glsl"
#include "brightest.glsl"

void main() {
    uvec2 first = uvec2(own_texel()) * 8;
    BrightPoint best = point_at(first);
    for (uint y = 0; y < 8; ++y)
        for (uint x = 0; x < 8; ++x) {
            BrightPoint other = point_at(first + uvec2(x, y));
            if (other.luminance > best.luminance) best = other;
        }
    append(best);
}
