// Draws one sample of each texel; the others are masked out. DEPTH: of a depth. STENCIL: one bit of a stencil, by
// leaving out the texels that lack it. Otherwise: of an image of integers.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "packed_texels.glsl"

layout(push_constant) uniform Push {
    uvec2 extent;     // texels
    uint first_word;  // of the texels
    uint sample_index;
    uint bit;
};
#ifdef DEPTH
layout(constant_id = 1) const uint max_depth = 0;  // what stands for 1; 0: the texels are floats
#elif !defined(STENCIL)
layout(location = 0) out uvec4 color;
#endif

void main() {
    const uvec2 at = uvec2(gl_FragCoord.xy);
    const uvec4 texel = texel_at(first_word, at.x + extent.x * (at.y + extent.y * sample_index));
    gl_SampleMask[0] = int(1u << sample_index);
#ifdef DEPTH
    // A quarter more is the same depth, whether the device rounds or cuts off.
    gl_FragDepth = max_depth == 0 ? uintBitsToFloat(texel.x) : (float(texel.x) + 0.25) / float(max_depth);
#elif defined(STENCIL)
    if (bitfieldExtract(texel.x, int(bit), 1) == 0) discard;
#else
    color = texel;
#endif
}
