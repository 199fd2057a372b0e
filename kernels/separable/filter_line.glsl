// Part of a function's body: the states of COUNT results that lie side by side on a line, `State states[COUNT]`, each
// texel READ(i) of the line read once; i goes from -RADIUS to COUNT + RADIUS - 1. READ must not use the names tap and own.
State states[COUNT];
#ifdef FILTER_ANY_ORDER
#define IS_TAP(offset) (abs(offset) <= RADIUS)
[[unroll]] for (int own = 0; own < COUNT; ++own) states[own] = filter_start();
#else
#define IS_TAP(offset) (offset != 0 && abs(offset) <= RADIUS)
[[unroll]] for (int own = 0; own < COUNT; ++own) states[own] = filter_center(READ(own));
#endif
[[unroll]] for (int tap = -RADIUS; tap < COUNT + RADIUS; ++tap) {
    vec4 texel = READ(tap);
    [[unroll]] for (int own = 0; own < COUNT; ++own)
        if (IS_TAP(tap - own)) filter_iteration(states[own], texel, tap - own);
}
#undef IS_TAP
#undef COUNT
#undef READ
