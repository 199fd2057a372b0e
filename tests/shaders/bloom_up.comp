#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D small;
layout(binding = 1, rgba16f) uniform image2D result;
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(result);
    if (any(greaterThanEqual(at, size))) return;
    vec2 middle = (vec2(at) + 0.5) / vec2(size), step = 1.0 / vec2(textureSize(small, 0));
    vec4 sum = vec4(0);
    for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) sum += textureLod(small, middle + step * vec2(x, y), 0.0);
    imageStore(result, at, imageLoad(result, at) + sum / 9.0);
}
