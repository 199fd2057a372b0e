// The mean of the (2 RADIUS + 1)^2 texels around each one, with two additions a texel and direction instead of 2 RADIUS + 1.
//
//   each invocation walks down one column of a strip:     sum += texel(y + R);  share it;  sum -= texel(y - R)
//   after ROWS rows the sums of all columns are in shared memory, and each invocation slides along RESULTS texels of a row
//   STAGED: the results go through shared memory once more, to be stored in the order of the image's memory
//
// A strip is INVOCATIONS columns wide, 2 RADIUS of which belong to its neighbours. The texels of the last 2 RADIUS + 1 rows
// stay in registers. Without STAGED, results are stored rows fastest: right where an image's sectors are columns, too.
//   FORMAT     the images' format qualifier
//   PACKED     the format is rgba8, seen as r32ui: two channels in each half of a word, exact
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "order.glsl"

layout(push_constant) uniform Push {
    ivec2 size;
    int strip_rows;
};

#ifdef PACKED
#define TEXEL uint
#define SUM uvec2
layout(binding = 0, r32ui) writeonly uniform uimage2D result;
layout(binding = 1) uniform usampler2D source;
uvec2 widened(uint texel) { return uvec2(texel & 0x00ff00ff, texel >> 8 & 0x00ff00ff); }
#else
#define TEXEL vec4
#define SUM vec4
layout(binding = 0, FORMAT) writeonly uniform image2D result;
layout(binding = 1) uniform sampler2D source;
#define widened(texel) texel
#endif

// Fifteen rows of fifteen bytes are less than 2^16.
#if defined(PACKED) && RADIUS > 7
#define MEAN uvec4
uvec4 spread(uvec2 sum) { return uvec4(sum.x & 0xffff, sum.y & 0xffff, sum.x >> 16, sum.y >> 16); }
#else
#define MEAN SUM
#define spread(sum) sum
#endif

const int diameter = 2 * RADIUS + 1;
const int kept = (diameter + ROWS - 1) / ROWS * ROWS;
const int width = STRIP_WIDTH;  // at most INVOCATIONS - 2 * RADIUS
const int pitch = INVOCATIONS + 1;  // the rows of one column lie in different banks

shared SUM sums[ROWS * pitch];

TEXEL texel_at(int x, int y) {
#ifdef PACKED
    return texelFetch(source, ivec2(x, clamp(y, 0, size.y - 1)), 0).x;
#else
    return texelFetch(source, ivec2(x, clamp(y, 0, size.y - 1)), 0);
#endif
}

#ifdef PACKED
#define RESULT uint
#elif defined(HALF)
#define RESULT uvec2
#else
#define RESULT vec4
#endif

RESULT mean_of(MEAN sum) {
    const float weight = 1.0 / float(diameter * diameter);
#ifdef PACKED
#if RADIUS > 7
    uvec4 wide = sum;
#else
    uvec4 wide = uvec4(sum.x & 0xffff, sum.y & 0xffff, sum.x >> 16, sum.y >> 16);
#endif
    wide = uvec4(vec4(wide) * weight + 0.5);
    return wide.x | wide.y << 8 | wide.z << 16 | wide.w << 24;
#elif defined(HALF)
    return uvec2(packHalf2x16(sum.xy * weight), packHalf2x16(sum.zw * weight));
#else
    return sum * weight;
#endif
}

void store(ivec2 at, RESULT mean) {
    if (any(greaterThanEqual(at, size))) return;
#ifdef PACKED
    imageStore(result, at, uvec4(mean));
#elif defined(HALF)
    imageStore(result, at, vec4(unpackHalf2x16(mean.x), unpackHalf2x16(mean.y)));
#else
    imageStore(result, at, mean);
#endif
}

#ifdef STAGED
const int staged_pitch = width + 1;
shared RESULT staged[ROWS * staged_pitch];
#endif

void finish(ivec2 origin, int row, int x, RESULT mean) {
#ifdef STAGED
    staged[row * staged_pitch + x] = mean;
#else
    store(origin + ivec2(x, row), mean);
#endif
}

void slide_along_rows(ivec2 origin) {
    [[unroll]] for (int first = 0; first < width / RESULTS * ROWS; first += INVOCATIONS) {
        int task = first + int(gl_LocalInvocationIndex);
        if (task >= width / RESULTS * ROWS) break;
        int row = task % ROWS, x = task / ROWS * RESULTS, at = row * pitch + x;
        MEAN sum = spread(sums[at]);
        [[unroll]] for (int i = 1; i < diameter; ++i) sum += spread(sums[at + i]);
        [[unroll]] for (int i = 0; i < RESULTS; ++i) {
            if (i > 0) sum += spread(sums[at + i + 2 * RADIUS]) - spread(sums[at + i - 1]);
            finish(origin, row, x + i, mean_of(sum));
        }
    }
}

#ifdef STAGED
// The remap's box is ROWS high; boxes follow one another along the strip.
void store_in_memory_order(ivec2 origin) {
    [[unroll]] for (int first = 0; first < width * ROWS; first += INVOCATIONS) {
        int task = first + int(gl_LocalInvocationIndex);
        if (task >= width * ROWS) break;
        int box = int(shape_x) * ROWS;
        ivec2 at = ivec2(task / box * int(shape_x), 0) + ivec2(remap(uint(task % box)));
        store(origin + at, staged[at.y * staged_pitch + at.x]);
    }
}
#endif

void main() {
    int column = int(gl_LocalInvocationIndex);
    ivec2 origin = ivec2(gl_WorkGroupID.xy) * ivec2(width, strip_rows);
    int x = clamp(origin.x + column - RADIUS, 0, size.x - 1);

    TEXEL last[kept];  // row `origin.y - RADIUS + i` is in last[i % kept]
    SUM sum = SUM(0);
    [[unroll]] for (int i = 0; i < 2 * RADIUS; ++i) last[i] = texel_at(x, origin.y - RADIUS + i);
    [[unroll]] for (int i = 0; i < 2 * RADIUS; ++i) sum += widened(last[i]);
    TEXEL next[ROWS];
    [[unroll]] for (int i = 0; i < ROWS; ++i) next[i] = texel_at(x, origin.y + RADIUS + i);

    int end = min(strip_rows, size.y - origin.y);
    for (int y = 0; y < end; y += kept) {
        [[unroll]] for (int part = 0; part < kept; part += ROWS) {
            if (y + part < end) {
                [[unroll]] for (int i = 0; i < ROWS; ++i) {
                    last[(2 * RADIUS + part + i) % kept] = next[i];
                    sum += widened(next[i]);
                    sums[i * pitch + column] = sum;
                    sum -= widened(last[part + i]);
                    next[i] = texel_at(x, origin.y + RADIUS + y + part + ROWS + i);
                }
                ivec2 rows_origin = origin + ivec2(0, y + part);
                barrier();
                slide_along_rows(rows_origin);
                barrier();
#ifdef STAGED
                store_in_memory_order(rows_origin);
#endif
            }
        }
    }
}
