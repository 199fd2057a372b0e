// Workgroups that count how many of them run at the same time, each of whose invocations keeps so many values all the while.
#version 450
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x_id = 0) in;

layout(binding = 0) buffer Counts {
    uint running, most, ended;
};
layout(binding = 1) readonly buffer Next { uint next[]; };
layout(binding = 2) writeonly buffer Left { uint left[]; };

layout(push_constant) uniform Push {
    uint steps;
    uint zero;  ///< so that no compiler knows that all invocations keep the same
};

void main() {
    uint at = gl_LocalInvocationIndex * zero;
    uint kept[KEPT];
    [[unroll]] for (int i = 0; i < KEPT; ++i) kept[i] = next[at + i];
    if (gl_LocalInvocationIndex == 0) atomicMax(most, atomicAdd(running, 1) + 1);
    for (uint step = 0; step < steps; ++step) {
        at = next[at];
        [[unroll]] for (int i = 0; i < KEPT; ++i) kept[i] = (kept[i] << 1 | kept[i] >> 31) ^ at;
    }
    uint sum = 0;
    [[unroll]] for (int i = 0; i < KEPT; ++i) sum = sum * 3 + kept[i];
    left[gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationIndex] = sum;
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        atomicAdd(ended, 1);
        atomicAdd(running, -1);
    }
}
