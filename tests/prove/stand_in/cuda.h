// The parts of CUDA that emitted CUDA code needs, in C++: enough to compile and run it without a GPU.
#pragma once
#include "image.h"

#define __host__
#define __device__
#define __global__
#define __launch_bounds__(...)
#define __shared__

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

struct int2 {
    int x, y;
};

inline int2 make_int2(int x, int y) { return {x, y}; }
inline uint2 make_uint2(unsigned int x, unsigned int y) { return {x, y}; }
inline uint3 make_uint3(unsigned int x, unsigned int y, unsigned int z) { return {x, y, z}; }
inline uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z, unsigned int w) { return {x, y, z, w}; }

struct dim3 {
    unsigned int x, y, z;
    explicit dim3(unsigned int x_, unsigned int y_ = 1, unsigned int z_ = 1) : x(x_), y(y_), z(z_) {}
};

#define VECTORS(type, name)                                          \
    struct name##2 {                                                 \
        type x, y;                                                   \
    };                                                               \
    struct name##4 {                                                 \
        type x, y, z, w;                                             \
    };                                                               \
    inline name##2 make_##name##2(type x, type y) { return {x, y}; } \
    inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
VECTORS(float, float)
VECTORS(signed char, char)
VECTORS(unsigned char, uchar)
VECTORS(short, short)
VECTORS(unsigned short, ushort)
#undef VECTORS

using std::max, std::min;
inline float __saturatef(float value) { return std::clamp(value, 0.0f, 1.0f); }

using cudaTextureObject_t = const StandInImage*;
using cudaSurfaceObject_t = StandInImage*;

template <typename T>
T tex2D(cudaTextureObject_t texture, float x, float y) {
    T texel;
    std::memcpy(&texel, texture->texel(x, y), sizeof texel);
    return texel;
}
template <typename T>
void surf2Dwrite(T texel, cudaSurfaceObject_t surface, int x_bytes, int y) {
    surface->write(&texel, sizeof texel, static_cast<size_t>(x_bytes), static_cast<size_t>(y));
}
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero };
/// Nothing is written beyond the edges, and reads there return zero.
template <typename T>
void surf2Dwrite(T texel, cudaSurfaceObject_t surface, int x_bytes, int y, cudaSurfaceBoundaryMode) {
    if (x_bytes >= 0 && y >= 0 && surface->has(static_cast<size_t>(x_bytes) / sizeof texel, static_cast<size_t>(y)))
        surf2Dwrite(texel, surface, x_bytes, y);
}
template <typename T>
T surf2Dread(cudaSurfaceObject_t surface, int x_bytes, int y, cudaSurfaceBoundaryMode) {
    T texel = {};
    surface->reads++;
    if (x_bytes >= 0 && y >= 0 && surface->has(static_cast<size_t>(x_bytes) / sizeof texel, static_cast<size_t>(y)))
        std::memcpy(
            &texel,
            &surface->bytes.at(static_cast<size_t>(y) * surface->width * sizeof texel + static_cast<size_t>(x_bytes)),
            sizeof texel);
    return texel;
}
inline float __uint_as_float(unsigned bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
inline unsigned __float_as_uint(float value) {
    unsigned bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}
inline unsigned atomicAdd(unsigned* to, unsigned value) {
    const unsigned before = *to;
    *to += value;
    return before;
}

/// The running thread: set by whoever calls a kernel.
inline uint3 threadIdx, blockIdx, blockDim, gridDim;
