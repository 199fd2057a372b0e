// Each subgroup takes BLOCKS squares of 8x8 at once, all their texels on the way before the first is looked at. A
// workgroup appends what its subgroups find with one atomic addition, which also counts the workgroups that are done:
// the last one leaves the total, and the counter ready for the next run.
//   SUBGROUP    invocations of a subgroup: a power of two, at most 64
//   BLOCKS      squares of a subgroup
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_EXT_control_flow_attributes : require
#include "order.glsl"
#include "brightest.glsl"

layout(constant_id = 16) const uint GROUP_X = 1;     // squares of a workgroup, along x
layout(constant_id = 17) const uint GROUP_Y = 1;     // and along y
layout(constant_id = 18) const uint BOXES_X = 1;     // boxes of so many squares in a row of the image
layout(constant_id = 19) const uint ROUNDS = 1;      // boxes of a workgroup
layout(constant_id = 20) const uint COUNT_BITS = 1;  // of `tickets`, for points; those above count workgroups

const uint TEXELS = 64 / SUBGROUP;  // of a square, for each invocation

shared uint found_by[gl_WorkGroupSize.x];  // one for each subgroup: no more of them than invocations
shared uint first_place;

struct Found {
    uint count;          // of the subgroup
    bool own[BLOCKS];    // this invocation has the brightest texel of the square
    uint rank[BLOCKS];   // of the square among those that have a point
    vec4 colour[BLOCKS];
    uvec2 at[BLOCKS];
};

/// Clamping doubles texels of the edge, each with a place behind the true one: no doubled one is found.
Found search(uvec2 box) {
    uvec2 own[TEXELS];
    [[unroll]] for (uint t = 0; t < TEXELS; ++t) own[t] = remap(t * SUBGROUP + gl_SubgroupInvocationID);
    uvec2 square[BLOCKS];
    vec4 texels[BLOCKS * TEXELS];
    [[unroll]] for (uint b = 0; b < BLOCKS; ++b) {
        uint index = gl_SubgroupID * BLOCKS + b;
        square[b] = (box * uvec2(GROUP_X, GROUP_Y) + uvec2(index % GROUP_X, index / GROUP_X)) * 8;
        [[unroll]] for (uint t = 0; t < TEXELS; ++t)
            texels[b * TEXELS + t] = texelFetch(source, min(ivec2(square[b] + own[t]), size - 1), 0);
    }
    Found found;
    found.count = 0;
    [[unroll]] for (uint b = 0; b < BLOCKS; ++b) {
        // As bits, numbers that are not negative have the same order.
        uint key = 0, place = 64;
        [[unroll]] for (uint t = 0; t < TEXELS; ++t) {
            vec4 colour = texels[b * TEXELS + t];
            uint other_key = floatBitsToUint(max(luminance_of(colour), 0)), other_place = own[t].y * 8 + own[t].x;
            if (t == 0 || other_key > key || (other_key == key && other_place < place)) {
                key = other_key;
                place = other_place;
                found.colour[b] = colour;
            }
        }
        uint highest = subgroupMax(key), first = subgroupMin(key == highest ? place : 64);
        bool any_found = highest > floatBitsToUint(threshold) && all(lessThan(square[b], uvec2(size)));
        found.own[b] = any_found && key == highest && place == first;
        found.at[b] = square[b] + uvec2(place % 8, place / 8);
        found.rank[b] = found.count;
        if (any_found) ++found.count;
    }
    return found;
}

/// Where the points of this subgroup go.
uint place_for(uint count, bool last_round) {
    if (subgroupElect()) found_by[gl_SubgroupID] = count;
    barrier();
    uint before = 0, all_found = 0;
    for (uint i = 0; i < gl_NumSubgroups; ++i) {
        if (i == gl_SubgroupID) before = all_found;
        all_found += found_by[i];
    }
    if (gl_LocalInvocationIndex == 0) {
        uint old = 0;
        if (last_round || all_found > 0) old = atomicAdd(tickets, all_found + (last_round ? 1u << COUNT_BITS : 0));
        first_place = old & ((1u << COUNT_BITS) - 1);
        if (last_round && old >> COUNT_BITS == gl_NumWorkGroups.x - 1) {
            total = first_place + all_found;
            tickets = 0;
        }
    }
    barrier();
    return first_place + before;
}

void main() {
    for (uint round = 0; round < ROUNDS; ++round) {
        uint box = round * gl_NumWorkGroups.x + gl_WorkGroupID.x;
        Found found = search(uvec2(box % BOXES_X, box / BOXES_X));
        uint place = place_for(found.count, round + 1 == ROUNDS);
        [[unroll]] for (uint b = 0; b < BLOCKS; ++b)
            if (found.own[b])
                put(place + found.rank[b], BrightPoint(found.colour[b], found.at[b], luminance_of(found.colour[b])));
    }
}
