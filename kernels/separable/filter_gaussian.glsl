// Gaussian: a weighted mean, the weights of a sigma (RADIUS / 2 unless another is given), their sum 1. The host computes them (weights 0 to RADIUS),
// so that they are constants in the unrolled loop.
const float weights[RADIUS + 1] = float[RADIUS + 1](GAUSSIAN_WEIGHTS);

struct State {
    vec4 sum;
};

State filter_center(vec4 texel) { return State(texel * weights[0]); }
void filter_iteration(inout State state, vec4 texel, int offset) { state.sum += texel * weights[abs(offset)]; }
vec4 filter_result(State state) { return state.sum; }

// A sum needs no centre to begin with.
#define FILTER_ANY_ORDER
State filter_start() { return State(vec4(0)); }

// Two taps a and b are one sample at b / (a + b) from the first to the second, times a + b: exact but for the sampler.
#define FILTER_PAIR
float filter_pair_position(int offset) {
    float near = weights[abs(offset)], far = weights[abs(offset) + 1];
    return far / (near + far);
}
void filter_pair(inout State state, vec4 texel, int offset) {
    state.sum += texel * (weights[abs(offset)] + weights[abs(offset) + 1]);
}
