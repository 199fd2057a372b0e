#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D source;
layout(binding = 1, rgba16f) uniform writeonly image2D small;
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(small);
    if (any(greaterThanEqual(at, size))) return;
    vec2 step = 1.0 / vec2(size), middle = (vec2(at) + 0.5) * step;
    vec4 sum = 4.0 * textureLod(source, middle, 0.0);
    for (int i = 0; i < 4; ++i)
        sum += textureLod(source, middle + 0.5 * step * vec2((i & 1) * 2 - 1, (i & 2) - 1), 0.0);
    imageStore(small, at, sum / 8.0);
}
