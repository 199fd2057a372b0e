// Which workgroup shape and strip height are best for the box blur by running sums: sweeps them, checks each, and times
// them against one another and against copies in the same run.
//   tilewise_bench_running [--size N] [--seconds S] [--device N] [--format NAME] [--all] RADIUS...
#include "kernels/box/box.h"
#include "kernels/copy/copy.h"
#include "kernels/measure/measure.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/parallel.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <optional>

using namespace tilewise;
using namespace tilewise::kernels;

namespace {

struct Options {
    uint32_t size = 4096, device = 0;
    std::string format;  ///< those whose names begin with this
    double seconds = 3;
    bool all = false;
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
        else if (std::strcmp(argv[i], "--format") == 0 && i + 1 < argc)
            options.format = argv[++i];
        else if (std::strcmp(argv[i], "--all") == 0)
            options.all = true;
        else
            options.radii.push_back(static_cast<uint32_t>(std::atoi(argv[i])));
    }
    if (options.radii.empty()) options.radii = {1, 2, 3, 4, 8, 16};
    return options;
}

/// Strips of as many rows as are needed for at most `groups` workgroups.
uint32_t strip_rows_for(const BoxRequest& request, const RunningShape& shape, uint32_t groups) {
    const uint32_t width = (shape.invocations - 2 * request.radius) / shape.results * shape.results;
    const uint32_t strips = groups / ceil_div(request.size.width, width);
    return strips == 0 ? 0 : ceil_div(ceil_div(request.size.height, strips), shape.rows) * shape.rows;
}

/// The shapes to sweep: first the choice of running_shape(), then shapes whose workgroups divide evenly among the
/// device's multiprocessors.
std::vector<RunningShape> shapes(const Context& context, const BoxRequest& request) {
    const uint32_t multiprocessors = std::max(context.multiprocessors, 1u);
    std::vector<RunningShape> found = {running_shape(context, request)};
    const bool bytes = request.format == Format::rgba8;
    std::vector<RunningShape> kinds;
    if (request.radius <= 4)
        for (const uint32_t invocations : {32u, 64u, 96u, 112u, 128u, 136u, 160u, 192u, 256u})
            kinds.push_back({invocations, 8, 4});
    else
        for (const uint32_t invocations : {64u, 96u, 112u, 128u, 160u, 192u, 256u})
            for (const auto& [rows, results] : {std::pair(8u, 4u), {8u, 8u}, {8u, 16u}, {16u, 16u}})
                for (const bool refetch : {false, true}) {
                    if (bytes && rows != 8) continue;
                    kinds.push_back({invocations, rows, results, 0, refetch});
                }
    for (RunningShape shape : kinds) {
        if (shape.invocations < 2 * request.radius + shape.results) continue;
        for (const uint32_t on_each : {2u, 3u, 4u, 5u, 6u, 8u, 10u, 12u, 16u, 20u, 24u, 32u, 48u, 64u}) {
            const uint32_t before = shape.strip_rows;
            shape.strip_rows = strip_rows_for(request, shape, on_each * multiprocessors);
            if (shape.strip_rows >= 24 && shape.strip_rows != before) found.push_back(shape);
        }
    }
    return found;
}

struct Entry {
    std::string text;
    std::optional<Job> job;
};

void sweep(Context& context, const Options& options, const BoxRequest& request) {
    ImagePool images{context};
    const References references = std::make_shared<ReferenceCache>();
    const std::vector<RunningShape> candidates = shapes(context, request);
    std::vector<Entry> entries(candidates.size());
    parallel_for(candidates.size(), [&](size_t i) {
        const RunningShape& shape = candidates[i];
        try {
            entries[i].job = box_running(images, references, request, shape);
        } catch (const Error&) {
            return;  // more shared memory than the device has
        }
        entries[i].text =
            fmt::format(", {} rows, {} results{}", shape.rows, shape.results, shape.refetch ? ", fetched again" : "");
    });
    std::erase_if(entries, [](const Entry& entry) { return !entry.job; });
    const Order order = {"morton", morton_order({16, 16, 1, 1})};
    for (const Traffic traffic : {Traffic::copy, Traffic::fetch, Traffic::store})
        entries.push_back({"", texel_copy(images, references, request.format, request.size, order, 4, traffic)});
    std::vector<Job> jobs;
    jobs.reserve(entries.size());
    for (Entry& entry : entries) jobs.push_back(std::move(*entry.job));
    Limits limits;
    limits.seconds = options.seconds;
    const Measurements measured = measure(context, jobs, limits);
    std::vector<size_t> by_time(jobs.size());
    for (size_t i = 0; i < by_time.size(); ++i) by_time[i] = i;
    const auto time_of = [&](size_t i) { return measured.jobs[i].failure.empty() ? measured.jobs[i].time.value : 1e9; };
    std::ranges::sort(by_time, {}, time_of);
    fmt::print("{} radius {}: {} shapes\n", traits_of(request.format).name, request.radius, jobs.size() - 3);
    for (size_t place = 0; place < by_time.size(); ++place) {
        const size_t i = by_time[place];
        const Measurement& of = measured.jobs[i];
        if (!options.all && place >= 8 && i != 0 && i + 3 < jobs.size() && of.failure.empty()) continue;
        fmt::print("{:4}. {:.5f} ({:.5f}..{:.5f}) ms  {:>3}x{:<4} of {:3}  {}{}{}{}\n", place + 1, of.time.value,
                   of.time.low, of.time.high, jobs[i].shape[axis_x], jobs[i].shape[axis_y], jobs[i].invocations,
                   jobs[i].method, entries[i].text, i == 0 ? "  <- running_shape()" : "",
                   of.failure.empty() ? "" : "  WRONG: " + of.failure);
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
        for (const Format format : all_formats) {
            if (!std::string_view(traits_of(format).name).starts_with(options.format)) continue;
            for (const uint32_t radius : options.radii)
                sweep(context, options, {format, {options.size, options.size}, radius});
        }
    } catch (const Error& error) {
        fmt::print(stderr, "tilewise_bench_running: {}\n", error.what());
        return 1;
    }
    return 0;
}
