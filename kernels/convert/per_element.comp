#version 450
// An element an invocation, as anybody would write it. ELEMENT: its type; filter.glsl gives tilewise_address().
layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, binding = 0) readonly buffer From { ELEMENT from[]; };
layout(std430, binding = 1) buffer To { ELEMENT to[]; };
layout(push_constant) uniform Level {
    uint width, height, layers;            // elements
    uint stride_x, stride_y, base, layer;  // bytes
    uint rows, rows_layer;                 // elements
};
#include "filter.glsl"

void main() {
    uvec3 at = gl_GlobalInvocationID;
    if (at.x >= width || at.y >= height || at.z >= layers) return;
    uint row = rows + at.z * rows_layer + at.y * width + at.x;
    uint tiled = (base + at.z * layer + tilewise_address(at.xy, uvec2(stride_x, stride_y))) / ELEMENT_BYTES;
#ifdef DETILE
    to[row] = from[tiled];
#else
    to[tiled] = from[row];
#endif
}
