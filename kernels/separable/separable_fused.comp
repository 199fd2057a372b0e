// Both directions of a separable filter at once. A workgroup gives WIDTH x (ROWS * STRIPS) results. First an invocation
// filters ROWS results of one column from the texture, in registers, and puts them into shared memory; the columns go
// RADIUS beyond the results on either side. Then it filters RESULTS results side by side from there.
//   FORMAT, RADIUS, PRECISION                      as in separable_shared.comp
//   INVOCATIONS, WIDTH, ROWS, STRIPS, RESULTS      WIDTH is a multiple of RESULTS
//   LOAD                                           read by imageLoad instead of texelFetch
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x = INVOCATIONS) in;
layout(binding = 0, FORMAT) writeonly uniform image2D result;
#ifdef LOAD
layout(binding = 1, FORMAT) readonly uniform image2D source;
#define FETCH(at) imageLoad(source, at)
#else
layout(binding = 1) uniform sampler2D source;
#define FETCH(at) texelFetch(source, at, 0)
#endif
layout(push_constant) uniform Push { ivec2 size; };
#include "filter_hooks.glsl"
#include "packed_texel.glsl"

const int height = ROWS * STRIPS;
const int columns = WIDTH + 2 * RADIUS;
// Lanes of the second step are in different rows: an odd pitch puts those into different banks.
const int pitch = columns | 1;
shared Packed rows[height * pitch];

void filter_column(int x, int y, int to) {
#define COUNT ROWS
#define READ(i) FETCH(ivec2(x, clamp(y + (i), 0, size.y - 1)))
#include "filter_line.glsl"
    [[unroll]] for (int i = 0; i < ROWS; ++i) rows[to + i * pitch] = pack(filter_result(states[i]));
}

void filter_row(ivec2 at, int from) {
#define COUNT RESULTS
#define READ(i) unpack(rows[from + (i)])
#include "filter_line.glsl"
    [[unroll]] for (int i = 0; i < RESULTS; ++i)
        if (at.x + i < size.x) imageStore(result, at + ivec2(i, 0), filter_result(states[i]));
}

void main() {
    int index = int(gl_LocalInvocationIndex);
    ivec2 corner = ivec2(gl_WorkGroupID.xy) * ivec2(WIDTH, height);
    for (int i = index; i < columns * STRIPS; i += INVOCATIONS) {
        int column = i % columns, row = i / columns * ROWS;
        filter_column(clamp(corner.x + column - RADIUS, 0, size.x - 1), corner.y + row, row * pitch + column);
    }
    barrier();

    // Rows change fastest, so that the lanes of one store fill whole sectors of memory where those have several rows.
    for (int i = index; i < WIDTH / RESULTS * height; i += INVOCATIONS) {
        int row = i % height, first = i / height * RESULTS;
        ivec2 at = corner + ivec2(first, row);
        if (all(lessThan(at, size))) filter_row(at, row * pitch + first + RADIUS);
    }
}
