#version 450
// Bytes as they are, 16 a piece and PIECES_EACH pieces an invocation; PIECES in all.
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer From { uvec4 from[]; };
layout(std430, binding = 1) buffer To { uvec4 to[]; };

void main() {
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint piece = group * gl_WorkGroupSize.x * PIECES_EACH + gl_LocalInvocationIndex;
    for (uint i = 0u; i < PIECES_EACH && piece < PIECES; i++, piece += gl_WorkGroupSize.x) to[piece] = from[piece];
}
