#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform readonly image2D above;
layout(binding = 1, rgba8) uniform writeonly image2D below;
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, imageSize(below)))) return;
    ivec2 last = imageSize(above) - 1;
    vec4 sum = vec4(0);
    for (int i = 0; i < 4; ++i) sum += imageLoad(above, min(2 * at + ivec2(i & 1, i >> 1), last));
    imageStore(below, at, sum / 4.0);
}
