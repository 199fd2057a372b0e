#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0, rgba8) uniform readonly image2D source;
layout(binding = 1) buffer Histogram { uint bins[256]; } histogram;
shared uint counts[256];
void main() {
    counts[gl_LocalInvocationIndex] = 0;
    barrier();
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (all(lessThan(at, imageSize(source))))
        atomicAdd(counts[uint(dot(imageLoad(source, at).rgb, vec3(0.2126, 0.7152, 0.0722)) * 255.0)], 1u);
    barrier();
    atomicAdd(histogram.bins[gl_LocalInvocationIndex], counts[gl_LocalInvocationIndex]);
}
