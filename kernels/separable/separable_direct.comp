// One direction of a separable filter, one result an invocation.
//   FORMAT  the result's format qualifier; the rest in filter_texel.glsl
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "order.glsl"

layout(binding = 0, FORMAT) writeonly uniform image2D result;
layout(binding = 1) uniform sampler2D source;
layout(push_constant) uniform Push { ivec2 size; };
#include "filter_texel.glsl"

void main() {
    ivec2 at = own_texel();
    if (all(lessThan(at, size))) imageStore(result, at, filtered(at));
}
