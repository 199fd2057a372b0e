// A histogram of an image's luminance, and the exposure that follows from it.
//   LINEAR      bins of equal luminance, in whole numbers: for channels of bytes; else of equal log2 luminance
//   ALONG_Y     an invocation reads so many texels at a time, a box apart; each workgroup strides over the image
//   SETS        of the bins in memory, dealt out to workgroups: all of them end together
//   LAST_GROUP  the workgroup that ends last computes the exposure
//   EXPOSURE    a dispatch of its own does so, one workgroup; nothing else is in it
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "order.glsl"

const uint BINS = 256;
const float LOWEST = -12, STOPS = 16;  // log2 luminance: below, bin 0; the other 255 bins take up so much
const float KEY = 0.18;                // what the average luminance becomes

#ifdef LAST_GROUP
layout(binding = 0) coherent buffer Bins {
    uint bins[BINS * SETS];  // these and `finished`: zero between two runs
    uint finished;           // workgroups
};
#else
layout(binding = 0) buffer Bins { uint bins[]; };  // SETS times BINS: zero between two runs
#endif
layout(binding = 1) writeonly buffer Result {
    uint histogram[BINS];
    float average;  // luminance, by the bins' middles
    float exposure;
};
#ifndef EXPOSURE
layout(binding = 2) uniform sampler2D source;
#endif

layout(push_constant) uniform Push {
    ivec2 size;    // of the image
    ivec2 steps;   // that cover it
    ivec2 stride;  // from a workgroup's step to its next one: as many steps as there are workgroups
};

#ifndef EXPOSURE
uint bin_of(vec4 colour) {
#ifdef LINEAR
    // Rec. 709's weights in 256ths, rounded.
    uvec3 bytes = uvec3(colour.rgb * 255 + 0.5);
    return (54 * bytes.r + 183 * bytes.g + 19 * bytes.b + 128) >> 8;
#else
    float luminance = 0.2126 * colour.r + 0.7152 * colour.g + 0.0722 * colour.b;
    if (!(luminance >= exp2(LOWEST))) return 0;
    return 1 + uint(min((log2(luminance) - LOWEST) * (float(BINS - 1) / STOPS), float(BINS - 2)));
#endif
}
#endif

#if defined(LAST_GROUP) || defined(EXPOSURE)
shared vec2 sums[gl_WorkGroupSize.x];  // of bins times texels, and of texels

/// By all invocations of one workgroup. Short: its instructions are fetched while nothing else runs.
void expose() {
    uint own = gl_LocalInvocationIndex;
    vec2 sum = vec2(0);
    [[dont_unroll]] for (uint bin = own; bin < BINS; bin += gl_WorkGroupSize.x) {
        uint texels = 0;
        [[unroll]] for (uint i = 0; i < SETS; ++i) texels += bins[i * BINS + bin];
        [[unroll]] for (uint i = 0; i < SETS; ++i) bins[i * BINS + bin] = 0;
        histogram[bin] = texels;
#ifndef LINEAR
        if (bin == 0) continue;
#endif
        sum += float(texels) * vec2(bin, 1);
    }
    sums[own] = sum;
    [[dont_unroll]] for (uint width = min(gl_WorkGroupSize.x, BINS) / 2; width > 0; width /= 2) {
        barrier();
        if (own < width) sums[own] += sums[own + width];
    }
    if (own == 0) {
        float bin = sums[0].x / max(sums[0].y, 1);
#ifdef LINEAR
        float luminance = bin / 255;
#else
        float luminance = sums[0].y > 0 ? exp2((bin - 0.5) * (STOPS / float(BINS - 1)) + LOWEST) : 0;
#endif
        average = luminance;
        exposure = KEY / max(luminance, exp2(LOWEST));
    }
}
#endif

#if defined(EXPOSURE)

void main() { expose(); }

#else

shared uint counts[BINS];
#ifdef LAST_GROUP
shared bool is_last;
#endif

void count_texel(vec4 colour) { atomicAdd(counts[bin_of(colour)], 1); }

void count_step(ivec2 first, ivec2 own) {
    const ivec2 box = ivec2(shape_x, shape_y);
    vec4 texels[ALONG_Y];  // all on their way before the first is counted
    if (all(lessThanEqual(first + box * ivec2(1, ALONG_Y), size))) {
        [[unroll]] for (int i = 0; i < ALONG_Y; ++i) texels[i] = texelFetch(source, first + own + box * ivec2(0, i), 0);
        [[unroll]] for (int i = 0; i < ALONG_Y; ++i) count_texel(texels[i]);
    } else {
        for (int i = 0; i < ALONG_Y; ++i) {
            ivec2 at = first + own + box * ivec2(0, i);
            if (all(lessThan(at, size))) count_texel(texelFetch(source, at, 0));
        }
    }
}

void main() {
    uint own = gl_LocalInvocationIndex;
    for (uint i = own; i < BINS; i += gl_WorkGroupSize.x) counts[i] = 0;
    barrier();
    ivec2 texel = ivec2(remap(own));
    ivec2 at = ivec2(gl_WorkGroupID.x % uint(steps.x), gl_WorkGroupID.x / uint(steps.x));
    while (at.y < steps.y) {
        count_step(at * ivec2(shape_x, shape_y * ALONG_Y), texel);
        at += stride;
        if (at.x >= steps.x) at += ivec2(-steps.x, 1);
    }
    barrier();
    uint set = gl_WorkGroupID.x % SETS;
    for (uint bin = own; bin < BINS; bin += gl_WorkGroupSize.x) {
        uint texels = counts[bin];
        if (texels > 0) atomicAdd(bins[set * BINS + bin], texels);
    }
#ifdef LAST_GROUP
    memoryBarrierBuffer();
    barrier();
    if (own == 0) {
        is_last = atomicAdd(finished, 1) == gl_NumWorkGroups.x - 1;
        if (is_last) finished = 0;
    }
    barrier();
    if (!is_last) return;
    memoryBarrierBuffer();
    expose();
#endif
}

#endif
