// One triangle that covers the target: vertices (-1, -1), (3, -1), (-1, 3).
#version 450

void main() { gl_Position = vec4(float(gl_VertexIndex & 1) * 4 - 1, float(gl_VertexIndex >> 1) * 4 - 1, 0, 1); }
