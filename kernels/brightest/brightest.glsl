// The brightest texel of a square of 8x8, if it is above the threshold, goes to a list. Of texels that are equally
// bright the first one counts, row by row.
layout(push_constant) uniform Push {
    ivec2 size;  // of the image
    float threshold;
};

struct BrightPoint {
    vec4 colour;
    uvec2 at;
    float luminance;
};

layout(binding = 0) buffer Counters {
    uint total;  // points in the list
    uint padding[63];
    uint tickets;  // see brightest_subgroups.comp
};
layout(binding = 1) writeonly buffer List { uvec4 list[]; };  // two for each point: one sector of 32 bytes
layout(binding = 2) uniform sampler2D source;

/// Weights of Rec. 709. The same bits for the same colour, wherever it is computed.
float luminance_of(vec4 colour) {
    precise float luminance = fma(0.0722, colour.b, fma(0.7152, colour.g, 0.2126 * colour.r));
    return luminance;
}

/// Beyond the image: darker than all texels.
BrightPoint point_at(uvec2 at) {
    if (any(greaterThanEqual(at, uvec2(size)))) return BrightPoint(vec4(0), at, -1.0);
    vec4 colour = texelFetch(source, ivec2(at), 0);
    return BrightPoint(colour, at, luminance_of(colour));
}

bool beats(BrightPoint a, BrightPoint b) {
    if (a.luminance != b.luminance) return a.luminance > b.luminance;
    return a.at.y != b.at.y ? a.at.y < b.at.y : a.at.x < b.at.x;
}

void put(uint place, BrightPoint point) {
    list[2 * place] = floatBitsToUint(point.colour);
    list[2 * place + 1] = uvec4(point.at, floatBitsToUint(point.luminance), 0);
}

void append(BrightPoint point) {
    if (point.luminance > threshold) put(atomicAdd(total, 1), point);
}
