// What emitted CUDA code needs of CUDA, as C++: enough to compile and run it where there is no GPU.
#pragma once
#include <algorithm>

#define __host__
#define __device__
#define __global__
#define __launch_bounds__(n)

struct uint2 {
    unsigned int x, y;
};
struct uint3 {
    unsigned int x, y, z;
};
struct uint4 {
    unsigned int x, y, z, w;
};
struct ulonglong2 {
    unsigned long long x, y;
};
struct ulonglong3 {
    unsigned long long x, y, z;
};
struct ulonglong4 {
    unsigned long long x, y, z, w;
};

inline uint2 make_uint2(unsigned int x, unsigned int y) { return {x, y}; }
inline uint3 make_uint3(unsigned int x, unsigned int y, unsigned int z) { return {x, y, z}; }
inline uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z, unsigned int w) { return {x, y, z, w}; }
using std::min;

/// Which thread runs: set by whoever calls a kernel.
inline uint3 threadIdx, blockIdx, blockDim, gridDim;
