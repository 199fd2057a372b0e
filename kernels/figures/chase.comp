// A chain of loads, each of which says where the next one is: its time is that of their latencies. Each workgroup has its own.
#version 450

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer Next { uint next[]; };
layout(binding = 1) writeonly buffer Last { uint last[]; };

layout(push_constant) uniform Push {
    uint steps;
    uint zero;  ///< so that no compiler knows that all invocations are at one place, and loads it in another way
    uint apart;  ///< from where one workgroup's chain begins to where the next one's does
};

void main() {
    uint at = gl_WorkGroupID.x * apart + gl_LocalInvocationIndex * zero;
    for (uint i = 0; i < steps; ++i) at = next[at];
    last[gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationIndex] = at;
}
