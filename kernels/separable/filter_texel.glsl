// One result of one direction, straight from the texture `source` of `size` texels.
//   RADIUS, DIRECTION  ivec2(1, 0) or ivec2(0, 1)
//   APPROXIMATE        two taps are one bilinear sample, where the filter says
//   MIDWAY             ... or midway between them, whatever the filter says
#include "filter_hooks.glsl"

vec4 texel_at(ivec2 at) { return texelFetch(source, clamp(at, ivec2(0), size - 1), 0); }

#ifdef APPROXIMATE
#ifdef MIDWAY
#define PAIR_POSITION(offset) 0.5
#else
#define PAIR_POSITION(offset) filter_pair_position(offset)
#endif

vec4 between(ivec2 at, float along) {
    return textureLod(source, (vec2(at) + 0.5 + along * vec2(DIRECTION)) / vec2(size), 0);
}

vec4 filtered(ivec2 at) {
    State state = filter_center(texel_at(at));
    [[unroll]] for (int offset = 1; offset < RADIUS; offset += 2) {
        filter_pair(state, between(at, float(-offset) - PAIR_POSITION(-offset)), -offset);
        filter_pair(state, between(at, float(offset) + PAIR_POSITION(offset)), offset);
    }
    if ((RADIUS & 1) == 1) {
        filter_iteration(state, texel_at(at - RADIUS * DIRECTION), -RADIUS);
        filter_iteration(state, texel_at(at + RADIUS * DIRECTION), RADIUS);
    }
    return filter_result(state);
}
#else
vec4 filtered(ivec2 at) {
#define COUNT 1
#define READ(i) texel_at(at + (i) * DIRECTION)
#include "filter_line.glsl"
    return filter_result(states[0]);
}
#endif
