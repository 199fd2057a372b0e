// box_running.comp's sums: four floats.
#define TEXEL vec4
#define SUM vec4
#define TOTAL vec4
layout(binding = 1) uniform sampler2D source;
shared SUM sums[ROWS * pitch];

SUM widened(TEXEL texel) { return texel; }
SUM shared_form(SUM sum) { return sum; }

// Halves are kept as such: half the registers, and as exact.
#ifdef HALF
#define KEPT uvec2
KEPT kept_of(TEXEL texel) { return uvec2(packHalf2x16(texel.xy), packHalf2x16(texel.zw)); }
TEXEL texel_of(KEPT kept) { return vec4(unpackHalf2x16(kept.x), unpackHalf2x16(kept.y)); }
#else
#define KEPT TEXEL
KEPT kept_of(TEXEL texel) { return texel; }
TEXEL texel_of(KEPT kept) { return kept; }
#endif

TOTAL first_total(int at) {
    TOTAL total = sums[at];
    [[unroll]] for (int i = 1; i < diameter; ++i) total += sums[at + i];
    return total;
}
TOTAL step_along(int leaving, int entering) { return sums[entering] - sums[leaving]; }
vec4 mean(TOTAL total, int steps) { return total * (1.0 / float(diameter * diameter)); }
