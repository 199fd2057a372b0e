// Compares the kernels that `tilewise snippet --kind kernel` prints in GLSL and HLSL with validate's box blur: are they
// as fast? They run in the order that validate uses here, in row order and in Morton order; they are checked, then
// timed against one another.
//   tilewise_bench_kernel [--size N] [--seconds S] [--device N] [--format NAME] [--cuda FILE] RADIUS...
// --cuda: writes the same kernels in CUDA, and a list of them, for tools/bench/kernel.cu to include.
#include "patterns/snippet/kernel.h"
#include "db/sqlite/open.h"
#include "kernels/box/box.h"
#include "kernels/measure/measure.h"
#include "patterns/model/error.h"
#include "probe/worker/child.h"
#include "tools/runs/validate/workbench.h"
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>

using namespace tilewise;
using namespace tilewise::kernels;

namespace {

struct Options {
    uint32_t size = 4096;
    double seconds = 10;
    std::string device, format, cuda;
    std::vector<uint32_t> radii;
};

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const auto value = [&] {
            if (i + 1 == argc) throw UsageError(fmt::format("{} needs a value", argv[i]));
            return argv[++i];
        };
        if (std::strcmp(argv[i], "--size") == 0)
            options.size = static_cast<uint32_t>(std::atoi(value()));
        else if (std::strcmp(argv[i], "--seconds") == 0)
            options.seconds = std::atof(value());
        else if (std::strcmp(argv[i], "--device") == 0)
            options.device = value();
        else if (std::strcmp(argv[i], "--format") == 0)
            options.format = value();
        else if (std::strcmp(argv[i], "--cuda") == 0)
            options.cuda = value();
        else
            options.radii.push_back(static_cast<uint32_t>(std::atoi(argv[i])));
    }
    if (options.radii.empty()) options.radii = {1, 2, 3, 4, 8, 16};
    return options;
}

std::string emitted(const BoxRequest& request, const Order& order, Language language) {
    SnippetRequest snippet;
    snippet.language = language;
    snippet.kind = SnippetKind::kernel;
    snippet.remap = order.remap;
    snippet.group_order = order.groups;
    snippet.format = traits_of(request.format).name;
    snippet.radius = request.radius;
    snippet.provenance = order.name;
    return emit_snippet(snippet);
}

/// The job of an emitted kernel, with the bindings of validate's kernel. What that kernel has as constants is part of
/// the text here.
Job emitted_job(ImagePool& images, const References& references, const BoxRequest& request, const Order& order,
                Language language) {
    ComputePassInputs inputs = box_direct_inputs(images, request, order);
    inputs.constants.clear();
    inputs.push = {request.size.width, request.size.height};
    const std::vector<uint32_t> spirv =
        compile_emitted(fmt::format("kernel.{}", language_name(language)), emitted(request, order, language));
    Job job = box_direct(images, references, request, order, create_compute_pass(images.context, spirv, inputs));
    job.method = fmt::format("snippet, {}", language_name(language));
    return job;
}

/// Validate's order, as far as this device is known, and two orders that need no pattern.
std::vector<Order> orders_for(const Workbench& bench, ImagePool& images, const BoxRequest& request) {
    std::vector<Order> orders;
    try {
        const LearnedPattern learned = learned_pattern(db::open_catalog(), bench, request.format);
        const KernelCell cell = {"box", request.format, request.size, request.radius};
        const OrderedMethod method = ordered_methods(bench.context, cell).front();
        orders.push_back(derived_for_method(images, learned, cell, method).order);
    } catch (const Error& unknown) {
        fmt::print(stderr, "the shipped catalog does not know this device and driver\n");
    }
    orders.push_back({"row", row_order({16, 16, 1, 1})});
    orders.push_back({"morton", morton_order({16, 16, 1, 1})});
    return orders;
}

/// A digest of the bits that the job leaves in the result.
uint64_t digest_of(ImagePool& images, const BoxRequest& request, const Job& job) {
    vulkan::run_commands(images.context.device, images.context.commands, [&](VkCommandBuffer commands) {
        job.record(commands);
        vulkan::full_barrier(commands);
    });
    const auto result = pooled_image(images, ImageUse::result, request.format, request.size);
    return digest(images.context, *pooled_digest(images, result));
}

void compare(ImagePool& images, const BoxRequest& request, const std::vector<Order>& orders, double seconds) {
    const References references = std::make_shared<ReferenceCache>();
    std::vector<Job> jobs;
    for (const Order& order : orders) {
        jobs.push_back(box_direct(images, references, request, order));
        for (const Language language : {Language::glsl, Language::hlsl})
            jobs.push_back(emitted_job(images, references, request, order, language));
    }
    Limits limits;
    limits.seconds = seconds;
    limits.relative_error = 0.001;
    const Measurements measured = measure(images.context, jobs, limits);
    if (!measured.failure.empty()) throw Error(measured.failure);
    fmt::print("{}, radius {}\n", traits_of(request.format).name, request.radius);
    for (size_t i = 0; i < jobs.size(); ++i) {
        const Measurement &job = measured.jobs[i], &validate = measured.jobs[i - i % 3];
        const Estimate ratio = speedup(validate.ms, job.ms);
        const bool equal = digest_of(images, request, jobs[i]) == digest_of(images, request, jobs[i - i % 3]);
        fmt::print("  {:8} {:7} {:14} {:9.5f} ms", jobs[i].order, shape_text(jobs[i].shape), jobs[i].method,
                   job.time.value);
        if (i % 3)
            fmt::print("  {:.4f} of validate's speed ({}), {} bits", ratio.value,
                       std::isfinite(ratio.high) ? fmt::format("{:.4f} to {:.4f}", ratio.low, ratio.high)
                                                 : "too few samples for an interval",
                       equal ? "the same" : "other");
        fmt::print("{}\n", job.failure.empty() ? "" : "  WRONG: " + job.failure);
    }
    std::fflush(stdout);
}

/// Adds the kernel in the first order, and KERNEL(namespace, format, radius, threads along x, and along y) to the list.
void add_cuda(std::string& text, std::string& list, const BoxRequest& request, const Order& order) {
    const std::string name = fmt::format("kernel_{}_{}", traits_of(request.format).qualifier, request.radius);
    text += fmt::format("namespace {} {{\n{}}}\n\n", name, emitted(request, order, Language::cuda));
    const bool remapped = !order.remap.is_row_order() || order.groups.kind != GroupOrderKind::linear;
    list += fmt::format(" \\\n    KERNEL({}, {}, {}, {}, {})", name, traits_of(request.format).qualifier,
                        request.radius, remapped ? element_count(order.remap.shape) : order.remap.shape[axis_x],
                        remapped ? 1 : order.remap.shape[axis_y]);
}

}  // namespace

int main(int argc, char** argv) {
    if (const auto code = probe::worker::play_role(argc, argv, {&probe::worker::vulkan_role, 1})) return *code;
    try {
        const Options options = parse(argc, argv);
        const std::unique_ptr<Workbench> bench = open_workbench(options.device);
        fmt::print("{}, {}x{}\n", bench->device.name, options.size, options.size);
        std::string cuda, list = "#define KERNELS(KERNEL)";
        for (const Format format : all_formats) {
            if (!options.format.empty() && options.format != traits_of(format).name) continue;
            ImagePool images{bench->context};
            for (const uint32_t radius : options.radii) {
                const BoxRequest request = {format, {options.size, options.size}, radius};
                const std::vector<Order> orders = orders_for(*bench, images, request);
                add_cuda(cuda, list, request, orders.front());
                compare(images, request, orders, options.seconds);
            }
        }
        if (!options.cuda.empty()) std::ofstream(options.cuda) << cuda << list << "\n";
    } catch (const Error& error) {
        fmt::print(stderr, "tilewise_bench_kernel: {}\n", error.what());
        return 1;
    }
    return 0;
}
