// box_running.comp's sums: four floats. Halves are kept as such: half the registers, and as exact.
#ifdef HALF
#define PRECISION 16
#else
#define PRECISION 32
#endif
#include "packed_texel.glsl"
#define TEXEL vec4
#define SUM vec4
layout(binding = 1) uniform sampler2D source;
TEXEL fetched(ivec2 at) { return texelFetch(source, at, 0); }

SUM widened(TEXEL texel) { return texel; }
SUM shared_form(SUM sum) { return sum; }

#define TOTAL SUM
vec4 mean(TOTAL total, int steps) { return total * (1.0 / float(diameter * diameter)); }
