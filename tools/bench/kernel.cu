// How long the kernels take that `tilewise snippet --kind kernel --lang cuda` prints, to compare with validate's box
// blur:
//   tilewise_bench_kernel --cuda kernels.cuh    # writes them; times validate's and those in GLSL and HLSL
//   nvcc -std=c++17 -O3 -arch=native -DKERNEL_FILE='"kernels.cuh"' -o kernel tools/bench/kernel.cu && ./kernel
// 4096x4096 texels in CUDA's own tiled arrays. Each result is compared with a plain kernel's before it is timed. Then
// come a second of warm-up, and rounds in which all kernels take their turn in random order; it prints the median, and
// the interval with 95% of 2,000 resampled medians.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <functional>
#include <random>
#include <string>
#include <vector>
#include KERNEL_FILE

#define CHECK(call)                                                                                     \
    do {                                                                                                \
        const int code = static_cast<int>(call);                                                        \
        if (code != 0) {                                                                                \
            std::fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, code);               \
            std::exit(1);                                                                               \
        }                                                                                               \
    } while (0)

constexpr unsigned side = 4096;

struct Half4 {
    __half x, y, z, w;
};

/// A format, by its name in GLSL: its texel in memory, what its texture returns, how far a mean may be off.
struct rgba8 {
    using Texel = uchar4;
    static constexpr cudaTextureReadMode mode = cudaReadModeNormalizedFloat;
    static constexpr float tolerance = 0.6f / 255;
    static cudaChannelFormatDesc description() { return cudaCreateChannelDesc<uchar4>(); }
    static __device__ Texel pack(float v) {
        const unsigned char b = static_cast<unsigned char>(v * 255);
        return make_uchar4(b, 255 - b, b / 2, 255);
    }
    static __device__ float4 unpack(Texel t) { return make_float4(t.x / 255.f, t.y / 255.f, t.z / 255.f, t.w / 255.f); }
};
struct rgba16f {
    using Texel = Half4;
    static constexpr cudaTextureReadMode mode = cudaReadModeElementType;
    static constexpr float tolerance = 1e-3f;
    static cudaChannelFormatDesc description() { return cudaCreateChannelDescHalf4(); }
    static __device__ Texel pack(float v) {
        return {__float2half(v), __float2half(1 - v), __float2half(v / 2), __float2half(1)};
    }
    static __device__ float4 unpack(Texel t) {
        return make_float4(__half2float(t.x), __half2float(t.y), __half2float(t.z), __half2float(t.w));
    }
};
struct rgba32f {
    using Texel = float4;
    static constexpr cudaTextureReadMode mode = cudaReadModeElementType;
    static constexpr float tolerance = 1e-5f;
    static cudaChannelFormatDesc description() { return cudaCreateChannelDesc<float4>(); }
    static __device__ Texel pack(float v) { return make_float4(v, 1 - v, v / 2, 1); }
    static __device__ float4 unpack(Texel t) { return t; }
};

template <typename Format>
__global__ void fill(typename Format::Texel* texels) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    texels[i] = Format::pack(static_cast<float>(x >> 40) / 16777216.f);
}

/// Counts the texels that are NaN, or further from the mean than the format allows.
template <typename Format>
__global__ void count_wrong(const typename Format::Texel* source, const typename Format::Texel* result, int radius,
                            unsigned* wrong) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, last = side - 1;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int v = -radius; v <= radius; ++v)
        for (int u = -radius; u <= radius; ++u) {
            const float4 t = Format::unpack(source[min(max(y + v, 0), last) * side + min(max(x + u, 0), last)]);
            sum = make_float4(sum.x + t.x, sum.y + t.y, sum.z + t.z, sum.w + t.w);
        }
    const float weight = 1.f / ((2 * radius + 1) * (2 * radius + 1));
    const float4 got = Format::unpack(result[y * side + x]);
    const float off = fmaxf(fmaxf(fabsf(got.x - sum.x * weight), fabsf(got.y - sum.y * weight)),
                            fmaxf(fabsf(got.z - sum.z * weight), fabsf(got.w - sum.w * weight)));
    if (!(off <= Format::tolerance)) atomicAdd(wrong, 1);
}

/// A source and a result, each as a texture or array, and in rows.
template <typename Format>
struct Images {
    using Texel = typename Format::Texel;
    static constexpr size_t pitch = side * sizeof(Texel);
    cudaArray_t source = nullptr, result = nullptr;
    Texel *rows = nullptr, *result_rows = nullptr;
    cudaTextureObject_t texture = 0;
    cudaSurfaceObject_t surface = 0;

    Images() {
        const cudaChannelFormatDesc description = Format::description();
        CHECK(cudaMallocArray(&source, &description, side, side, cudaArraySurfaceLoadStore));
        CHECK(cudaMallocArray(&result, &description, side, side, cudaArraySurfaceLoadStore));
        CHECK(cudaMalloc(&rows, pitch * side));
        CHECK(cudaMalloc(&result_rows, pitch * side));
        fill<Format><<<side * side / 256, 256>>>(rows);
        CHECK(cudaMemcpy2DToArray(source, 0, 0, rows, pitch, pitch, side, cudaMemcpyDeviceToDevice));
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = source;
        cudaTextureDesc reading = {};
        reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeClamp;
        reading.filterMode = cudaFilterModePoint;
        reading.readMode = Format::mode;
        CHECK(cudaCreateTextureObject(&texture, &resource, &reading, nullptr));
        resource.res.array.array = result;
        CHECK(cudaCreateSurfaceObject(&surface, &resource));
    }

    unsigned wrong(int radius) const {
        static unsigned* count = nullptr;
        if (!count) CHECK(cudaMalloc(&count, sizeof *count));
        CHECK(cudaMemset(count, 0, sizeof *count));
        CHECK(cudaMemcpy2DFromArray(result_rows, pitch, result, 0, 0, pitch, side, cudaMemcpyDeviceToDevice));
        count_wrong<Format><<<dim3(side / 16, side / 16), dim3(16, 16)>>>(rows, result_rows, radius, count);
        unsigned got = 0;
        CHECK(cudaMemcpy(&got, count, sizeof got, cudaMemcpyDeviceToHost));
        return got;
    }
    /// Fills the result with a value that no mean has.
    void poison() const {
        CHECK(cudaMemset(result_rows, 0xff, pitch * side));
        CHECK(cudaMemcpy2DToArray(result, 0, 0, result_rows, pitch, pitch, side, cudaMemcpyDeviceToDevice));
    }
};

template <typename Format>
const Images<Format>& images() {
    static const Images<Format> all;
    return all;
}

struct Work {
    std::string format;
    int radius;
    std::function<void()> run;
    std::vector<float> ms;
};

template <typename Format, typename Kernel>
void add(std::vector<Work>& all, const char* name, int radius, Kernel kernel, dim3 groups, dim3 threads) {
    const Images<Format>& of = images<Format>();
    const auto run = [=, &of] { kernel<<<groups, threads>>>(of.surface, of.texture, make_uint2(side, side)); };
    of.poison();
    run();
    CHECK(cudaGetLastError());
    if (const unsigned wrong = of.wrong(radius)) {
        std::fprintf(stderr, "%s, radius %d: %u texels are wrong; not timed\n", name, radius, wrong);
        return;
    }
    all.push_back({name, radius, run, {}});
}

double median_of(std::vector<float> values) {
    std::sort(values.begin(), values.end());
    const size_t half = values.size() / 2;
    return values.size() % 2 ? values[half] : (double(values[half - 1]) + double(values[half])) / 2;
}

int main() {
    std::vector<Work> all;
#define ADD(space, format, radius, x, y) \
    add<format>(all, #format, radius, space::tilewise_kernel, space::tilewise_groups(side, side), dim3(x, y));
    KERNELS(ADD)

    std::vector<cudaEvent_t> events(all.size() + 1);
    for (cudaEvent_t& event : events) CHECK(cudaEventCreate(&event));
    std::mt19937 random(1);
    float warm = 0;
    for (int round = 0; round < 60;) {
        std::shuffle(all.begin(), all.end(), random);
        CHECK(cudaEventRecord(events[0]));
        for (size_t i = 0; i < all.size(); ++i) {
            all[i].run();
            CHECK(cudaEventRecord(events[i + 1]));
        }
        CHECK(cudaDeviceSynchronize());
        for (size_t i = 0; i < all.size(); ++i) {
            float ms = 0;
            CHECK(cudaEventElapsedTime(&ms, events[i], events[i + 1]));
            // The first kernel of a round waits for the host.
            if (warm >= 1000 && i > 0) all[i].ms.push_back(ms);
            if (warm < 1000) warm += ms;
        }
        if (warm >= 1000) ++round;
    }
    std::sort(all.begin(), all.end(), [](const Work& a, const Work& b) {
        return a.format != b.format ? a.format < b.format : a.radius < b.radius;
    });
    for (const Work& work : all) {
        std::vector<double> medians;
        for (int i = 0; i < 2000; ++i) {
            std::vector<float> drawn;
            for (size_t k = 0; k < work.ms.size(); ++k) drawn.push_back(work.ms[random() % work.ms.size()]);
            medians.push_back(median_of(drawn));
        }
        std::sort(medians.begin(), medians.end());
        std::printf("%-8s radius %2d  %9.5f ms (%.5f to %.5f), %zu samples\n", work.format.c_str(), work.radius,
                    median_of(work.ms), medians[50], medians[1949], work.ms.size());
    }
}
