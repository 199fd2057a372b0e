// The mean of the (2 RADIUS + 1)^2 texels around each one, with two additions a texel and direction instead of 2 RADIUS + 1.
//
//   each invocation walks down one column of a strip:     sum += texel(y + R);  share it;  sum -= texel(y - R)
//   after ROWS rows the sums of all columns are in shared memory, and each invocation slides along RESULTS texels of a row
//
// A strip is INVOCATIONS columns wide, 2 RADIUS of which belong to its neighbours. The texels of the last 2 RADIUS + 1 rows
// stay in registers. Results are stored rows fastest: where an image's memory holds some rows of a column together (NVIDIA,
// Intel's TileY), neighbours in a subgroup write to the same sectors.
//   FORMAT     the images' format qualifier
//   PACKED     the format is rgba8, seen as r32ui: two channels in each half of a word, exact
//   HALF       the format is rgba16f
#version 450
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x = INVOCATIONS) in;
layout(push_constant) uniform Push {
    ivec2 size;
    int strip_rows;
};

#ifdef PACKED
#define TEXEL uint
#define SUM uvec2
#define MEAN uvec4
layout(binding = 0, r32ui) writeonly uniform uimage2D result;
layout(binding = 1) uniform usampler2D source;
uvec2 widened(uint texel) { return uvec2(texel & 0x00ff00ff, texel >> 8 & 0x00ff00ff); }
#else
#define TEXEL vec4
#define SUM vec4
#define MEAN vec4
layout(binding = 0, FORMAT) writeonly uniform image2D result;
layout(binding = 1) uniform sampler2D source;
#define widened(texel) texel
#endif

// What is kept of a row until it leaves the box. Halves are kept as such: half the registers, and as exact.
#ifdef HALF
#define KEPT uvec2
uvec2 kept_of(vec4 texel) { return uvec2(packHalf2x16(texel.xy), packHalf2x16(texel.zw)); }
vec4 leaving(uvec2 kept) { return vec4(unpackHalf2x16(kept.x), unpackHalf2x16(kept.y)); }
#else
#define KEPT TEXEL
#define kept_of(texel) texel
#define leaving(kept) widened(kept)
#endif

const int diameter = 2 * RADIUS + 1;
const int rows_kept = (diameter + ROWS - 1) / ROWS * ROWS;
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
// A half holds the sum of `safe` columns; sums of more are spread over four words. To spread them after each step along the
// row, a step must not be negative: `most`, the largest sum of a column, is added each time, and taken off in the mean.
const uint most = diameter * 255;
const int safe = 65535 / int(most);
uvec4 spread(uvec2 sum) { return uvec4(sum.x & 0xffff, sum.y & 0xffff, sum.x >> 16, sum.y >> 16); }

uvec4 first_sum(int at) {
    uvec4 sum = uvec4(0);
    [[unroll]] for (int i = 0; i < diameter; i += safe) {
        uvec2 part = sums[at + i];
        [[unroll]] for (int k = i + 1; k < min(i + safe, diameter); ++k) part += sums[at + k];
        sum += spread(part);
    }
    return sum;
}
uvec4 step_along(int leaving, int entering) { return spread(sums[entering] + most * 0x10001 - sums[leaving]); }

// 2^24 times the mean fits into 32 bits, and is less than a hundredth of a step of R8G8B8A8 off.
const uint scale = ((1 << 24) + diameter * diameter / 2) / (diameter * diameter);

// No bounds: what would lie outside of the image is not stored.
void store(ivec2 at, uvec4 sum, int steps) {
    uvec4 mean = sum * scale + ((1 << 23) - uint(steps) * most * scale);
    imageStore(result, at,
               uvec4(mean.x >> 24 | mean.y >> 16 & 0xff00 | mean.z >> 8 & 0xff0000 | mean.w & 0xff000000));
}
#else
vec4 first_sum(int at) {
    vec4 sum = sums[at];
    [[unroll]] for (int i = 1; i < diameter; ++i) sum += sums[at + i];
    return sum;
}
vec4 step_along(int leaving, int entering) { return sums[entering] - sums[leaving]; }
void store(ivec2 at, vec4 sum, int steps) { imageStore(result, at, sum * (1.0 / float(diameter * diameter))); }
#endif

void slide_along_rows(ivec2 origin) {
    [[unroll]] for (int first = 0; first < width / RESULTS * ROWS; first += INVOCATIONS) {
        int task = first + int(gl_LocalInvocationIndex);
        if (task >= width / RESULTS * ROWS) break;
        int row = task % ROWS, x = task / ROWS * RESULTS, at = row * pitch + x;
        MEAN sum = first_sum(at);
        [[unroll]] for (int i = 0; i < RESULTS; ++i) {
            if (i > 0) sum += step_along(at + i - 1, at + i + 2 * RADIUS);
            store(origin + ivec2(x + i, row), sum, i);
        }
    }
}

void main() {
    int column = int(gl_LocalInvocationIndex);
    ivec2 origin = ivec2(gl_WorkGroupID.xy) * ivec2(width, strip_rows);
    int x = clamp(origin.x + column - RADIUS, 0, size.x - 1);

    KEPT last[rows_kept];  // row `origin.y - RADIUS + i` is in last[i % rows_kept]
    SUM sum = SUM(0);
    [[unroll]] for (int i = 0; i < 2 * RADIUS; ++i) {
        TEXEL texel = texel_at(x, origin.y - RADIUS + i);
        last[i] = kept_of(texel);
        sum += widened(texel);
    }
    TEXEL next[ROWS];
    [[unroll]] for (int i = 0; i < ROWS; ++i) next[i] = texel_at(x, origin.y + RADIUS + i);

    int end = min(strip_rows, size.y - origin.y);
    for (int y = 0; y < end; y += rows_kept) {
        [[unroll]] for (int part = 0; part < rows_kept; part += ROWS) {
            if (y + part < end) {
                [[unroll]] for (int i = 0; i < ROWS; ++i) {
                    last[(2 * RADIUS + part + i) % rows_kept] = kept_of(next[i]);
                    sum += widened(next[i]);
                    sums[i * pitch + column] = sum;
                    sum -= leaving(last[part + i]);
                    next[i] = texel_at(x, origin.y + RADIUS + y + part + ROWS + i);
                }
                barrier();
                slide_along_rows(origin + ivec2(0, y + part));
                barrier();
            }
        }
    }
}
