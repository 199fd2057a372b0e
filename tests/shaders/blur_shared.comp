#version 450
// One pass of a separable blur: a line of texels in shared memory.
layout(local_size_x = 64) in;
layout(binding = 0) uniform sampler2D source;
layout(binding = 1, rgba8) uniform writeonly image2D result;
layout(push_constant) uniform Push { ivec2 size; } push;
const int radius = 4;
shared vec4 line[64 + 2 * radius];
void main() {
    int x = int(gl_WorkGroupID.x) * 64, y = int(gl_WorkGroupID.y);
    for (int i = int(gl_LocalInvocationIndex); i < 64 + 2 * radius; i += 64)
        line[i] = texelFetch(source, ivec2(clamp(x + i - radius, 0, push.size.x - 1), y), 0);
    barrier();
    vec4 sum = vec4(0);
    for (int i = 0; i <= 2 * radius; ++i) sum += line[int(gl_LocalInvocationID.x) + i];
    if (x + int(gl_LocalInvocationID.x) < push.size.x)
        imageStore(result, ivec2(x + int(gl_LocalInvocationID.x), y), sum / float(2 * radius + 1));
}
