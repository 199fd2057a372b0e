// Bilateral: Gaussian weights, times a Gaussian of the distance between a texel's four channels and the centre's (sigma
// 1/4); so edges stay.
const float weights[RADIUS + 1] = float[RADIUS + 1](GAUSSIAN_WEIGHTS);

struct State {
    vec4 center, sum;
    float weight;
};

void add(inout State state, vec4 texel, float weight) {
    vec4 difference = texel - state.center;
    // exp(-|distance|^2 / (2 sigma^2)) as a power of two
    weight *= exp2(-8 * 1.44269504 * dot(difference, difference));
    state.sum += texel * weight;
    state.weight += weight;
}

State filter_center(vec4 texel) { return State(texel, texel * weights[0], weights[0]); }
void filter_iteration(inout State state, vec4 texel, int offset) { add(state, texel, weights[abs(offset)]); }
vec4 filter_result(State state) { return state.sum / state.weight; }

#define FILTER_PAIR
float filter_pair_position(int offset) { return 0.5; }
void filter_pair(inout State state, vec4 texel, int offset) {
    add(state, texel, weights[abs(offset)] + weights[abs(offset) + 1]);
}
