// A point for each texel, all of them in the middle of a target of one texel, which adds them up.
#version 450

layout(binding = 0) uniform sampler2D source;

layout(push_constant) uniform Push {
    ivec2 size;
    float scale;
};

layout(location = 0) flat out vec4 colour;

void main() {
    colour = texelFetch(source, ivec2(gl_VertexIndex % size.x, gl_VertexIndex / size.x), 0) * scale;
    gl_Position = vec4(0, 0, 0, 1);
    gl_PointSize = 1;
}
