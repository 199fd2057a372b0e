// All levels of a mip chain in one dispatch. Workgroups stride over tiles of 64x64 texels and make six levels of each,
// from the second one on in shared memory. The workgroup that ends last goes on with the sixth level as the others did
// with the source, then with the twelfth. That it is the last is known after a barrier of memory, which waits for what
// all workgroups of a multiprocessor have stored: few workgroups wait seldom.
// Each texel is the mean of the 2x2 at twice its place; of a side that is odd, the last texel is in none.
//   FORMAT      the images' format qualifier
//   LEVELS      levels to make, that of the source not counted: 1 to 15
//   QUADS       2x2 texels that an invocation reads at once: 1024 by the invocations of a workgroup
//   PRECISION   bits of a channel in shared memory
//   SAMPLED     the sampler is bilinear, and makes the first level
//   AHEAD       of the next tile, while the smaller levels of one tile are made; this takes registers
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

// A level's rows, without gaps: the first, third and fifth level of six in one, the others in the other.
shared Packed cells[SIDE * SIDE], others[SIDE * SIDE / 4];

ivec2 size_of(int level) { return max(size >> level, ivec2(1)); }

/// From the first to the last of two texels; of a side of one texel that one counts twice.
ivec2 step_in(int level) { return min(size_of(level) - 1, ivec2(1)); }

/// Of the levels that others are made of.
vec4 texel_of(int level, ivec2 at) {
    at = clamp(at, ivec2(0), size_of(level) - 1);
#if LEVELS > 12
    if (level == 12) return imageLoad(level12, at);
#endif
#if LEVELS > 6
    if (level == 6) return imageLoad(level6, at);
#endif
    return texelFetch(source, at, 0);
}

/// What would lie outside of the level is not stored.
void put(int level, ivec2 at, vec4 value) {
    if (level == 1) imageStore(level1, at, value);
#if LEVELS >= 2
    if (level == 2) imageStore(level2, at, value);
#endif
#if LEVELS >= 3
    if (level == 3) imageStore(level3, at, value);
#endif
#if LEVELS >= 4
    if (level == 4) imageStore(level4, at, value);
#endif
#if LEVELS >= 5
    if (level == 5) imageStore(level5, at, value);
#endif
#if LEVELS >= 6
    if (level == 6) imageStore(level6, at, value);
#endif
#if LEVELS >= 7
    if (level == 7) imageStore(level7, at, value);
#endif
#if LEVELS >= 8
    if (level == 8) imageStore(level8, at, value);
#endif
#if LEVELS >= 9
    if (level == 9) imageStore(level9, at, value);
#endif
#if LEVELS >= 10
    if (level == 10) imageStore(level10, at, value);
#endif
#if LEVELS >= 11
    if (level == 11) imageStore(level11, at, value);
#endif
#if LEVELS >= 12
    if (level == 12) imageStore(level12, at, value);
#endif
#if LEVELS >= 13
    if (level == 13) imageStore(level13, at, value);
#endif
#if LEVELS >= 14
    if (level == 14) imageStore(level14, at, value);
#endif
#if LEVELS >= 15
    if (level == 15) imageStore(level15, at, value);
#endif
}

vec4 mean(vec4 a, vec4 b, vec4 c, vec4 d) { return ((a + b) + (c + d)) * 0.25; }

ivec2 texel_in_tile(int quad) { return ivec2(remap(quad * gl_WorkGroupSize.x + gl_LocalInvocationIndex)); }

/// This invocation's texels of the level below `from`, in a tile.
void read_means(int from, ivec2 tile, out vec4 means[QUADS]) {
    vec4 texels[4 * QUADS];  // all on their way before the first is looked at
    ivec2 apart = step_in(from);
    [[unroll]] for (int quad = 0; quad < QUADS; ++quad) {
        ivec2 at = 2 * (tile * SIDE + texel_in_tile(quad));
        [[unroll]] for (int i = 0; i < 4; ++i)
            texels[4 * quad + i] = texel_of(from, at + apart * ivec2(i & 1, i >> 1));
    }
    [[unroll]] for (int quad = 0; quad < QUADS; ++quad) {
        int i = 4 * quad;
        means[quad] = mean(texels[i], texels[i + 1], texels[i + 2], texels[i + 3]);
    }
}

/// Six levels of a tile of 64x64 texels of the level `from`, as far as there are so many.
void reduce(int from, ivec2 tile, vec4 means[QUADS]) {
    barrier();  // the cells of the tile before have been read
    [[unroll]] for (int quad = 0; quad < QUADS; ++quad) {
        ivec2 at = texel_in_tile(quad);
        cells[at.y * SIDE + at.x] = pack(means[quad]);
        put(from + 1, tile * SIDE + at, means[quad]);
    }
    [[unroll]] for (int i = 1; i < 6; ++i) {
        const int level = from + 1 + i, side = SIDE >> i;
        if (level > LEVELS) break;
        barrier();
        ivec2 apart = step_in(level - 1);
        for (uint texel = gl_LocalInvocationIndex; texel < side * side; texel += gl_WorkGroupSize.x) {
            ivec2 at = ivec2(texel % side, texel / side);
            int first = (at.y * 2 * side + at.x) * 2, right = apart.x, below = apart.y * 2 * side;
            vec4 value;
            if (i % 2 == 1) {
                value = mean(unpack(cells[first]), unpack(cells[first + right]), unpack(cells[first + below]),
                             unpack(cells[first + below + right]));
                others[texel] = pack(value);
            } else {
                value = mean(unpack(others[first]), unpack(others[first + right]), unpack(others[first + below]),
                             unpack(others[first + below + right]));
                cells[texel] = pack(value);
            }
            put(level, tile * side + at, value);
        }
    }
}

uvec2 tiles_of(int level) { return uvec2(size_of(level) + 2 * SIDE - 1) / (2 * SIDE); }
ivec2 tile_at(uint tile, uvec2 tiles) { return ivec2(tile % tiles.x, tile / tiles.x); }

void reduce_all(int from, uint first, uint stride) {
    uvec2 tiles = tiles_of(from);
    for (uint tile = first; tile < tiles.x * tiles.y; tile += stride) {
        vec4 means[QUADS];
        read_means(from, tile_at(tile, tiles), means);
        reduce(from, tile_at(tile, tiles), means);
    }
}

#ifdef SAMPLED
/// This invocation's texels of the first level, in a tile: each sample is taken where four texels meet.
void sample_means(ivec2 tile, out vec4 means[QUADS]) {
    vec2 texel = 1 / vec2(size);
    [[unroll]] for (int quad = 0; quad < QUADS; ++quad)
        means[quad] = textureLod(source, vec2(2 * (tile * SIDE + texel_in_tile(quad)) + 1) * texel, 0);
}

void reduce_sampled(uint first, uint stride) {
    uvec2 tiles = tiles_of(0);
    vec4 means[QUADS];
#ifdef AHEAD
    vec4 next[QUADS];
    sample_means(tile_at(first, tiles), next);
#endif
    for (uint tile = first; tile < tiles.x * tiles.y; tile += stride) {
#ifdef AHEAD
        means = next;
        if (tile + stride < tiles.x * tiles.y) sample_means(tile_at(tile + stride, tiles), next);
#else
        sample_means(tile_at(tile, tiles), means);
#endif
        reduce(0, tile_at(tile, tiles), means);
    }
}
#endif

void main() {
#ifdef SAMPLED
    reduce_sampled(gl_WorkGroupID.x, gl_NumWorkGroups.x);
#else
    reduce_all(0, gl_WorkGroupID.x, gl_NumWorkGroups.x);
#endif
#if LEVELS > 6
    // The invocation that has stored the tiles' texels of level 6 says so. There is no room but in the cells.
    if (gl_LocalInvocationIndex == 0) {
        memoryBarrierImage();
        bool is_last = atomicAdd(finished, 1) == gl_NumWorkGroups.x - 1;
        if (is_last) finished = 0;
        cells[0] = pack(vec4(is_last ? 1 : 0));
    }
    barrier();
    if (unpack(cells[0]).x == 0) return;
    [[unroll]] for (int from = 6; from < LEVELS; from += 6) {
        memoryBarrierImage();
        barrier();
        reduce_all(from, 0, 1);
    }
#endif
}
