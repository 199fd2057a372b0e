#version 450
// The sums within blocks of 256 numbers, and of each block in `sums`.
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer Numbers { uint numbers[]; };
layout(std430, binding = 1) writeonly buffer Prefixes { uint prefixes[]; };
layout(std430, binding = 2) writeonly buffer Sums { uint sums[]; };
shared uint part[256];
void main() {
    uint i = gl_LocalInvocationIndex;
    part[i] = numbers[gl_GlobalInvocationID.x] & 0xffffu;
    for (uint step = 1; step < 256; step *= 2) {
        barrier();
        uint sum = part[i] + (i >= step ? part[i - step] : 0);
        barrier();
        part[i] = sum;
    }
    prefixes[gl_GlobalInvocationID.x] = part[i];
    if (i == 255) sums[gl_WorkGroupID.x] = part[i];
}
