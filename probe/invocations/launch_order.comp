#version 450
// In which order workgroups start: each draws a ticket, reads the clock and the multiprocessor's number where there are
// such, and keeps its place busy for a while, so that the groups that run at once can be told from those that wait.
#ifdef CLOCK
#extension GL_EXT_shader_realtime_clock : require
#endif
#ifdef SM
#extension GL_NV_shader_sm_builtins : require
#endif

layout(local_size_x = 16, local_size_y = 16) in;
layout(push_constant) uniform Push {
    uint rounds;
};
layout(set = 0, binding = 0) coherent buffer Tickets {
    uint next;
};
struct Start {
    uint ticket, sm;
    uvec2 began, ended;  // clock: low and high half
    uint busy, unused;
};
layout(set = 0, binding = 1, std430) writeonly buffer Starts {
    Start starts[];  // by position: x fastest
};

void main() {
    if (gl_LocalInvocationIndex != 0) return;
    Start start = Start(atomicAdd(next, 1), 0, uvec2(0), uvec2(0), 0, 0);
#ifdef SM
    start.sm = gl_SMIDNV;
#endif
#ifdef CLOCK
    start.began = clockRealtime2x32EXT();
#endif
    uint busy = start.ticket;
    for (uint i = 0; i < rounds; ++i) busy = busy * 1664525 + 1013904223;
    start.busy = busy;
#ifdef CLOCK
    // A condition on the loop's result: else the clock might be read before the loop.
    if (busy != rounds) start.ended = clockRealtime2x32EXT();
#endif
    starts[gl_WorkGroupID.x + gl_NumWorkGroups.x * gl_WorkGroupID.y] = start;
}
