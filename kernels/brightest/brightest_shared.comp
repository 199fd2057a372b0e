// A workgroup for each 8x8: what its invocations find meets in shared memory.
//   REGION      texels along the side of the square that each invocation searches: 1 or 2
//   TREE        all invocations take part in the search, half of them in each step; else one searches alone
#version 450
#extension GL_GOOGLE_include_directive : require
#include "order.glsl"
#include "brightest.glsl"

const uint SIDE = 8 / REGION, CELLS = SIDE * SIDE;

shared BrightPoint cells[CELLS];

void main() {
    uvec2 cell = remap(gl_LocalInvocationIndex);
    uvec2 first = gl_WorkGroupID.xy * 8 + cell * REGION;
    BrightPoint best = point_at(first);
#if REGION > 1
    for (uint i = 1; i < REGION * REGION; ++i) {
        BrightPoint other = point_at(first + uvec2(i % REGION, i / REGION));
        if (beats(other, best)) best = other;
    }
#endif
    uint own = cell.y * SIDE + cell.x;
    cells[own] = best;
#ifdef TREE
    for (uint stride = 1; stride < CELLS; stride *= 2) {
        barrier();
        if (own % (2 * stride) == 0 && beats(cells[own + stride], cells[own])) cells[own] = cells[own + stride];
    }
    if (own == 0) append(cells[0]);
#else
    barrier();
    if (own > 0) return;
    for (uint i = 1; i < CELLS; ++i)
        if (beats(cells[i], best)) best = cells[i];
    append(best);
#endif
}
