#version 450
layout(local_size_x = 32, local_size_y = 4) in;
layout(set = 0, binding = 0) uniform texture2D source;
layout(set = 0, binding = 1) uniform sampler nearest;
layout(set = 1, binding = 0, rgba8) uniform writeonly image2D result;
void main() {
    ivec2 size = imageSize(result), at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, size))) return;
    vec4 middle = texelFetch(sampler2D(source, nearest), at, 0), sum = vec4(0);
    float weights = 0.0;
    for (int y = -3; y <= 3; ++y)
        for (int x = -3; x <= 3; ++x) {
            vec4 tap = texelFetch(sampler2D(source, nearest), clamp(at + ivec2(x, y), ivec2(0), size - 1), 0);
            float weight = exp(-float(x * x + y * y) / 8.0 - 8.0 * dot(tap - middle, tap - middle));
            sum += weight * tap;
            weights += weight;
        }
    imageStore(result, at, sum / weights);
}
