// Writes the samples of an image one by one, from texels packed as those of a copy: x first, then y, then the sample.
#version 450

layout(local_size_x = 8, local_size_y = 8, local_size_z = 1) in;
layout(constant_id = 0) const uint texel_bytes = 4;  // 1, 2, 4, 8, 16
layout(std430, set = 0, binding = 0) readonly buffer Texels { uint words[]; };
layout(set = 0, binding = 1) writeonly uniform uimage2DMS samples;
layout(push_constant) uniform Push {
    uvec3 extent;     // texels, and samples
    uint first_word;  // of the texels
};

void main() {
    const uvec3 at = gl_GlobalInvocationID;
    if (any(greaterThanEqual(at, extent))) return;
    const uint texel = at.x + extent.x * (at.y + extent.y * at.z);
    uvec4 value = uvec4(0);
    if (texel_bytes < 4) {
        const uint each = 4 / texel_bytes;
        value.x = bitfieldExtract(words[first_word + texel / each], int(8 * texel_bytes * (texel % each)),
                                  int(8 * texel_bytes));
    } else {
        for (uint i = 0; i < texel_bytes / 4; ++i) value[i] = words[first_word + texel * (texel_bytes / 4) + i];
    }
    imageStore(samples, ivec2(at.xy), int(at.z), value);
}
