// Compares the code that `tilewise advise --code` prints with what validate times: is it as fast? It takes the code in
// GLSL and HLSL, compiled by this program's shaderc like glslc does it, and any other compiler's results for these
// texts; checks them, then times them against one another.
//   tilewise_bench_code [--extent WxH] [--seconds S] [--device N] [--kernel NAME] [--format NAME] [--write FOLDER]
//                       [--spirv FOLDER] [--cuda FILE] RADIUS...
// --write: writes the texts, NAME.comp and NAME.hlsl each. --spirv: what other compilers made of them,
// NAME.COMPILER.PASS.spv, is timed, too: dxc -spirv -T cs_6_0 -fspv-target-env=vulkan1.1 -E main -Fo NAME.dxc.1.spv
// NAME.hlsl; for several passes with -D pass1=main, -D pass2=main.
// --cuda: writes the same code in CUDA, for tools/bench/code.cu to include.
#include "kernels/box/box.h"
#include "kernels/code/method_code.h"
#include "kernels/measure/measure.h"
#include "kernels/reference.h"
#include "kernels/separable/separable.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/text.h"
#include "probe/worker/child.h"
#include "tools/runs/validate/workbench.h"
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iterator>
#include <map>

using namespace tilewise;
using namespace tilewise::kernels;
namespace fs = std::filesystem;

namespace {

struct Options {
    Size size = {3840, 2160};
    double seconds = 10;
    std::string device, kernel, format, write, spirv, cuda;
    std::vector<uint32_t> radii;
};

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; i++) {
        const std::string name = argv[i];
        const auto value = [&]() -> std::string {
            if (i + 1 == argc) throw UsageError(fmt::format("{} needs a value", name));
            return argv[++i];
        };
        if (name == "--extent") {
            const Extent_px extent = parse_extent(value());
            options.size = {extent[0], extent[1]};
        } else if (name == "--seconds") {
            options.seconds = std::stod(value());
        } else if (name == "--device") {
            options.device = value();
        } else if (name == "--kernel") {
            options.kernel = value();
        } else if (name == "--format") {
            options.format = value();
        } else if (name == "--write") {
            options.write = value();
        } else if (name == "--spirv") {
            options.spirv = value();
        } else if (name == "--cuda") {
            options.cuda = value();
        } else if (name.starts_with("-")) {
            throw UsageError(fmt::format("{} is no option; the head of the file has them", name));
        } else {
            options.radii.push_back(static_cast<uint32_t>(std::stoul(name)));
        }
    }
    if (options.radii.empty()) options.radii = {1, 3, 5, 8, 12, 16};
    return options;
}

/// A job that validate times, with its filter and name.
struct Timed {
    Job job;
    std::optional<FilterText> filter;
    std::string name;
};

/// A name of letters, digits and underscores.
std::string file_name(const Job& job) {
    std::string name = fmt::format("{}_{}_{}_{}", job.kernel, traits_of(job.format).qualifier, job.radius, job.method);
    std::erase(name, ',');
    std::ranges::replace(name, ' ', '_');
    return name;
}

std::vector<Timed> timed_jobs(ImagePool& images, const References& references, const Options& options, Format format,
                              uint32_t radius) {
    std::vector<Timed> all;
    const auto add = [&](Job job, const std::optional<FilterText>& filter) {
        const std::string name = file_name(job);
        all.push_back({std::move(job), filter, name});
    };
    const auto is_asked = [&](const char* kernel) { return options.kernel.empty() || options.kernel == kernel; };
    if (is_asked("box")) {
        const BoxRequest request = {format, options.size, radius};
        add(box_running(images, references, request, running_shape(images.context, request)), std::nullopt);
    }
    for (const FilterText& filter : {gaussian_filter(), bilateral_filter()}) {
        if (!is_asked(filter.kernel.c_str())) continue;
        const SeparableRequest request = {filter, format, options.size, radius};
        add(separable_fused(images, references, request, fused_shape(images.context, format, radius)), filter);
        add(separable_shared(images, references, request), filter);
    }
    return all;
}

MethodCode code_of(const Timed& timed, Language language) {
    CodeRequest request;
    request.language = language;
    request.size = timed.job.size;
    TimedMethod& method = request.method;
    method.kernel = timed.job.kernel;
    method.filter = timed.filter;
    method.method = timed.job.method;
    method.format = timed.job.format;
    method.radius = timed.job.radius;
    method.shape = {timed.job.shape[axis_x], timed.job.shape[axis_y]};
    method.invocations = timed.job.invocations;
    return method_code(request, timed.name + "\n");
}

/// The number after "NAME = " in the code's comment.
std::optional<uint32_t> number_in(const std::string& code, const std::string& name) {
    const std::string before = name + " = ";
    const size_t at = code.find(before);
    if (at == std::string::npos) return std::nullopt;
    return static_cast<uint32_t>(std::stoul(code.substr(at + before.size(), 12)));
}

using Spirv = std::vector<uint32_t>;

Job code_job(ImagePool& images, const References& references, const Timed& timed, const MethodCode& code,
             const std::vector<Spirv>& spirv, const std::string& compiler) {
    const Job& job = timed.job;
    const auto source = pooled_image(images, ImageUse::source, job.format, job.size),
               result = pooled_image(images, ImageUse::result, job.format, job.size);
    std::vector<std::shared_ptr<const void>> bound_to = {source, result};
    std::vector<ComputePass> passes;
    std::shared_ptr<const Texture> from = source;
    for (size_t i = 0; i < code.passes.size(); i++) {
        const bool is_last = i + 1 == code.passes.size();
        const auto to =
            is_last ? result : pooled_image(images, ImageUse::scratch, format_of(code.passes[i].writes), job.size);
        bound_to.push_back(to);
        ComputePassInputs inputs;
        inputs.images = {to->view.handle};
        inputs.textures = {code.text.find("R32_UINT") != std::string::npos ? from->packed.handle : from->view.handle};
        inputs.push = {job.size.width, job.size.height};
        if (const auto rows = number_in(code.text, "strip_rows")) inputs.push.push_back(*rows);
        inputs.groups = code.passes[i].groups;
        passes.push_back(create_compute_pass(images.context, spirv[i], inputs));
        from = to;
    }
    const auto texels = source_texels(images, job.format, job.size);
    const auto reference = [texels, radius = job.radius, filter = timed.filter] {
        return filter ? filter->reference(*texels, radius, Taps::single) : box_reference(*texels, radius);
    };
    const uint32_t side = 2 * job.radius + 1;
    const bool is_rounded_between = code.passes.size() > 1 && job.format != Format::rgba32f;
    const double slack = is_rounded_between ? 6 * std::ldexp(1, -11) : 0.1 / 255 * (job.format == Format::rgba8);
    const std::string key = fmt::format("code {} {}", timed.name, slack);
    return make_job(images, job, fmt::format("{}", compiler), job,
                    record_passes(std::move(passes), std::move(bound_to)),
                    image_check(images, references, result, {key, reference, side * side + 600, slack}));
}

Spirv read_spirv_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    Spirv words(bytes.size() / sizeof(uint32_t));
    std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
    return words;
}

/// The SPIR-V from each compiler that left all passes of this code there.
std::map<std::string, std::vector<Spirv>> others(const Options& options, const std::string& name, size_t passes) {
    std::map<std::string, std::vector<Spirv>> found;
    if (options.spirv.empty()) return found;
    for (const fs::directory_entry& entry : fs::directory_iterator(options.spirv)) {
        const std::vector<std::string> parts = split(entry.path().filename().string(), '.');
        if (parts.size() != 4 || parts[0] != name || parts[3] != "spv") continue;
        std::vector<Spirv>& all = found[parts[1]];
        all.resize(passes);
        const size_t pass = std::stoul(parts[2]);
        if (pass >= 1 && pass <= passes) all[pass - 1] = read_spirv_file(entry.path());
    }
    std::erase_if(found, [](const auto& each) { return std::ranges::any_of(each.second, &Spirv::empty); });
    return found;
}

void compare(ImagePool& images, const Options& options, const Timed& timed) {
    const References references = std::make_shared<ReferenceCache>();
    std::vector<Job> jobs = {timed.job};
    for (const Language language : {Language::glsl, Language::hlsl}) {
        const MethodCode code = code_of(timed, language);
        if (!code.departures.empty()) fmt::print("  {}: {}", language_name(language), code.departures);
        if (!options.write.empty())
            std::ofstream(fs::path(options.write) / (timed.name + (language == Language::glsl ? ".comp" : ".hlsl")))
                << code.text;
        std::vector<Spirv> spirv;
        for (const CodePass& pass : code.passes)
            // Pipelines here always use the entry point `main`.
            spirv.push_back(
                compile_emitted(fmt::format("kernel.{}", language_name(language)), code.text,
                                {"main", pass.entry == "main" ? pass.definition : pass.entry + "=main", false}));
        jobs.push_back(code_job(images, references, timed, code, spirv, std::string(language_name(language))));
        if (language != Language::hlsl) continue;
        for (const auto& [compiler, of_passes] : others(options, timed.name, code.passes.size()))
            jobs.push_back(code_job(images, references, timed, code, of_passes, "hlsl by " + compiler));
    }
    Limits limits;
    limits.seconds = options.seconds;
    limits.relative_error = 0.001;
    const Measurements measured = measure(images.context, jobs, limits);
    if (!measured.failure.empty()) throw Error(measured.failure);
    fmt::print("{}, radius {}, {}\n", traits_of(timed.job.format).name, timed.job.radius, timed.name);
    for (size_t i = 0; i < jobs.size(); i++) {
        const Measurement &job = measured.jobs[i], &validate = measured.jobs.front();
        fmt::print("  {:24} {:9.5f} ms", i == 0 ? "validate" : jobs[i].method, job.time.value);
        if (i > 0) {
            const Estimate ratio = speedup(validate.ms, job.ms);
            fmt::print("  {:.4f} of validate's speed ({})", ratio.value,
                       std::isfinite(ratio.high) ? fmt::format("{:.4f} to {:.4f}", ratio.low, ratio.high)
                                                 : "too few samples for an interval");
        }
        fmt::print("{}\n", job.failure.empty() ? "" : "  WRONG: " + job.failure);
    }
    std::fflush(stdout);
}

/// Adds a namespace with the code, and a struct that runs it.
void add_cuda(std::string& text, std::vector<std::string>& names, const Timed& timed) {
    const MethodCode code = code_of(timed, Language::cuda);
    std::string body = code.text;
    constexpr std::string_view half = "#include <cuda_fp16.h>\n";
    if (const size_t at = body.find(half); at != std::string::npos) body.erase(at, half.size());
    const std::string space = "tilewise_" + timed.job.kernel, name = fmt::format("case_{}", names.size());
    const auto rows = number_in(code.text, "strip_rows");
    const bool of_words = code.text.find("the source is read as words") != std::string::npos;
    std::string launches;
    for (size_t i = 0; i < code.passes.size(); i++) {
        const CodePass& pass = code.passes[i];
        const bool is_last = i + 1 == code.passes.size();
        launches += fmt::format(
            "        {}::{}<<<dim3({}), {}>>>(images.{}, images.{}, {}::Push{{{}::ivec2({}, {}){}}});\n", space,
            pass.entry, fmt::join(pass.groups, ", "), pass.invocations, is_last ? "result" : "scratch",
            i > 0      ? "scratch_texture"
            : of_words ? "source_words"
                       : "source",
            space, space, timed.job.size.width, timed.job.size.height, rows ? fmt::format(", {}", *rows) : "");
    }
    std::vector<double> weights(timed.job.radius + 1, 0);
    if (timed.filter) weights = gaussian_weights(timed.job.radius);
    text += fmt::format(
        "namespace {0} {{\n{1}\nstruct Case {{\n"
        "    using Format = ::{2};\n"
        "    using Scratch = ::{3};\n"
        "    static constexpr const char* name = \"{4}\";\n"
        "    static constexpr int radius = {5}, width = {6}, height = {7};\n"
        "    static constexpr Kind kind = Kind::{8};\n"
        "    static constexpr float weights[] = {{{9}}};\n"
        "    static void run(const Bound& images) {{\n{10}    }}\n}};\n}}  // namespace {0}\n\n",
        name, body, traits_of(timed.job.format).qualifier, traits_of(scratch_format(timed.job.format)).qualifier,
        timed.name, timed.job.radius, timed.job.size.width, timed.job.size.height, timed.job.kernel,
        fmt::join(weights, ", "), launches);
    names.push_back(name);
}

}  // namespace

int main(int argc, char** argv) {
    if (const auto code = probe::worker::play_role(argc, argv, {&probe::worker::vulkan_role, 1})) return *code;
    try {
        const Options options = parse(argc, argv);
        const std::unique_ptr<Workbench> bench = open_workbench(options.device);
        fmt::print("{}, {}x{}\n", bench->device.name, options.size.width, options.size.height);
        std::string cuda;
        std::vector<std::string> names;
        for (const Format format : all_formats) {
            if (!options.format.empty() && options.format != traits_of(format).name) continue;
            ImagePool images{bench->context};
            for (const uint32_t radius : options.radii)
                for (const Timed& timed :
                     timed_jobs(images, std::make_shared<ReferenceCache>(), options, format, radius)) {
                    if (!options.cuda.empty()) add_cuda(cuda, names, timed);
                    compare(images, options, timed);
                }
        }
        if (!options.cuda.empty()) {
            std::string list = "#define CASES(CASE)";
            for (const std::string& name : names) list += fmt::format(" CASE({})", name);
            std::ofstream(options.cuda) << cuda << list << "\n";
        }
    } catch (const std::exception& error) {
        fmt::print(stderr, "tilewise_bench_code: {}\n", error.what());
        return 1;
    }
    return 0;
}
