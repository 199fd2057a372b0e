// One triangle over the whole area that is drawn to.
#version 450

void main() {
    const vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);  // (0,0) (1,0) (0,1)
    gl_Position = vec4(corner * 4.0 - 1.0, 0.0, 1.0);
}
