// Which workgroup shape is best for the fused Gaussian, R32G32B32A32_SFLOAT: sweeps shapes, checks each, and times them
// against one another and against the two-pass methods.
//   tilewise_bench_separable [--size N] [--seconds S] [--device N] [--optimize] RADIUS...
#include "kernels/separable/separable.h"
#include "kernels/measure/measure.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

using namespace tilewise;
using namespace tilewise::kernels;

namespace {

struct Options {
    uint32_t size = 4096, device = 0;
    double seconds = 15;
    bool optimize = false;
    std::vector<uint32_t> radii;
};

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const auto number = [&] {
            if (i + 1 == argc) throw UsageError(fmt::format("{} needs a number", argv[i]));
            return std::atof(argv[++i]);
        };
        if (std::strcmp(argv[i], "--size") == 0)
            options.size = static_cast<uint32_t>(number());
        else if (std::strcmp(argv[i], "--seconds") == 0)
            options.seconds = number();
        else if (std::strcmp(argv[i], "--device") == 0)
            options.device = static_cast<uint32_t>(number());
        else if (std::strcmp(argv[i], "--optimize") == 0)
            options.optimize = true;
        else
            options.radii.push_back(static_cast<uint32_t>(std::atoi(argv[i])));
    }
    if (options.radii.empty()) options.radii = {1, 2, 3, 4, 8, 16};
    return options;
}

/// The shapes that fit; the choice of fused_shape() comes first.
std::vector<FusedShape> shapes(const Context& context, uint32_t radius) {
    std::vector<FusedShape> found = {fused_shape(context, Format::rgba32f, radius)};
    for (const uint32_t invocations : {128u, 192u, 256u})
        for (const uint32_t rows : {4u, 8u, 16u})
            for (const uint32_t strips : {1u, 2u, 4u})
                for (const uint32_t results : {4u, 7u, 8u, 16u})
                    for (const bool load : {false, true}) {
                        if (2 * radius + results > invocations / strips) continue;
                        // As many columns as there are invocations for each strip.
                        const uint32_t width = (invocations / strips - 2 * radius) / results * results;
                        const uint32_t texels = rows * strips * ((width + 2 * radius) | 1);
                        const uint32_t rounds = ceil_div(width / results * rows * strips, invocations);
                        // If few invocations work in the second step, or if it takes many rounds, the shape is
                        // certainly slow.
                        if (texels * 16 > context.shared_bytes || width < 2 * radius || rounds > 2) continue;
                        if (width / results * rows * strips * 2 < invocations) continue;
                        found.push_back({invocations, width, rows, strips, results, 32, load});
                    }
    return found;
}

void sweep(Context& context, const Options& options, uint32_t radius) {
    const SeparableRequest request = {gaussian_filter(), Format::rgba32f, {options.size, options.size}, radius};
    ImagePool images{context};
    const References references = std::make_shared<ReferenceCache>();
    std::vector<Job> jobs;
    for (FusedShape shape : shapes(context, radius)) {
        shape.optimize = options.optimize;
        jobs.push_back(separable_fused(images, references, request, shape));
    }
    const std::vector<Order> orders = {{"morton", morton_order({16, 16, 1, 1})}};
    jobs.push_back(separable_direct(images, references, request, orders[0]));
    jobs.push_back(separable_direct(images, references, request, orders[0], Sampling::approximate));
    jobs.push_back(separable_shared(images, references, request, {128, 2, 4, 32}));
    jobs.push_back(separable_shared(images, references, request, {128, 4, 8, 32}));
    Limits limits;
    limits.seconds = options.seconds;
    const Measurements measured = measure(context, jobs, limits);
    std::vector<size_t> by_time(jobs.size());
    for (size_t i = 0; i < by_time.size(); ++i) by_time[i] = i;
    const auto time_of = [&](size_t i) { return measured.jobs[i].failure.empty() ? measured.jobs[i].time.value : 1e9; };
    std::ranges::sort(by_time, {}, time_of);
    fmt::print("radius {}: {} fused shapes\n", radius, jobs.size() - 4);
    for (size_t place = 0; place < by_time.size(); ++place) {
        const size_t i = by_time[place];
        const bool two_passes = i >= jobs.size() - 4, failed = !measured.jobs[i].failure.empty();
        if (place >= 8 && i != 0 && !two_passes && !failed) continue;
        fmt::print("{:4}. {:8.4f} ms  {:3}x{:<3} of {:4}  {}{}{}\n", place + 1, measured.jobs[i].time.value,
                   jobs[i].shape[axis_x], jobs[i].shape[axis_y], jobs[i].invocations, jobs[i].method,
                   i == 0 ? "  <- fused_shape()" : "", failed ? "  WRONG: " + measured.jobs[i].failure : "");
    }
    if (!measured.failure.empty()) throw Error(measured.failure);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const Options options = parse(argc, argv);
        vulkan::Instance instance;
        vulkan::open_instance(instance);
        if (options.device >= instance.devices.size()) throw UsageError("no such device");
        Context context;
        open_context(context, instance.devices[options.device]);
        fmt::print("{}, {}x{}\n", context.device.traits.properties.deviceName, options.size, options.size);
        for (const uint32_t radius : options.radii) sweep(context, options, radius);
    } catch (const Error& error) {
        fmt::print(stderr, "tilewise_bench_separable: {}\n", error.what());
        return 1;
    }
    return 0;
}
