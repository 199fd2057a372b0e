// box_running.comp's sums of bytes, in integers, several to a word.
//
// A column's sum is that of its whole words modulo 2^32 (x), and that of their bytes 1 and 3, each in half a word (y).
// Those of the bytes 0 and 2 are then x - 256 y: exact where they fit into half a word, too, and one addition less a texel.
#define TEXEL uint
#define SUM uvec2
#define Packed TEXEL
#ifdef SEEN_AS_IS
layout(binding = 1) uniform sampler2D source;
TEXEL fetched(ivec2 at) { return packUnorm4x8(texelFetch(source, at, 0)); }
#else
layout(binding = 1) uniform usampler2D source;
TEXEL fetched(ivec2 at) { return texelFetch(source, at, 0).x; }
#endif

SUM widened(TEXEL texel) { return uvec2(texel, texel >> 8 & 0x00ff00ff); }
Packed pack(TEXEL texel) { return texel; }
TEXEL unpack(Packed texel) { return texel; }
/// Bytes 0 and 2 in x, 1 and 3 in y.
uvec2 parted(SUM sum) { return uvec2(sum.x - (sum.y << 8), sum.y); }

// The largest sum of a column.
#define MOST ((2 * RADIUS + 1) * 255)

// CUT: so many of its lowest bits are cut off, so that a row's total fits into half a word. What is cut is put back on
// average: at most (2^CUT - 1) / (2 (2 RADIUS + 1)) of a step of R8G8B8A8 is lost, 0.03 at radius 8 and 0.07 at radius 11.
#ifndef CUT
// A total does not fit: half words hold the sums of few columns, and four words the total. To part what a step adds, it
// must not be negative: MOST is added each time, and taken off in the mean.
#define SPREAD_TOTALS
#define CUT 0
#endif

// A number n in the low bits of 2^23 is the float 2^23 + n, so that one multiply-add gives the mean: no conversion. The factor has
// few enough bits for 2^23 times it to be exact.
#define TWO_23 0x4b000000u
const float grid = RADIUS < 4 ? 8589934592.0 : 274877906944.0;  // 2^33, 2^38
const float factor = float(int(grid * float(1 << CUT) / float(255 * diameter * diameter) + 0.5)) / grid;
vec4 scaled(uvec4 bits, float first) {
    return fma(uintBitsToFloat(bits), vec4(factor), vec4(-(8388608.0 + first) * factor));
}

#ifndef SPREAD_TOTALS

#define TOTAL SUM
#if CUT == 0
SUM shared_form(SUM sum) { return sum; }
#else
SUM shared_form(SUM sum) { return parted(sum) >> CUT & (0xffff >> CUT) * 0x10001; }
#endif

vec4 mean(TOTAL total, int steps) {
    const float lost = float(((1 << CUT) - 1) * diameter) / float(2 << CUT);
#if CUT == 0
    total = parted(total);
#endif
    uvec4 halves = uvec4(total.x & 0xffff, total.y & 0xffff, total.x >> 16, total.y >> 16);
    return scaled(halves | TWO_23, -lost);
}

#else

#define TOTAL uvec4
const int most_columns = 65535 / MOST;
SUM shared_form(SUM sum) { return parted(sum); }
TOTAL spread(uvec2 halves) { return uvec4(halves.x & 0xffff, halves.y & 0xffff, halves.x >> 16, halves.y >> 16); }

vec4 mean(TOTAL total, int steps) { return scaled(total, float(steps * MOST)); }

#endif
