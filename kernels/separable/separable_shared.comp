// One direction of a separable filter. A workgroup reads runs of LINES lines into shared memory; each invocation then has
// RESULTS results side by side, and each texel of shared memory that they need in registers once.
//   FORMAT, RADIUS, DIRECTION         as in separable_direct.comp
//   PRECISION                         bits a channel in shared memory
//   INVOCATIONS, LINES, RESULTS       INVOCATIONS is a multiple of LINES
//   APPROXIMATE                       shared memory has samples midway between texels, and only half of them are read
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x = INVOCATIONS) in;
layout(binding = 0, FORMAT) writeonly uniform image2D result;
layout(binding = 1) uniform sampler2D source;
layout(push_constant) uniform Push { ivec2 size; };
#include "filter_hooks.glsl"
#include "packed_texel.glsl"

const int run = INVOCATIONS / LINES * RESULTS;
const int texels = run + 2 * RADIUS;
// An odd pitch puts the lines into different banks.
const int pitch = texels | 1;
shared Packed lines[LINES * pitch];

const ivec2 across = ivec2(1) - DIRECTION;

vec4 texel_at(ivec2 at) { return texelFetch(source, clamp(at, ivec2(0), size - 1), 0); }

vec4 source_at(ivec2 at) {
#ifdef APPROXIMATE
    return textureLod(source, (vec2(at) + 0.5 + 0.5 * vec2(DIRECTION)) / vec2(size), 0);
#else
    return texel_at(at);
#endif
}

void main() {
    int index = int(gl_LocalInvocationIndex);
    ivec2 corner = ivec2(gl_WorkGroupID.xy) * (run * DIRECTION + LINES * across);
    // Lines change fastest: memory has neighbours of both directions side by side.
    for (int i = index; i < LINES * texels; i += INVOCATIONS) {
        int line = i % LINES, along = i / LINES;
        lines[line * pitch + along] = pack(source_at(corner + line * across + (along - RADIUS) * DIRECTION));
    }
    barrier();

    int line = index % LINES, first = index / LINES * RESULTS;
    ivec2 at = corner + line * across + first * DIRECTION;
    if (any(greaterThanEqual(at, size))) return;
    int base = line * pitch + first + RADIUS;
#ifdef APPROXIMATE
    State states[RESULTS];
    [[unroll]] for (int i = 0; i < RESULTS; ++i) states[i] = filter_center(texel_at(at + i * DIRECTION));
    // The sample at `sample_at` is midway to the texel after it: of result i, the farther tap of a pair to the left, or
    // the nearer one of a pair to the right.
    [[unroll]] for (int sample_at = -RADIUS; sample_at < RESULTS + RADIUS - 1; ++sample_at) {
        vec4 texel = unpack(lines[base + sample_at]);
        [[unroll]] for (int i = 0; i < RESULTS; ++i) {
            int right = sample_at - i, left = right + 1;
            if (right > 0 && right < RADIUS && (right & 1) == 1) filter_pair(states[i], texel, right);
            if (left < 0 && left > -RADIUS && (left & 1) == 1) filter_pair(states[i], texel, left);
        }
    }
    if ((RADIUS & 1) == 1) {
        [[unroll]] for (int i = 0; i < RESULTS; ++i) {
            filter_iteration(states[i], texel_at(at + (i - RADIUS) * DIRECTION), -RADIUS);
            filter_iteration(states[i], texel_at(at + (i + RADIUS) * DIRECTION), RADIUS);
        }
    }
#else
#define COUNT RESULTS
#define READ(i) unpack(lines[base + (i)])
#include "filter_line.glsl"
#endif
    [[unroll]] for (int i = 0; i < RESULTS; ++i) {
        ivec2 to = at + i * DIRECTION;
        if (all(lessThan(to, size))) imageStore(result, to, filter_result(states[i]));
    }
}
