// Texels packed as those of a copy: x first, then y, then the sample. Sizes of 1, 2, 4, 8 and 16 bytes.
layout(constant_id = 0) const uint texel_bytes = 4;
layout(std430, set = 0, binding = 0) readonly buffer Texels { uint words[]; };

uvec4 texel_at(const uint first_word, const uint texel) {
    uvec4 value = uvec4(0);
    if (texel_bytes < 4) {
        const uint each = 4 / texel_bytes;
        value.x = bitfieldExtract(words[first_word + texel / each], int(8 * texel_bytes * (texel % each)),
                                  int(8 * texel_bytes));
    } else {
        for (uint i = 0; i < texel_bytes / 4; ++i) value[i] = words[first_word + texel * (texel_bytes / 4) + i];
    }
    return value;
}
