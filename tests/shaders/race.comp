#version 450
// Which invocation gets which number is chance: nothing can be compared with it.
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Counter { uint next; };
layout(std430, binding = 1) writeonly buffer Numbers { uint numbers[]; };
void main() {
    uint spin = 0;
    for (uint i = 0; i < (gl_WorkGroupID.x % 7u) * 300u; ++i) spin = spin * 1664525u + i;
    numbers[gl_GlobalInvocationID.x & 0xffffu] = atomicAdd(next, 1u) + (spin == 1u ? 1u : 0u);
}
