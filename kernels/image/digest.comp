// Adds up, over all texels of an image, two mixtures of where the texel is and of its channels' bits.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) buffer Sums { uint sums[2]; };
layout(binding = 1) uniform sampler2D image;

shared uint group_sums[2];

/// One to one: products by odd numbers and XORs with shifted bits can be undone.
uvec2 mixed(uvec2 bits) {
    bits = (bits ^ bits >> 16) * uvec2(0x9e3779b1u, 0x85ebca77u);
    bits = (bits ^ bits >> 15) * uvec2(0xc2b2ae3du, 0x27d4eb2fu);
    return bits ^ bits >> 16;
}

void main() {
    if (gl_LocalInvocationIndex < 2) group_sums[gl_LocalInvocationIndex] = 0;
    barrier();
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (all(lessThan(at, textureSize(image, 0)))) {
        uvec4 texel = floatBitsToUint(texelFetch(image, at, 0));
        uvec2 bits = mixed(uvec2(at.y * 65536 + at.x) + uvec2(1, 0x165667b1u));
        for (int channel = 0; channel < 4; ++channel) bits = mixed(bits + texel[channel]);
        atomicAdd(group_sums[0], bits.x);
        atomicAdd(group_sums[1], bits.y);
    }
    barrier();
    if (gl_LocalInvocationIndex < 2) atomicAdd(sums[gl_LocalInvocationIndex], group_sums[gl_LocalInvocationIndex]);
}
