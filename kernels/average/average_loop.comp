// One invocation adds everything to one sum.
//   PARTIALS    not an image's texels, row by row, but sums that were made before
#version 450

layout(binding = 0) writeonly buffer Result { vec4 mean; };
#ifdef PARTIALS
layout(binding = 1) readonly buffer Partials { vec4 partials[]; };
#else
layout(binding = 1) uniform sampler2D source;
#endif

layout(push_constant) uniform Push {
    ivec2 size;  // of the image
    float scale;
    int partial_count;
};

void main() {
    vec4 sum = vec4(0);
#ifdef PARTIALS
    for (int i = 0; i < partial_count; ++i) sum += partials[i];
#else
    for (int y = 0; y < size.y; ++y)
        for (int x = 0; x < size.x; ++x) sum += texelFetch(source, ivec2(x, y), 0);
#endif
    mean = sum * scale;
}
