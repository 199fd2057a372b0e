// How fast texels are copied, read and written, by format and order, with one and with several texels per invocation:
// the lower bounds for all kernels.
//   tilewise_bench_traffic [--size N] [--seconds S] [--device N]
// Memory order is that of NVIDIA's block-linear layout; on other devices it is just one more order. Each part ends with
// boxes of one width after another in row order: how many texels of a line of memory a subgroup writes or reads at
// once.
#include "kernels/copy/copy.h"
#include "kernels/measure/measure.h"
#include "patterns/model/error.h"
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

using namespace tilewise;
using namespace tilewise::kernels;

namespace {

/// 64 bytes by 8 rows; 16 of these below one another.
Pattern block_linear(Format format) {
    Pattern pattern;
    pattern.element.bytes = traits_of(format).bytes;
    auto& columns = pattern.equation.columns;
    for (uint64_t offset = pattern.element.bytes; offset < 0x10; offset *= 2) columns[axis_x].push_back(offset);
    columns[axis_x].insert(columns[axis_x].end(), {0x40, 0x100});
    columns[axis_y] = {0x10, 0x20, 0x80, 0x200, 0x400, 0x800, 0x1000};
    pattern.tile = {1u << columns[axis_x].size(), 1u << columns[axis_y].size(), 1, 1};
    pattern.tile_bytes = 8192;
    return pattern;
}

std::vector<Job> jobs_of(ImagePool& images, Format format, Size size) {
    const std::vector<Order> orders = {{"memory", memory_order(block_linear(format), {16, 16, 1, 1})},
                                       {"morton", morton_order({16, 16, 1, 1})},
                                       {"row", row_order({32, 8, 1, 1})}};
    const References references = std::make_shared<ReferenceCache>();
    std::vector<Job> jobs;
    for (const Traffic traffic : {Traffic::copy, Traffic::fetch, Traffic::store})
        for (const uint32_t texels : {1u, 4u, 8u})
            for (const Order& order : orders)
                jobs.push_back(texel_copy(images, references, format, size, order, texels, traffic));
    for (const Traffic traffic : {Traffic::copy, Traffic::fetch, Traffic::store})
        for (const uint32_t width : {1u, 2u, 4u, 8u, 16u, 32u})
            jobs.push_back(texel_copy(images, references, format, size, {"row", row_order({width, 256 / width, 1, 1})},
                                      4, traffic));
    return jobs;
}

void run(uint32_t side, double seconds, uint32_t device) {
    vulkan::Instance instance;
    vulkan::open_instance(instance);
    if (device >= instance.devices.size()) throw UsageError(fmt::format("no device {}: see tilewise devices", device));
    Context context;
    open_context(context, instance.devices[device]);
    fmt::print("{}, {}x{}\n", context.device.traits.properties.deviceName, side, side);
    for (const Format format : all_formats) {
        ImagePool images{context};
        const std::vector<Job> jobs = jobs_of(images, format, {side, side});
        Limits limits;
        limits.seconds = seconds;
        const Measurements measured = measure(context, jobs, limits);
        fmt::print("{}\n", traits_of(format).name);
        for (size_t i = 0; i < jobs.size(); ++i) {
            const Measurement& of = measured.jobs[i];
            fmt::print("  {:<24} {:<8} {:>3}x{:<5} {:>9.4f} ({:.4f}..{:.4f}) ms  {:>6.0f} GB/s  {}\n", jobs[i].method,
                       jobs[i].order, jobs[i].shape[axis_x], jobs[i].shape[axis_y], of.time.value, of.time.low,
                       of.time.high, static_cast<double>(jobs[i].minimum_bytes) / of.time.value / 1e6, of.failure);
        }
        if (!measured.failure.empty()) throw Error(measured.failure);
    }
}

}  // namespace

int main(int argc, char** argv) try {
    double side = 4096, seconds = 5, device = 0;
    for (int i = 1; i < argc; ++i) {
        double* value = std::strcmp(argv[i], "--size") == 0      ? &side
                        : std::strcmp(argv[i], "--seconds") == 0 ? &seconds
                        : std::strcmp(argv[i], "--device") == 0  ? &device
                                                                 : nullptr;
        if (!value || i + 1 == argc) throw UsageError(fmt::format("{}: --size N, --seconds S, --device N", argv[i]));
        *value = std::atof(argv[++i]);
    }
    run(static_cast<uint32_t>(side), seconds, static_cast<uint32_t>(device));
    return 0;
} catch (const std::exception& error) {
    fmt::print(stderr, "tilewise_bench_traffic: {}\n", error.what());
    return 1;
}
