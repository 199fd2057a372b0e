// Counts the texels in which two images differ, be it by a bit. NaN differs from everything.
#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) buffer Count { uint differing; };
layout(binding = 1) uniform sampler2D first;
layout(binding = 2) uniform sampler2D second;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, textureSize(first, 0)))) return;
    if (!all(equal(texelFetch(first, at, 0), texelFetch(second, at, 0)))) atomicAdd(differing, 1);
}
