// One direction of a separable filter, one result a fragment. What is to be defined: see filter_texel.glsl.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

layout(binding = 0) uniform sampler2D source;
layout(location = 0) out vec4 result;
layout(push_constant) uniform Push { ivec2 size; };
#include "filter_texel.glsl"

void main() { result = filtered(ivec2(gl_FragCoord.xy)); }
