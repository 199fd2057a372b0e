// Each workgroup adds up BOXES boxes of the image, one below the other: each invocation its texels, then a tree in
// shared memory.
//   BOXES       else it is a specialization constant
//   PARTIALS    one workgroup adds up sums that were made before instead
#version 450
#extension GL_GOOGLE_include_directive : require
#include "order.glsl"

layout(binding = 0) writeonly buffer Sums { vec4 sums[]; };
#ifdef PARTIALS
layout(binding = 1) readonly buffer Partials { vec4 partials[]; };
#else
layout(binding = 1) uniform sampler2D source;
#endif

layout(push_constant) uniform Push {
    ivec2 size;  // of the image
    float scale;
    uint count;  // of the sums that were made before; else of the workgroups along x
};
#ifndef BOXES
layout(constant_id = 16) const int BOXES = 1;
#endif

shared vec4 tree[gl_WorkGroupSize.x];

void main() {
    uint own = gl_LocalInvocationIndex;
    vec4 sum = vec4(0);
#ifdef PARTIALS
    for (uint i = own; i < count; i += gl_WorkGroupSize.x) sum += partials[i];
#else
    ivec2 at = ivec2(gl_WorkGroupID.xy * uvec2(shape_x, shape_y * BOXES) + remap(own));
    for (int box = 0; box < BOXES; ++box, at.y += int(shape_y))
        if (all(lessThan(at, size))) sum += texelFetch(source, at, 0);
#endif
    tree[own] = sum;
    for (uint width = gl_WorkGroupSize.x / 2; width > 0; width /= 2) {
        barrier();
        if (own < width) tree[own] += tree[own + width];
    }
    if (own == 0) sums[gl_WorkGroupID.y * count + gl_WorkGroupID.x] = tree[0] * scale;
}
