#version 450
// In which order workgroups launch: each draws a ticket, reads the clock and the multiprocessor's number where there
// are such, and keeps its multiprocessor busy for a while, so that the groups that run at once can be told from those
// that wait.
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
struct Launch {
    uint ticket, sm;
    uvec2 began, ended;  // clock: low and high half
    uint busy, unused;
};
layout(set = 0, binding = 1, std430) writeonly buffer Launches {
    Launch launches[];  // by position: x fastest
};

void main() {
    if (gl_LocalInvocationIndex != 0) return;
    Launch launch = Launch(atomicAdd(next, 1), 0, uvec2(0), uvec2(0), 0, 0);
#ifdef SM
    launch.sm = gl_SMIDNV;
#endif
#ifdef CLOCK
    launch.began = clockRealtime2x32EXT();
#endif
    uint busy = launch.ticket;
    for (uint i = 0; i < rounds; ++i) busy = busy * 1664525 + 1013904223;
    launch.busy = busy;
#ifdef CLOCK
    // A condition on the loop's result: else the clock might be read before the loop.
    if (busy != rounds) launch.ended = clockRealtime2x32EXT();
#endif
    launches[gl_WorkGroupID.x + gl_NumWorkGroups.x * gl_WorkGroupID.y] = launch;
}
