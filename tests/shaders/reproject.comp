#version 450
// Temporal anti-aliasing: the history at where the texel was, clamped to the colours around it now.
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) uniform sampler2D now;
layout(binding = 1) uniform sampler2D history;
layout(binding = 2) uniform sampler2D motion;
layout(binding = 3, rgba16f) uniform writeonly image2D result;
layout(binding = 4) uniform Camera { vec2 texel; float weight; } camera;
void main() {
    ivec2 size = textureSize(now, 0), at = ivec2(gl_GlobalInvocationID.xy);
    if (at.x >= size.x || at.y >= size.y) return;
    vec4 low = vec4(1e9), high = vec4(-1e9), middle = vec4(0);
    for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) {
            vec4 c = texelFetch(now, clamp(at + ivec2(x, y), ivec2(0), size - 1), 0);
            low = min(low, c);
            high = max(high, c);
            if (x == 0 && y == 0) middle = c;
        }
    vec2 place = (vec2(at) + 0.5) * camera.texel - (texelFetch(motion, at, 0).xy - 0.5) * 0.05;
    imageStore(result, at, mix(middle, clamp(textureLod(history, place, 0.0), low, high), camera.weight));
}
