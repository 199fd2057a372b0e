// How long the kernels take that `tilewise advise --code cuda` prints, for comparison with validate's times:
//   tilewise_bench_code --cuda code.cuh    # writes them; times validate's and those in GLSL and HLSL
//   nvcc -std=c++17 -O3 -use_fast_math -arch=native -DCODE_FILE='"code.cuh"' -o code tools/bench/code.cu && ./code
// Images are CUDA's own tiled arrays. Each result is compared with a plain kernel's before it is timed. Then come a
// second of warm-up, and rounds in which all kernels take their turn in random order; it prints the median, and the
// interval with 95% of 2,000 resampled medians.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <functional>
#include <random>
#include <string>
#include <vector>

#define CHECK(call)                                                                                     \
    do {                                                                                                \
        const int code = static_cast<int>(call);                                                        \
        if (code != 0) {                                                                                \
            std::fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, code);               \
            std::exit(1);                                                                               \
        }                                                                                               \
    } while (0)

struct Half4 {
    __half x, y, z, w;
};

/// A format, by its name in GLSL: its texel in memory, what its texture returns, how far a result may be off.
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
    static constexpr float tolerance = 2e-5f;
    static cudaChannelFormatDesc description() { return cudaCreateChannelDesc<float4>(); }
    static __device__ Texel pack(float v) { return make_float4(v, 1 - v, v / 2, 1); }
    static __device__ float4 unpack(Texel t) { return t; }
};

enum class Kind { box, gaussian, bilateral };
constexpr int max_radius = 64;

/// The images that a kernel is bound to.
struct Bound {
    cudaSurfaceObject_t result, scratch, source_words;
    cudaTextureObject_t source, scratch_texture;
};

#include CODE_FILE

template <typename Format>
__global__ void fill(typename Format::Texel* texels, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    texels[i] = Format::pack(static_cast<float>(x >> 40) / 16777216.f);
}

struct Weights {
    float all[max_radius + 1];
};

__device__ void add(float4& sum, float& total, float4 texel, float weight) {
    sum = make_float4(sum.x + texel.x * weight, sum.y + texel.y * weight, sum.z + texel.z * weight, sum.w + texel.w * weight);
    total += weight;
}

/// The mean of a line of texels: `at(offset)`, weighted; for the bilateral filter also by their similarity to the
/// middle.
template <typename At>
__device__ float4 of_line(Kind kind, int radius, const Weights& weights, const At& at) {
    float4 sum = make_float4(0, 0, 0, 0);
    float total = 0;
    const float4 middle = at(0);
    for (int i = -radius; i <= radius; ++i) {
        const float4 texel = at(i);
        float weight = kind == Kind::box ? 1.f : weights.all[abs(i)];
        if (kind == Kind::bilateral) {
            const float x = texel.x - middle.x, y = texel.y - middle.y, z = texel.z - middle.z, w = texel.w - middle.w;
            weight *= expf(-8 * (x * x + y * y + z * z + w * w));
        }
        add(sum, total, texel, weight);
    }
    return make_float4(sum.x / total, sum.y / total, sum.z / total, sum.w / total);
}

/// Counts the texels that are NaN, or further from the expected value than the format allows.
template <typename Format>
__global__ void count_wrong(const typename Format::Texel* source, const typename Format::Texel* result, int width, int height,
                            Kind kind, int radius, Weights weights, float tolerance, unsigned* wrong) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const auto texel = [&](int u, int v) {
        return Format::unpack(source[size_t(min(max(v, 0), height - 1)) * width + min(max(u, 0), width - 1)]);
    };
    const float4 should = of_line(kind, radius, weights, [&](int u) {
        return of_line(kind, radius, weights, [&](int v) { return texel(min(max(x + u, 0), width - 1), y + v); });
    });
    const float4 got = Format::unpack(result[size_t(y) * width + x]);
    const float off = fmaxf(fmaxf(fabsf(got.x - should.x), fabsf(got.y - should.y)),
                            fmaxf(fabsf(got.z - should.z), fabsf(got.w - should.w)));
    if (!(off <= tolerance)) atomicAdd(wrong, 1);
}

template <typename Format>
cudaArray_t array(int width, int height) {
    cudaArray_t made = nullptr;
    const cudaChannelFormatDesc description = Format::description();
    CHECK(cudaMallocArray(&made, &description, width, height, cudaArraySurfaceLoadStore));
    return made;
}
template <typename Format>
cudaTextureObject_t texture(cudaArray_t of) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = of;
    cudaTextureDesc reading = {};
    reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeClamp;
    reading.filterMode = cudaFilterModePoint;
    reading.readMode = Format::mode;
    cudaTextureObject_t made = 0;
    CHECK(cudaCreateTextureObject(&made, &resource, &reading, nullptr));
    return made;
}
cudaSurfaceObject_t surface(cudaArray_t of) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = of;
    cudaSurfaceObject_t made = 0;
    CHECK(cudaCreateSurfaceObject(&made, &resource));
    return made;
}

/// Images of one format and size, shared by all cases.
template <typename Format, typename Scratch, int width, int height>
struct Images {
    using Texel = typename Format::Texel;
    static constexpr size_t pitch = width * sizeof(Texel);
    cudaArray_t source = array<Format>(width, height), result = array<Format>(width, height),
                scratch = array<Scratch>(width, height);
    Texel *rows = nullptr, *result_rows = nullptr;
    Bound bound = {};

    Images() {
        CHECK(cudaMalloc(&rows, pitch * height));
        CHECK(cudaMalloc(&result_rows, pitch * height));
        fill<Format><<<(width * height + 255) / 256, 256>>>(rows, width * height);
        CHECK(cudaMemcpy2DToArray(source, 0, 0, rows, pitch, pitch, height, cudaMemcpyDeviceToDevice));
        bound = {surface(result), surface(scratch), surface(source), texture<Format>(source), texture<Scratch>(scratch)};
    }
    static const Images& all() {
        static const Images images;
        return images;
    }
    /// Fills the result with a value that no result has.
    void poison() const {
        CHECK(cudaMemset(result_rows, 0xff, pitch * height));
        CHECK(cudaMemcpy2DToArray(result, 0, 0, result_rows, pitch, pitch, height, cudaMemcpyDeviceToDevice));
    }
};

struct Work {
    std::string name;
    std::function<void()> run;
    std::vector<float> ms;
};

template <typename Case>
void add_case(std::vector<Work>& all) {
    using Format = typename Case::Format;
    using Scratch = typename Case::Scratch;
    const auto& images = Images<Format, Scratch, Case::width, Case::height>::all();
    images.poison();
    Case::run(images.bound);
    CHECK(cudaGetLastError());
    static unsigned* count = nullptr;
    if (!count) CHECK(cudaMalloc(&count, sizeof *count));
    CHECK(cudaMemset(count, 0, sizeof *count));
    CHECK(cudaMemcpy2DFromArray(images.result_rows, images.pitch, images.result, 0, 0, images.pitch, Case::height,
                                cudaMemcpyDeviceToDevice));
    Weights weights = {};
    std::copy(std::begin(Case::weights), std::end(Case::weights), weights.all);
    // Two passes round their intermediate result; a bilateral filter doubles that loss.
    const float tolerance = Format::tolerance + (std::is_same_v<Format, rgba32f> ? 0.f : Case::kind == Kind::box ? 4e-4f : 3e-3f);
    count_wrong<Format><<<dim3((Case::width + 15) / 16, (Case::height + 15) / 16), dim3(16, 16)>>>(
        images.rows, images.result_rows, Case::width, Case::height, Case::kind, Case::radius, weights, tolerance, count);
    unsigned wrong = 0;
    CHECK(cudaMemcpy(&wrong, count, sizeof wrong, cudaMemcpyDeviceToHost));
    if (wrong > 0) {
        std::fprintf(stderr, "%s: %u texels are wrong; not timed\n", Case::name, wrong);
        return;
    }
    all.push_back({Case::name, [&images] { Case::run(images.bound); }, {}});
}

double median_of(std::vector<float> values) {
    std::sort(values.begin(), values.end());
    const size_t half = values.size() / 2;
    return values.size() % 2 ? values[half] : (double(values[half - 1]) + double(values[half])) / 2;
}

int main() {
    std::vector<Work> all;
#define ADD(space) add_case<space::Case>(all);
    CASES(ADD)

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
    std::sort(all.begin(), all.end(), [](const Work& a, const Work& b) { return a.name < b.name; });
    for (const Work& work : all) {
        std::vector<double> medians;
        for (int i = 0; i < 2000; ++i) {
            std::vector<float> drawn;
            for (size_t k = 0; k < work.ms.size(); ++k) drawn.push_back(work.ms[random() % work.ms.size()]);
            medians.push_back(median_of(drawn));
        }
        std::sort(medians.begin(), medians.end());
        std::printf("%-60s %9.5f ms (%.5f to %.5f), %zu samples\n", work.name.c_str(), median_of(work.ms), medians[50],
                    medians[1949], work.ms.size());
    }
}
