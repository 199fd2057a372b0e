// All levels of a mip chain in one dispatch. Each workgroup makes six levels of 64x64 texels, from the second one on in
// shared memory. The workgroup that ends last goes on with the sixth level as all did with the source, then with the
// twelfth: by the very same instructions, as others would have to be fetched while nothing else runs.
// Each texel is the mean of the 2x2 at twice its place; of a side that is odd, the last texel is in none.
//   FORMAT      the images' format qualifier
//   LEVELS      levels to make, that of the source not counted: 1 to 15
//   QUADS       2x2 texels that an invocation reads at once: 1024 by the invocations of a workgroup
//   PRECISION   bits of a channel in shared memory
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "order.glsl"
#include "packed_texel.glsl"

layout(binding = 0) coherent buffer Counter { uint finished; };  // workgroups; zero between two runs
layout(binding = 1, FORMAT) writeonly uniform image2D level1;
#if LEVELS >= 2
layout(binding = 2, FORMAT) writeonly uniform image2D level2;
#endif
#if LEVELS >= 3
layout(binding = 3, FORMAT) writeonly uniform image2D level3;
#endif
#if LEVELS >= 4
layout(binding = 4, FORMAT) writeonly uniform image2D level4;
#endif
#if LEVELS >= 5
layout(binding = 5, FORMAT) writeonly uniform image2D level5;
#endif
#if LEVELS >= 6
layout(binding = 6, FORMAT) coherent uniform image2D level6;
#endif
#if LEVELS >= 7
layout(binding = 7, FORMAT) writeonly uniform image2D level7;
#endif
#if LEVELS >= 8
layout(binding = 8, FORMAT) writeonly uniform image2D level8;
#endif
#if LEVELS >= 9
layout(binding = 9, FORMAT) writeonly uniform image2D level9;
#endif
#if LEVELS >= 10
layout(binding = 10, FORMAT) writeonly uniform image2D level10;
#endif
#if LEVELS >= 11
layout(binding = 11, FORMAT) writeonly uniform image2D level11;
#endif
#if LEVELS >= 12
layout(binding = 12, FORMAT) coherent uniform image2D level12;
#endif
#if LEVELS >= 13
layout(binding = 13, FORMAT) writeonly uniform image2D level13;
#endif
#if LEVELS >= 14
layout(binding = 14, FORMAT) writeonly uniform image2D level14;
#endif
#if LEVELS >= 15
layout(binding = 15, FORMAT) writeonly uniform image2D level15;
#endif
layout(binding = LEVELS + 1) uniform sampler2D source;

layout(push_constant) uniform Push {
    ivec2 size;  // of the source
};

const int SIDE = 32;  // of a tile's first level, in texels

shared Packed cells[SIDE * SIDE];  // a level's texel stays where the first of the 2x2 was that it is made of

ivec2 size_of(int level) { return max(size >> level, ivec2(1)); }

/// From the first to the last of two texels; of a side of one texel that one counts twice.
ivec2 step_in(int level) { return min(size_of(level) - 1, ivec2(1)); }

/// The level that has this place, 1 to 6, of those made of the level `from`. What would lie outside is not stored.
void put(int from, int place, ivec2 at, vec4 value) {
    if (from == 0 && place == 1) imageStore(level1, at, value);
#if LEVELS >= 2
    if (from == 0 && place == 2) imageStore(level2, at, value);
#endif
#if LEVELS >= 3
    if (from == 0 && place == 3) imageStore(level3, at, value);
#endif
#if LEVELS >= 4
    if (from == 0 && place == 4) imageStore(level4, at, value);
#endif
#if LEVELS >= 5
    if (from == 0 && place == 5) imageStore(level5, at, value);
#endif
#if LEVELS >= 6
    if (from == 0 && place == 6) imageStore(level6, at, value);
#endif
#if LEVELS >= 7
    if (from == 6 && place == 1) imageStore(level7, at, value);
#endif
#if LEVELS >= 8
    if (from == 6 && place == 2) imageStore(level8, at, value);
#endif
#if LEVELS >= 9
    if (from == 6 && place == 3) imageStore(level9, at, value);
#endif
#if LEVELS >= 10
    if (from == 6 && place == 4) imageStore(level10, at, value);
#endif
#if LEVELS >= 11
    if (from == 6 && place == 5) imageStore(level11, at, value);
#endif
#if LEVELS >= 12
    if (from == 6 && place == 6) imageStore(level12, at, value);
#endif
#if LEVELS >= 13
    if (from == 12 && place == 1) imageStore(level13, at, value);
#endif
#if LEVELS >= 14
    if (from == 12 && place == 2) imageStore(level14, at, value);
#endif
#if LEVELS >= 15
    if (from == 12 && place == 3) imageStore(level15, at, value);
#endif
}

/// Six levels of a tile of 64x64 texels of the level `from`, as far as there are so many.
void reduce(int from, ivec2 tile) {
    uint own = gl_LocalInvocationIndex;
    vec4 texels[4 * QUADS];  // all on their way before the first is looked at
    ivec2 apart = step_in(from), last = size_of(from) - 1;
    if (from == 0) {
        [[unroll]] for (int i = 0; i < 4 * QUADS; ++i) {
            ivec2 at = 2 * (tile * SIDE + ivec2(remap(uint(i / 4) * gl_WorkGroupSize.x + own)));
            texels[i] = texelFetch(source, min(at + apart * ivec2(i & 1, i >> 1 & 1), last), 0);
        }
    }
#if LEVELS > 6
    else {
        [[unroll]] for (int i = 0; i < 4 * QUADS; ++i) {
            ivec2 at = 2 * (tile * SIDE + ivec2(remap(uint(i / 4) * gl_WorkGroupSize.x + own)));
            at = min(at + apart * ivec2(i & 1, i >> 1 & 1), last);
#if LEVELS > 12
            texels[i] = from == 6 ? imageLoad(level6, at) : imageLoad(level12, at);
#else
            texels[i] = imageLoad(level6, at);
#endif
        }
    }
#endif
    [[unroll]] for (int i = 0; i < 4 * QUADS; i += 4) {
        ivec2 at = ivec2(remap(uint(i / 4) * gl_WorkGroupSize.x + own));
        vec4 value = ((texels[i] + texels[i + 1]) + (texels[i + 2] + texels[i + 3])) * 0.25;
        cells[at.y * SIDE + at.x] = pack(value);
        put(from, 1, tile * SIDE + at, value);
    }
    [[unroll]] for (int place = 2; place <= 6; ++place) {
        if (from + place > LEVELS) break;
        barrier();
        const int side = 2 * SIDE >> place;
        apart = step_in(from + place - 1) << (place - 2);
        for (int texel = int(own); texel < side * side; texel += int(gl_WorkGroupSize.x)) {
            ivec2 at = ivec2(texel % side, texel / side);
            int first = (at.y * SIDE + at.x) << (place - 1), right = apart.x, below = apart.y * SIDE;
            vec4 upper = unpack(cells[first]) + unpack(cells[first + right]);
            vec4 lower = unpack(cells[first + below]) + unpack(cells[first + below + right]);
            vec4 value = (upper + lower) * 0.25;
            cells[first] = pack(value);
            put(from, place, tile * side + at, value);
        }
    }
}

void main() {
    ivec2 tile = ivec2(gl_WorkGroupID.xy), tiles = tile + 1;
    [[dont_unroll]] for (int from = 0;; from += 6) {
        [[dont_unroll]] for (;;) {
            reduce(from, tile);
            if (++tile.x == tiles.x) tile = ivec2(from == 0 ? tile.x : 0, tile.y + 1);
            if (tile.y == tiles.y) break;
            barrier();
        }
        if (all(equal(size_of(from + 6), ivec2(1)))) return;
#if LEVELS > 6
        // The invocation that has stored the tile's texel of level 6 says so. There is no room but in the cells.
        if (from == 0) {
            if (gl_LocalInvocationIndex == 0) {
                memoryBarrierImage();
                bool is_last = atomicAdd(finished, 1) == gl_NumWorkGroups.x * gl_NumWorkGroups.y - 1;
                if (is_last) finished = 0;
                cells[0] = pack(vec4(is_last ? 1 : 0));
            }
            barrier();
            if (unpack(cells[0]).x == 0) return;
        }
        memoryBarrierImage();
        barrier();
        tile = ivec2(0);
        tiles = (size_of(from + 7) + SIDE - 1) / SIDE;
#endif
    }
}
