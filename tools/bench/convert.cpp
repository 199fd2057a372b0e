// Converts whole images, with all their levels, between rows and the image's memory on the device: compares Tilewise's
// kernel with the speed of memory, with a plain kernel, and with what the driver offers.
//   tilewise_bench_convert [--size N] [--seconds S] [--device N] [--formats A,B] [--layers N]
// Each image is probed first, level by level; the kernels' results are compared with tile() and detile(), byte by byte.
#include "kernels/convert/host_load.h"
#include "kernels/convert/load.h"
#include "kernels/measure/measure.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "probe/worker/child.h"
#include "tools/bench/probed_image.h"
#include "tools/bench/timing.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

using namespace tilewise;
using namespace tilewise::kernels;

namespace {

struct Options {
    uint32_t side = 4096, device = 0, layers = 1;
    double seconds = 5;
    std::string formats = "R8G8B8A8_UNORM,R16G16B16A16_SFLOAT,R32G32B32A32_SFLOAT,BC1_RGB_UNORM_BLOCK,BC7_UNORM_BLOCK";
};

void print_image(Context& context, const ConvertImage& image, double seconds) {
    const auto buffers = create_convert_buffers(context, image);
    std::vector<Job> jobs;
    jobs.push_back(plain_copy(context, buffers, image));
    for (const ConvertDirection direction : {ConvertDirection::tile, ConvertDirection::detile}) {
        for (const uint32_t pieces : {1u, 2u, 4u, 8u}) {
            ConvertRequest request;
            request.direction = direction;
            request.pieces_per_invocation = pieces;
            jobs.push_back(emitted_convert(context, buffers, image, request));
        }
        jobs.push_back(per_element_convert(context, buffers, image, direction));
    }
    for (const LoadSource from : {LoadSource::device, LoadSource::host}) {
        jobs.push_back(load_rows(context, buffers, image, from));
        jobs.push_back(load_memory(context, buffers, image, from));
    }
    Limits limits;
    limits.seconds = seconds;
    const Measurements measured = measure(context, jobs, limits);
    fmt::print("{}: {:.1f} MB of rows, {:.1f} MB of memory\n", image.name,
               1e-6 * static_cast<double>(image.rows.size()), 1e-6 * static_cast<double>(image.memory.size()));
    const double floor = measured.jobs.front().time.value;
    for (size_t i = 0; i < jobs.size(); i++) {
        const Measurement& of = measured.jobs[i];
        if (!of.failure.empty() || !jobs[i].skipped.empty()) {
            fmt::print("  {:<34} {}\n", jobs[i].method, jobs[i].skipped.empty() ? of.failure : jobs[i].skipped);
            continue;
        }
        fmt::print("  {:<34} {:>9.4f} ms  {:.4f}..{:.4f}  {:>6.0f} GB/s  {:>5.1f} % of the copy\n", jobs[i].method,
                   of.time.value, of.time.low, of.time.high,
                   static_cast<double>(jobs[i].minimum_bytes) / of.time.value / 1e6, 100 * floor / of.time.value);
    }
    if (!measured.failure.empty()) throw Error(measured.failure);
    if (const OwnedHostImage host = create_host_image(context, image)) {
        std::ranges::copy(image.rows, staging_of(*host, HostContents::rows).begin());
        std::vector<double> times;
        for (int i = 0; i <= 5; i++)
            times.push_back(seconds_of(BenchClock::wall, [&] { load(context, *host, HostContents::rows); }));
        times.erase(times.begin());  // the first run touches the memory's pages
        std::ranges::sort(times);
        fmt::print("  {:<34} {:>9.4f} ms  (the host's time, median of 5)\n", "host image copy", 1e3 * times[2]);
    } else {
        fmt::print("  {:<34} not offered by the device for this image\n", "host image copy");
    }
    std::fflush(stdout);
}

void run_all(const Options& options) {
    std::vector<ConvertImage> images;
    {
        probe::Workers workers;
        const std::vector<probe::DeviceInfo> devices = list_devices(workers);
        if (options.device >= devices.size())
            throw UsageError(fmt::format("no device {}: see tilewise devices", options.device));
        for (const std::string_view format : split(options.formats, ','))
            images.push_back(
                probed_image(workers, devices[options.device], {std::string(format), options.side, options.layers}));
    }
    vulkan::Instance instance;
    vulkan::open_instance(instance);
    Context context;
    open_context(context, instance.devices.at(options.device));
    fmt::print("{}\n", context.device.traits.properties.deviceName);
    for (const ConvertImage& image : images) print_image(context, image, options.seconds);
}

}  // namespace

int main(int argc, char** argv) try {
    if (const auto code = tilewise::probe::worker::play_role(argc, argv, {&tilewise::probe::worker::vulkan_role, 1}))
        return *code;
    Options options;
    for (int i = 1; i < argc; i += 2) {
        const std::string_view name = argv[i];
        if (i + 1 == argc)
            throw UsageError(fmt::format("{}: --size N, --seconds S, --device N, --formats A,B, --layers N", name));
        const char* value = argv[i + 1];
        if (name == "--size")
            options.side = static_cast<uint32_t>(std::atoi(value));
        else if (name == "--seconds")
            options.seconds = std::atof(value);
        else if (name == "--device")
            options.device = static_cast<uint32_t>(std::atoi(value));
        else if (name == "--layers")
            options.layers = static_cast<uint32_t>(std::atoi(value));
        else if (name == "--formats")
            options.formats = value;
        else
            throw UsageError(fmt::format("{}: --size N, --seconds S, --device N, --formats A,B, --layers N", name));
    }
    run_all(options);
    return 0;
} catch (const std::exception& error) {
    fmt::print(stderr, "tilewise_bench_convert: {}\n", error.what());
    return 1;
}
