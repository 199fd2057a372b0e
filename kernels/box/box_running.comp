// The mean of the (2 RADIUS + 1)^2 texels around each one, with two additions a texel and direction instead of 2 RADIUS + 1.
//
//   each invocation walks down one column of a strip:     sum += texel(y + R);  share it;  sum -= texel(y - R)
//   after ROWS rows the sums of all columns are in shared memory, and each invocation slides along RESULTS texels of a row
//
// A strip is INVOCATIONS columns wide, 2 RADIUS of which belong to its neighbours. Results are stored rows fastest: where
// an image's memory holds some rows of a column together (NVIDIA, Intel's TileY), neighbours in a subgroup write to the
// same sectors.
//   FORMAT     the images' format qualifier
//   BYTES      the format is rgba8; the source is seen as r32ui, or where SEEN_AS_IS is defined as what it is
//   HALF       the format is rgba16f
//   REFETCH    a texel that leaves the box is fetched again; else those of the last 2 RADIUS rows stay in registers
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x = INVOCATIONS) in;
layout(binding = 0, FORMAT) writeonly uniform image2D result;
layout(push_constant) uniform Push {
    ivec2 size;
    int strip_rows;
};

const int diameter = 2 * RADIUS + 1;
const int width = STRIP_WIDTH;  // at most INVOCATIONS - 2 * RADIUS

#ifdef BYTES
#include "box_running_bytes.glsl"
#else
#include "box_running_floats.glsl"
#endif

// Where a row's sums begin. Invocations that read at the same time read ROWS rows, in columns that are RESULTS apart. Each row begins one
// bank further, and after every RESULTS rows SKEW further, so that no two of them read the same bank.
int row_start(int row) { return row * (INVOCATIONS + 1) + row / RESULTS * SKEW; }
shared SUM sums[SUMS];

#ifdef SPREAD_TOTALS
TOTAL first_total(int at) {
    TOTAL total = TOTAL(TWO_23);
    [[unroll]] for (int i = 0; i < diameter; i += most_columns) {
        SUM part = sums[at + i];
        [[unroll]] for (int k = i + 1; k < min(i + most_columns, diameter); ++k) part += sums[at + k];
        total += spread(part);
    }
    return total;
}
TOTAL step_along(int leaving, int entering) { return spread(sums[entering] + MOST * 0x10001 - sums[leaving]); }
#else
TOTAL first_total(int at) {
    TOTAL total = sums[at];
    [[unroll]] for (int i = 1; i < diameter; ++i) total += sums[at + i];
    return total;
}
TOTAL step_along(int leaving, int entering) { return sums[entering] - sums[leaving]; }
#endif

int last_row;  // that the strip needs: what is read ahead of its end is that row again, which the first-level cache has
TEXEL texel_at(int x, int y) { return fetched(ivec2(x, clamp(y, 0, last_row))); }

// No bounds for the stores: what would lie outside of the image is not stored.
void slide_along_rows(ivec2 origin) {
    [[unroll]] for (int first = 0; first < width / RESULTS * ROWS; first += INVOCATIONS) {
        int task = first + int(gl_LocalInvocationIndex);
        if (task >= width / RESULTS * ROWS) break;
        int row = task % ROWS, x = task / ROWS * RESULTS, at = row_start(row) + x;
        TOTAL total = first_total(at);
        [[unroll]] for (int i = 0; i < RESULTS; ++i) {
            if (i > 0) total += step_along(at + i - 1, at + i + 2 * RADIUS);
            imageStore(result, origin + ivec2(x + i, row), mean(total, i));
        }
    }
}

void main() {
    int column = int(gl_LocalInvocationIndex);
    ivec2 origin = ivec2(gl_WorkGroupID.xy) * ivec2(width, strip_rows);
    int x = clamp(origin.x + column - RADIUS, 0, size.x - 1);
    int end = min(strip_rows, size.y - origin.y);
    last_row = min(origin.y + end + RADIUS, size.y) - 1;

    SUM sum = SUM(0);
    TEXEL next[ROWS];
#ifdef REFETCH
    const int rows_a_turn = ROWS;
    TEXEL gone[ROWS];
    [[unroll]] for (int i = 0; i < 2 * RADIUS; ++i) sum += widened(texel_at(x, origin.y - RADIUS + i));
    [[unroll]] for (int i = 0; i < ROWS; ++i) gone[i] = texel_at(x, origin.y - RADIUS + i);
#else
    // Row `origin.y - RADIUS + i` is in last[i % rows_a_turn]: one that leaves may make room for the one that enters.
    const int rows_a_turn = (2 * RADIUS + ROWS - 1) / ROWS * ROWS;
    Packed last[rows_a_turn];
    [[unroll]] for (int i = 0; i < 2 * RADIUS; ++i) {
        TEXEL texel = texel_at(x, origin.y - RADIUS + i);
        last[i] = pack(texel);
        sum += widened(texel);
    }
#endif
    [[unroll]] for (int i = 0; i < ROWS; ++i) next[i] = texel_at(x, origin.y + RADIUS + i);

    for (int turn = 0; turn < end; turn += rows_a_turn) {
        [[unroll]] for (int part = 0; part < rows_a_turn; part += ROWS) {
            int y = turn + part;
            if (y < end) {
                [[unroll]] for (int i = 0; i < ROWS; ++i) {
                    sum += widened(next[i]);
                    sums[row_start(i) + column] = shared_form(sum);
#ifdef REFETCH
                    sum -= widened(gone[i]);
                    gone[i] = texel_at(x, origin.y - RADIUS + y + ROWS + i);
#else
                    sum -= widened(unpack(last[part + i]));
                    last[(2 * RADIUS + part + i) % rows_a_turn] = pack(next[i]);
#endif
                    next[i] = texel_at(x, origin.y + RADIUS + y + ROWS + i);
                }
                barrier();
                slide_along_rows(origin + ivec2(0, y));
                barrier();
            }
        }
    }
}
