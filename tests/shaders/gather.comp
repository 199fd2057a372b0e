#version 450
// Ambient occlusion's way of reading: taps in eight directions that are turned from texel to texel.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba16f) uniform readonly image2D source;
layout(binding = 1, rgba16f) uniform writeonly image2D result;
void main() {
    ivec2 size = imageSize(source), at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, size))) return;
    float turn = fract(sin(dot(vec2(at), vec2(12.9898, 78.233))) * 43758.5453) * 6.2832;
    vec4 middle = imageLoad(source, at), sum = vec4(0);
    for (int direction = 0; direction < 8; ++direction) {
        float angle = turn + float(direction) * 0.7854;
        vec2 step = vec2(cos(angle), sin(angle)) * 4.0;
        for (int i = 1; i <= 4; ++i)
            sum += max(imageLoad(source, clamp(at + ivec2(step * float(i)), ivec2(0), size - 1)) - middle, vec4(0));
    }
    imageStore(result, at, sum / 32.0);
}
