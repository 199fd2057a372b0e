// The filter's hooks (docs/adding.md), and those that it left out.
#include "filter.glsl"

#ifndef FILTER_PAIR
float filter_pair_position(int offset) { return 0.5; }
void filter_pair(inout State state, vec4 texel, int offset) {
    filter_iteration(state, texel, offset);
    filter_iteration(state, texel, offset + sign(offset));
}
#endif
