// Each invocation adds up one row of the image.
//   COLUMNS     one column instead
#version 450
layout(local_size_x = 64) in;

layout(binding = 0) writeonly buffer Sums { vec4 sums[]; };
layout(binding = 1) uniform sampler2D source;

layout(push_constant) uniform Push { ivec2 size; };

void main() {
    int line = int(gl_GlobalInvocationID.x);
    vec4 sum = vec4(0);
#ifdef COLUMNS
    if (line >= size.x) return;
    for (int y = 0; y < size.y; ++y) sum += texelFetch(source, ivec2(line, y), 0);
#else
    if (line >= size.y) return;
    for (int x = 0; x < size.x; ++x) sum += texelFetch(source, ivec2(x, line), 0);
#endif
    sums[line] = sum;
}
