// The mean of the (2 RADIUS + 1)^2 texels around each one, read one by one; beyond an edge, the edge's texel counts.
//   FORMAT      the images' format qualifier
//   LOAD        read by imageLoad instead of texelFetch
//   RADIUS      else it is a specialization constant
//   RUN_TIME    ... or a push constant
//   UNROLL      small radii: the driver is asked to unroll both loops
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "order.glsl"

layout(binding = 0, FORMAT) writeonly uniform image2D result;
#ifdef LOAD
layout(binding = 1, FORMAT) readonly uniform image2D source;
#define READ(at) imageLoad(source, at)
#else
layout(binding = 1) uniform sampler2D source;
#define READ(at) texelFetch(source, at, 0)
#endif

layout(push_constant) uniform Push {
    ivec2 size;
    int run_time_radius;
};
#ifdef RUN_TIME
#define RADIUS run_time_radius
#elif !defined(RADIUS)
layout(constant_id = 16) const int RADIUS = 1;
#endif

#ifdef UNROLL
#define LOOP [[unroll]] for
#else
#define LOOP for
#endif

void main() {
    ivec2 at = own_texel();
    if (any(greaterThanEqual(at, size))) return;
    vec4 sum = vec4(0);
    LOOP (int y = -RADIUS; y <= RADIUS; ++y)
        LOOP (int x = -RADIUS; x <= RADIUS; ++x) sum += READ(clamp(at + ivec2(x, y), ivec2(0), size - 1));
    float side = float(2 * RADIUS + 1);
    imageStore(result, at, sum * (1 / (side * side)));
}
