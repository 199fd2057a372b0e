// Writes the samples of an image of integers one by one.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "packed_texels.glsl"

layout(local_size_x = 8, local_size_y = 8, local_size_z = 1) in;
layout(set = 0, binding = 1) writeonly uniform uimage2DMS samples;
layout(push_constant) uniform Push {
    uvec3 extent;     // texels, and samples
    uint first_word;  // of the texels
};

void main() {
    const uvec3 at = gl_GlobalInvocationID;
    if (any(greaterThanEqual(at, extent))) return;
    imageStore(samples, ivec2(at.xy), int(at.z), texel_at(first_word, at.x + extent.x * (at.y + extent.y * at.z)));
}
