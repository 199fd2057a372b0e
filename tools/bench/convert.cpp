// Whole images, with all their levels, between rows and the image's memory on the device: the kernel that Tilewise writes
// beside the speed of memory, a plain kernel, and what the driver offers.
//   tilewise_bench_convert [--size N] [--seconds S] [--device N] [--formats A,B] [--layers N]
// Each image is probed first, level by level; what the kernels give is compared with tile() and detile() to the byte.
#include "kernels/convert/load.h"
#include "kernels/measure/measure.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "patterns/solve/solve.h"
#include "probe/probe.h"
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <map>

using namespace tilewise;
using namespace tilewise::kernels;

namespace {

struct Options {
    uint32_t side = 4096, device = 0, layers = 1;
    double seconds = 5;
    std::string formats = "R8G8B8A8_UNORM,R16G16B16A16_SFLOAT,R32G32B32A32_SFLOAT,BC1_RGB_UNORM_BLOCK,BC7_UNORM_BLOCK";
};

/// Every subresource, read and solved.
std::map<std::pair<uint32_t, uint32_t>, Solution> solve_image(probe::Workers& workers, const probe::DeviceInfo& device,
                                                              const std::string& format, const Options& options) {
    probe::Request request;
    request.formats = {format};
    request.extents = {{options.side, options.side, 1}};
    request.levels = static_cast<uint32_t>(std::bit_width(options.side));
    request.layers = options.layers;
    std::vector<probe::Case> cases = plan(workers, device, request);
    // By whatever route comes first; the next ones are asked only for what it could not read.
    std::map<std::pair<uint32_t, uint32_t>, Solution> solved;
    std::string reason = "not offered";
    while (!cases.empty()) {
        const probe::Case first = cases.front();
        const auto same_route = [&](const probe::Case& other) {
            return other.route == first.route && other.memory_type == first.memory_type;
        };
        const auto rest = std::stable_partition(cases.begin(), cases.end(), same_route);
        std::vector<probe::Case> now(cases.begin(), rest);
        cases.erase(cases.begin(), rest);
        std::erase_if(now, [&](const probe::Case& of) { return solved.contains({of.level, of.layer}); });
        run(workers, now, 2, [&](probe::Reading&& reading) {
            if (reading.outcome != probe::Outcome::read) {
                reason = reading.reason;
                return;
            }
            Solution solution = solve(reading.table);
            if (solution.fit == Fit::exact)
                solved[{reading.probed.level, reading.probed.layer}] = std::move(solution);
            else
                reason = solution.reason;
        });
    }
    if (solved.size() != size_t{request.levels} * request.layers)
        throw Error(fmt::format("{}: not every level was read: {}", format, reason));
    return solved;
}

ConvertImage image_of(probe::Workers& workers, const probe::DeviceInfo& device, const std::string& format,
                      const Options& options) {
    const auto solved = solve_image(workers, device, format, options);
    std::vector<ConvertPart> parts;
    const auto levels = static_cast<uint32_t>(std::bit_width(options.side));
    for (uint32_t level = 0; level < levels; level++) {
        const Solution& first = solved.at({level, 0});
        ConvertPart part = {.layout = first.layout, .extent = first.extent, .layers = options.layers};
        for (uint32_t layer = 1; layer < options.layers; layer++) {
            const Layout& layout = solved.at({level, layer}).layout;
            const uint64_t distance = (layout.base - first.layout.base) / layer;
            if (layer == 1) part.layer_stride_B = distance;
            if (layout.pattern != first.layout.pattern || distance != part.layer_stride_B)
                throw Error("layers do not lie alike at equal distances");
        }
        parts.push_back(part);
    }
    ConvertImage image = make_convert_image(
        fmt::format("{} {}x{}, {} levels, {} layers", format, options.side, options.side, levels, options.layers),
        std::move(parts));
    image.format = static_cast<VkFormat>(probe::format_named(format).id);
    image.extent_px = {options.side, options.side, 1};
    image.levels = levels;
    image.layers = options.layers;
    return image;
}

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
    for (const LoadFrom from : {LoadFrom::device, LoadFrom::host}) {
        jobs.push_back(load_rows(context, buffers, image, from));
        jobs.push_back(load_memory(context, buffers, image, from));
    }
    Limits limits;
    limits.seconds = seconds;
    const Measured measured = measure(context, jobs, limits);
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
    const auto host = host_copy_seconds(context, image, 5);
    if (host) {
        fmt::print("  {:<34} {:>9.4f} ms  (processor time of the host, median of 5)\n", "host image copy", 1e3 * *host);
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
            images.push_back(image_of(workers, devices[options.device], std::string(format), options));
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
