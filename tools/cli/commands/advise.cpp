// tilewise advise: how to run a kernel on a GPU, by what was measured there, or else by its pattern.
#include "kernels/kernel_list.h"
#include "kernels/method_code.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "patterns/remap/access.h"
#include "patterns/snippet/snippet.h"
#include "probe/formats/formats.h"
#include "tools/answers/advice/advice.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/gpu/known_device.h"
#include "tools/answers/pattern/choose_pattern.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/options/filter_options.h"
#include "tools/cli/options/kernel_options.h"
#include "tools/cli/options/open.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/texts/assumptions.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace tilewise {

namespace {

struct AdviseOptions {
    Question about;
    std::string kernel = "box", filter_file, code, method;
    /// It is empty where the kernel says it.
    std::string access;
    uint32_t radius = 1;
};

/// The access that is asked about in place of a kernel: boxes are those of kernels.
std::optional<ImageAccess> access_alone(const std::string& name) {
    if (name.empty()) return std::nullopt;
    const ImageAccess access = access_names.parse(name);
    return access == ImageAccess::box ? std::nullopt : std::optional(access);
}

KernelQuestion question_of(const AdviseOptions& options) {
    KernelQuestion question;
    require_known(options.about.format);
    question.format = options.about.format.name;
    if (const auto access = access_alone(options.access)) {
        question.kernel = options.access;
        question.access = *access;
        if (*access == ImageAccess::gather) question.radius = options.radius;
    } else {
        const NamedKernel kernel = named_kernel(options.kernel, options.filter_file, options.radius);
        question.kernel = kernel.name;
        question.radius = kernel.radius;
        if (kernel.radius == 0) question.access = ImageAccess::copy;
        if (!options.access.empty() && question.access != ImageAccess::box)
            throw UsageError(
                fmt::format("--access box: {} reads no box around its texels; leave --access out", kernel.name));
    }
    if (const auto& extent = options.about.extent) {
        if ((*extent)[2] != 1) throw UsageError("--extent: kernels run over images without depth; write 4096x4096");
        question.extent = {(*extent)[0], (*extent)[1]};
    }
    return question;
}

/// The rows of these devices; only those with a driver that is called so.
template <typename Fact>
std::vector<db::Stored<Fact>> facts_of(const db::Database& database, const std::vector<int64_t>& devices,
                                       const std::string& driver) {
    std::vector<db::Stored<Fact>> rows = db::find_facts<Fact>(database, devices);
    std::erase_if(rows, [&](const db::Stored<Fact>& row) {
        return to_lower(driver_text(row.driver)).find(to_lower(driver)) == std::string::npos;
    });
    return rows;
}

std::optional<Advice> measured_on(const db::Database& database, const std::vector<int64_t>& devices,
                                  const std::string& driver, const KernelQuestion& question) {
    std::optional<Advice> advice = measured_advice(database, facts_of<db::ValidationFact>(database, devices, driver),
                                                   facts_of<db::TuningFact>(database, devices, driver), question);
    if (advice || driver.empty()) return advice;
    advice = measured_advice(database, {}, facts_of<db::TuningFact>(database, devices, ""), question);
    if (advice)
        advice->assumed.push_back(
            fmt::format("nothing was measured with the driver {}: this is how it is with {}", driver, advice->driver));
    return advice;
}

/// What was measured on the devices that are meant; else on others with their chip.
std::optional<Advice> measured_on_chip(const db::Database& database, const Scope& asked,
                                       const KernelQuestion& question) {
    const FoundGpu& gpu = *asked.gpu;
    const std::string& driver = asked.filter.driver;
    std::optional<Advice> advice = measured_on(database, gpu.devices, driver, question);
    const bool by_its_name = gpu.said.empty() && gpu.assumed.empty();
    if (advice && by_its_name) return advice;
    if (!advice && !gpu.rests_on.empty())
        advice = measured_on(database, find_gpu(database, asked_gpu(gpu.rests_on), GpuAnswer::one_chip).devices, driver,
                             question);
    if (advice) advice->source = AdviceSource::measured_elsewhere;
    return advice;
}

/// By the pattern of the largest image, or of one of the extent that is asked for.
void predict(Advice& advice, const db::Database& database, const Scope& asked, const ImageQuestion& image) {
    const std::optional<FoundImage> unobserved = find_unobserved(database, asked.filter, image);
    const ChosenPattern chosen =
        unobserved ? pattern_of(*unobserved, database, asked.filter) : choose_pattern(database, asked.filter);
    if (unobserved) advice.assumed = unobserved->assumed;
    advice.device = chosen.image.device.name;
    advice.driver = driver_text(chosen.image.driver);
    advice.pattern = chosen.id;
    take_prediction(advice, chosen.image.fact.layout->pattern,
                    known_device(database, chosen.image.device, chosen.image.driver));
}

Advice find_advice(const db::Database& database, const Scope& asked, const AdviseOptions& options) {
    const KernelQuestion question = question_of(options);
    const bool is_kernel = !access_alone(options.access);
    if (auto measured = is_kernel ? measured_on_chip(database, asked, question) : std::nullopt) return *measured;
    Advice advice;
    advice.question = question;
    advice.device = asked.gpu->names.front();
    ImageQuestion image;
    image.about = options.about;
    try {
        predict(advice, database, asked, image);
    } catch (const Error& error) {
        advice.why_unknown = error.what();
    }
    return advice;
}

std::string provenance(const Advice& advice) {
    return fmt::format("tilewise {}\n{}", TILEWISE_VERSION, advice_text(advice));
}

/// What whoever lacks a measurement may do.
std::string way_out(const KernelQuestion& question) {
    const std::optional<std::string> command = validate_command(question);
    return command ? "measure it: " + *command : "no command times it: time it in your own program";
}

/// A loop for the user's own code in the advised order, with the advice as its comment.
std::string loop_of(const Advice& advice, Language language) {
    SnippetRequest request;
    request.language = language;
    request.kind = SnippetKind::kernel;
    if (!advice.remap && advice.way)
        throw Error(fmt::format(
            "--code: no loop for code of your own, as {} does not read texels one by one; the kernel as it was "
            "timed: --code glsl --method use",
            advice.question.kernel));
    if (!advice.remap)
        throw Error(fmt::format("--code: no order is known for {}: {}; {}", advice.question.kernel, advice.why_unknown,
                                way_out(advice.question)));
    request.remap = *advice.remap;
    request.group_order = advice.groups;
    request.format = advice.question.format;
    request.radius = advice.question.radius;
    request.provenance = provenance(advice);
    const bool is_what_was_timed = advice.question.kernel == "box" && advice.way && is_direct(advice.way->fact);
    if (advice.way && !is_what_was_timed)
        request.provenance += "code      a loop over a square, for code of your own; as it was timed: --method use\n";
    return emit_snippet(request);
}

std::optional<kernels::FilterText> own_filter_of(const AdviseOptions& options) {
    if (!options.filter_file.empty()) return filter_in(options.filter_file);
    if (options.kernel == "gaussian") return kernels::gaussian_filter();
    if (options.kernel == "bilateral") return kernels::bilateral_filter();
    return std::nullopt;
}

/// The kernel as it was timed, by the method that is called so in the advice.
std::string timed_code(const db::Database& database, const Advice& advice, const AdviseOptions& options) {
    const std::optional<TimedWay>& way = options.method == "use"       ? advice.way
                                         : options.method == "rounded" ? advice.rounded
                                                                       : advice.direct;
    const KernelQuestion& question = advice.question;
    if (!way && advice.way)
        throw Error(fmt::format("--method {}: the advice has no such line; there is --method use", options.method));
    if (!way) throw Error(fmt::format("--method: nobody has timed {} there; {}", question.kernel, way_out(question)));
    if (way->fact.radius != question.radius)
        throw Error(fmt::format("--method: radius {} was not timed; give --radius {}, or {}", question.radius,
                                way->fact.radius, way_out(question)));
    const db::ValidationFact& fact = way->fact;
    kernels::TimedMethod timed;
    timed.kernel = question.kernel;
    timed.filter = own_filter_of(options);
    timed.method = fact.method;
    timed.format = kernels::format_of(question.format);
    timed.radius = question.radius;
    timed.shape = {fact.shape[0], fact.shape[1]};
    timed.invocations = fact.invocations;
    timed.remap =
        way->tuned ? db::remap_of(*way->tuned) : remap_of(database, advice.measured_device, way->driver, fact);
    timed.groups = group_order_from_text(fact.group_order);
    return method_code(timed, provenance(advice) + fmt::format("code      as it was timed: `{}`\n", options.method));
}

std::string code_of(const db::Database& database, const Advice& advice, const AdviseOptions& options) {
    const Language language = language_from_name(options.code);
    if (options.method.empty()) return loop_of(advice, language);
    if (language != Language::glsl)
        throw UsageError(
            fmt::format("--method: kernels as they were timed are in GLSL, not in {}; without --method, --code gives a "
                        "loop for your own code in each language",
                        language_name(language)));
    return timed_code(database, advice, options);
}

void advise(const AdviseOptions& options, const Globals& globals) {
    if (!options.method.empty() && options.code.empty())
        throw UsageError("--method says whose code is printed: give --code glsl, too");
    if (options.about.gpu.said.empty())
        throw UsageError("which GPU? give --gpu, its product or chip: --gpu \"RTX 4090\"");
    const db::Database database = open_to_read(globals);
    const Scope asked = ask(database, options.about);
    const Advice advice = find_advice(database, asked, options);
    tell_gpu(asked);
    for (const std::string& line : advice.assumed) print_warning(fmt::format("Assumed: {}.", line));
    const std::string code = options.code.empty() ? "" : code_of(database, advice, options);
    if (globals.json) {
        auto json = to_json(advice);
        if (!code.empty()) json["code"] = code;
        print_json(json);
    } else {
        print_text(code.empty() ? advice_text(advice) : code);
    }
}

}  // namespace

void add_advise_command(CLI::App& app, const Globals& globals) {
    auto* command =
        app.add_subcommand("advise", "how to run a kernel on a GPU: method, workgroup, order, and the gain");
    auto options = std::make_shared<AdviseOptions>();
    add_gpu_option(*command, "--gpu", options->about.gpu, "a product, chip or device: \"RTX 4090\", AD102, H100");
    command->add_option("--driver", options->about.driver, "part of a driver's name or version");
    CLI::Option* kernel =
        command->add_option("--kernel", options->kernel, "box, gaussian, bilateral, average, brightest")
            ->capture_default_str();
    CLI::Option* filter = command->add_option("--filter", options->filter_file,
                                              "a file of your own filter, in place of --kernel: docs/adding.md");
    command->add_option("--access", options->access,
                        "how a kernel of your own reads the image, in place of --kernel: box (all texels within "
                        "--radius), gather (some of them), copy (each texel once)");
    add_format_option(*command, options->about.format, "R8G8B8A8_UNORM, RGBA16F, ..")->required();
    command->add_option("--radius", options->radius, "of the filter")->check(CLI::Range(1, 64))->capture_default_str();
    add_extent_option(*command, options->about.extent, "texels of the image; whatever was measured without it");
    command->add_option("--code", options->code,
                        "print a whole kernel, a loop for your own code: glsl, hlsl, wgsl, msl, cuda");
    command
        ->add_option("--method", options->method,
                     "the code is the kernel as it was timed, by this line of the advice: use, rounded, direct; glsl")
        ->check(CLI::IsMember({"use", "rounded", "direct"}));
    command->callback([options, kernel, filter, &globals] {
        if (access_alone(options->access) && (kernel->count() || filter->count()))
            throw UsageError(
                fmt::format("--access {} is in place of a kernel: leave --kernel and --filter out", options->access));
        advise(*options, globals);
    });
}

}  // namespace tilewise
