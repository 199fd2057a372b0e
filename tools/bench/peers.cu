// The peers: how long NVIDIA's own libraries take for the same work, as one JSON document.
//   nvcc -std=c++17 -O3 -arch=native -o peers tools/bench/peers.cu -lnppif -lnppc && ./peers
// NPP's FilterBoxBorder (8u, 16s, 32f; 4 channels) and its row and column filters, 4096x4096, edges replicated; CUB's
// DeviceReduce::Sum and cudaMemcpy over 256 MiB; and an empty kernel, which shows the time that timing itself takes.
// Inputs are random; each result is checked against a plain kernel before it is timed. Then come a second of warm-up,
// and rounds in which all take their turn in random order; it prints medians with the interval of 95% of 2,000
// resampled medians.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <functional>
#include <nppi_filtering_functions.h>
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

constexpr int side = 4096;
constexpr size_t texels = size_t{side} * side;

struct Work {
    std::string name, format;
    int radius;
    std::function<void()> run;
    std::function<bool()> right;
    std::vector<float> ms;
};

template <typename T>
__global__ void fill(T* data, size_t n, float scale) {
    const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    data[i] = static_cast<T>(static_cast<float>((x >> 40) + 1) * (scale / 16777216.f));
}

/// Counts the channels that differ by more than `tolerance` from sum(weights * texels) along x and y.
template <typename T>
__global__ void count_wrong(const T* source, const T* result, const float* weights, int radius, float tolerance,
                            unsigned* wrong) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    for (int channel = 0; channel < 4; ++channel) {
        double sum = 0;
        for (int v = -radius; v <= radius; ++v)
            for (int u = -radius; u <= radius; ++u) {
                const int xx = min(max(x + u, 0), side - 1), yy = min(max(y + v, 0), side - 1);
                sum += double(weights[u + radius]) * weights[v + radius] *
                       double(source[(size_t{unsigned(yy)} * side + xx) * 4 + channel]);
            }
        const double got = result[(size_t{unsigned(y)} * side + x) * 4 + channel];
        if (!(fabs(got - sum) <= tolerance)) atomicAdd(wrong, 1);
    }
}

template <typename T>
T* random_image(float scale) {
    T* data = nullptr;
    CHECK(cudaMalloc(&data, texels * 4 * sizeof(T)));
    fill<<<unsigned(texels * 4 / 256), 256>>>(data, texels * 4, scale);
    CHECK(cudaGetLastError());
    return data;
}

template <typename T>
bool is_right(const T* source, T* result, const std::vector<float>& weights, float tolerance,
              const std::function<void()>& run) {
    CHECK(cudaMemset(result, 0xff, texels * 4 * sizeof(T)));
    run();
    float* device_weights = nullptr;
    unsigned* wrong = nullptr;
    CHECK(cudaMalloc(&device_weights, weights.size() * sizeof(float)));
    CHECK(cudaMemcpy(device_weights, weights.data(), weights.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMalloc(&wrong, sizeof *wrong));
    CHECK(cudaMemset(wrong, 0, sizeof *wrong));
    count_wrong<<<dim3(side / 16, side / 16), dim3(16, 16)>>>(source, result, device_weights,
                                                              int(weights.size() / 2), tolerance, wrong);
    unsigned count = 0;
    CHECK(cudaMemcpy(&count, wrong, sizeof count, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(wrong));
    CHECK(cudaFree(device_weights));
    if (count) std::fprintf(stderr, "  %u of %zu channels are wrong\n", count, texels * 4);
    return count == 0;
}

NppStreamContext stream_context() {
    NppStreamContext context = {};
    cudaDeviceProp device;
    CHECK(cudaGetDevice(&context.nCudaDeviceId));
    CHECK(cudaGetDeviceProperties(&device, context.nCudaDeviceId));
    context.nMultiProcessorCount = device.multiProcessorCount;
    context.nMaxThreadsPerMultiProcessor = device.maxThreadsPerMultiProcessor;
    context.nMaxThreadsPerBlock = device.maxThreadsPerBlock;
    context.nSharedMemPerBlock = device.sharedMemPerBlock;
    context.nCudaDevAttrComputeCapabilityMajor = device.major;
    context.nCudaDevAttrComputeCapabilityMinor = device.minor;
    return context;
}

constexpr NppiSize whole = {side, side};
constexpr NppiPoint origin = {0, 0};

template <typename T, typename Filter>
void add_box(std::vector<Work>& all, const char* format, int radius, T* source, T* result, float tolerance,
             Filter filter) {
    static const NppStreamContext context = stream_context();
    const int pitch = side * 4 * int(sizeof(T));
    const NppiSize mask = {2 * radius + 1, 2 * radius + 1};
    const NppiPoint anchor = {radius, radius};
    const auto run = [=] {
        CHECK(filter(source, pitch, whole, origin, result, pitch, whole, mask, anchor, NPP_BORDER_REPLICATE, context));
    };
    const std::vector<float> weights(size_t(2 * radius + 1), 1.f / float(2 * radius + 1));
    all.push_back({"NPP FilterBoxBorder", format, radius, run,
                   [=] { return is_right(source, result, weights, tolerance, run); }, {}});
}

void add_row_column(std::vector<Work>& all, int radius, float* source, float* between, float* result) {
    static const NppStreamContext context = stream_context();
    const int pitch = side * 16, taps = 2 * radius + 1;
    std::vector<float> weights;
    float sum = 0;
    for (int i = -radius; i <= radius; ++i) {
        const float sigma = float(radius) / 2;
        weights.push_back(std::exp(-float(i * i) / (2 * sigma * sigma)));
        sum += weights.back();
    }
    for (float& weight : weights) weight /= sum;
    float* kernel = nullptr;
    CHECK(cudaMalloc(&kernel, weights.size() * sizeof(float)));
    CHECK(cudaMemcpy(kernel, weights.data(), weights.size() * sizeof(float), cudaMemcpyHostToDevice));
    const auto run = [=] {
        CHECK(nppiFilterRowBorder_32f_C4R_Ctx(source, pitch, whole, origin, between, pitch, whole, kernel, taps, radius,
                                              NPP_BORDER_REPLICATE, context));
        CHECK(nppiFilterColumnBorder_32f_C4R_Ctx(between, pitch, whole, origin, result, pitch, whole, kernel, taps,
                                                 radius, NPP_BORDER_REPLICATE, context));
    };
    all.push_back({"NPP FilterRowBorder + FilterColumnBorder", "32f C4", radius, run,
                   [=] { return is_right(source, result, weights, 1e-5f, run); }, {}});
}

void add_sum(std::vector<Work>& all, float* source) {
    const int count = int(texels * 4);
    float* sum = nullptr;
    CHECK(cudaMalloc(&sum, sizeof *sum));
    size_t bytes = 0;
    void* temporary = nullptr;
    CHECK(cub::DeviceReduce::Sum(nullptr, bytes, source, sum, count));
    CHECK(cudaMalloc(&temporary, bytes));
    const auto run = [=] {
        size_t size = bytes;
        CHECK(cub::DeviceReduce::Sum(temporary, size, source, sum, count));
    };
    all.push_back({"CUB DeviceReduce::Sum", "32f, 256 MiB", 0, run,
                   [=] {
                       run();
                       float got = 0;
                       CHECK(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
                       std::vector<float> host(texels * 4);
                       CHECK(cudaMemcpy(host.data(), source, host.size() * 4, cudaMemcpyDeviceToHost));
                       double exact = 0;
                       for (const float value : host) exact += double(value);
                       return std::abs(double(got) - exact) <= 1e-4 * exact;
                   },
                   {}});
}

/// The time between two events with nothing to do between them is part of each measured time.
__global__ void nothing() {}

double median_of(std::vector<float> values) {
    std::sort(values.begin(), values.end());
    const size_t half = values.size() / 2;
    return values.size() % 2 ? values[half] : (double(values[half - 1]) + double(values[half])) / 2;
}

void print(const Work& work, bool last) {
    std::mt19937 random(7);
    std::vector<double> medians;
    for (int i = 0; i < 2000; ++i) {
        std::vector<float> drawn;
        for (size_t k = 0; k < work.ms.size(); ++k) drawn.push_back(work.ms[random() % work.ms.size()]);
        medians.push_back(median_of(drawn));
    }
    std::sort(medians.begin(), medians.end());
    std::printf("  {\"name\": \"%s\", \"format\": \"%s\", \"radius\": %d, \"samples\": %zu, \"median_ms\": %.5f, "
                "\"interval_ms\": [%.5f, %.5f]}%s\n",
                work.name.c_str(), work.format.c_str(), work.radius, work.ms.size(), median_of(work.ms), medians[50],
                medians[1949], last ? "" : ",");
}

int main() {
    std::vector<Work> all;
    auto *bytes = random_image<Npp8u>(255), *bytes_result = random_image<Npp8u>(1);
    auto *shorts = random_image<Npp16s>(32767), *shorts_result = random_image<Npp16s>(1);
    auto *floats = random_image<float>(1), *between = random_image<float>(1), *floats_result = random_image<float>(1);
    for (const int radius : {1, 2, 3, 4, 8, 16}) {
        // Integer results are the mean, rounded or truncated.
        add_box(all, "8u C4", radius, bytes, bytes_result, 1.01f, nppiFilterBoxBorder_8u_C4R_Ctx);
        add_box(all, "16s C4", radius, shorts, shorts_result, 1.01f, nppiFilterBoxBorder_16s_C4R_Ctx);
        add_box(all, "32f C4", radius, floats, floats_result, 1e-4f, nppiFilterBoxBorder_32f_C4R_Ctx);
    }
    for (int radius = 1; radius <= 16; ++radius) add_row_column(all, radius, floats, between, floats_result);
    add_sum(all, floats);
    all.push_back({"cudaMemcpy", "256 MiB", 0,
                   [=] { CHECK(cudaMemcpyAsync(floats_result, floats, texels * 16, cudaMemcpyDeviceToDevice)); },
                   [] { return true; },
                   {}});
    all.push_back({"an empty kernel", "", 0, [] { nothing<<<1, 32>>>(); }, [] { return true; }, {}});

    for (auto work = all.begin(); work != all.end();) {
        if (work->right()) {
            ++work;
            continue;
        }
        std::fprintf(stderr, "%s, %s, radius %d: wrong, and not timed\n", work->name.c_str(), work->format.c_str(),
                     work->radius);
        work = all.erase(work);
    }

    // A round is enqueued as a whole, so that the device need not wait for the host between launches.
    std::vector<cudaEvent_t> events(all.size() + 1);
    for (cudaEvent_t& event : events) CHECK(cudaEventCreate(&event));
    std::mt19937 random(1);
    float warm = 0;
    for (int round = 0; round < 40;) {
        std::shuffle(all.begin(), all.end(), random);
        CHECK(cudaEventRecord(events[0]));
        for (size_t i = 0; i < all.size(); ++i) {
            all[i].run();
            CHECK(cudaEventRecord(events[i + 1]));
        }
        CHECK(cudaDeviceSynchronize());
        float spent = 0;
        for (size_t i = 0; i < all.size(); ++i) {
            float ms = 0;
            CHECK(cudaEventElapsedTime(&ms, events[i], events[i + 1]));
            spent += ms;
            // The first kernel of a round waits for the host.
            if (warm >= 1000 && i > 0) all[i].ms.push_back(ms);
        }
        if (warm >= 1000) ++round;
        warm += spent;
    }
    std::sort(all.begin(), all.end(), [](const Work& a, const Work& b) {
        return std::tie(a.name, a.format, a.radius) < std::tie(b.name, b.format, b.radius);
    });
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    int driver = 0;
    CHECK(cudaDriverGetVersion(&driver));
    std::printf("{\"device\": \"%s\", \"cuda_driver\": %d, \"cuda_runtime\": %d, \"extent\": \"%dx%d\", \"results\": [\n",
                device.name, driver, CUDART_VERSION, side, side);
    for (const Work& work : all) print(work, &work == &all.back());
    std::printf("]}\n");
}
