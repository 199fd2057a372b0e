// tilewise advise: how to run a kernel on a GPU, from what was measured there, or else from its pattern.
#include "db/facts/trial.h"
#include "kernels/kernel_list.h"
#include "kernels/separable/filter.h"
#include "patterns/model/enum_names.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "patterns/remap/access.h"
#include "patterns/snippet/kernel.h"
#include "patterns/snippet/snippet.h"
#include "probe/formats/formats.h"
#include "tools/answers/advice/advice_text.h"
#include "tools/answers/advice/advised_code.h"
#include "tools/answers/advice/find_advice.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/options/any_case.h"
#include "tools/cli/options/filter_options.h"
#include "tools/cli/options/image_options.h"
#include "tools/cli/options/kernel_options.h"
#include "tools/cli/options/open.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/texts/assumptions.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tilewise {

namespace {

constexpr uint32_t usual_radius = 1;

struct AdviseOptions {
    Question about;
    std::string kernel = "box", filter_file, code, method, body_file;
    /// The hash of a shader that was tried, in place of a kernel.
    std::string shader;
    double sigma = 0;
    /// Empty if the kernel implies it.
    std::string access;
    std::optional<uint32_t> radius;
    bool assume = false;
};

/// The access that is asked about in place of a kernel; none for a box: that is the access of a kernel.
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
        if (*access == ImageAccess::gather) question.radius = options.radius.value_or(usual_radius);
    } else {
        const NamedKernel kernel = named_kernel(options.kernel, options.filter_file, options.radius, usual_radius);
        question.kernel = kernel.name;
        question.radius = kernel.radius;
        if (!kernel.reads_neighbours) question.access = ImageAccess::copy;
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

std::string provenance(const Advice& advice) {
    return fmt::format("tilewise {}\n{}", TILEWISE_VERSION, advice_text(advice));
}

/// The lines of an advice, as --method names them.
constexpr EnumNames<AdviceLine, 4> line_names = {"line", {"", "use", "rounded", "direct"}};

struct PrintedCode {
    std::string text;
    /// None for a loop for the reader's own code.
    std::optional<std::vector<kernels::CodePass>> passes = {};
    std::string method = {};
};

PrintedCode code_of(const db::Database& database, const Advice& advice, const AdviseOptions& options) {
    const Language language = language_from_name(options.code);
    if (!options.access.empty() || !options.body_file.empty()) {
        std::optional<std::string> body;
        if (!options.body_file.empty()) body = body_in(options.body_file);
        // The methods of kernels do not apply to a loop.
        Advice of_loop = advice;
        of_loop.ranking = {};
        of_loop.given.reset();
        return {advised_loop(of_loop, language, provenance(of_loop), body)};
    }
    std::optional<kernels::FilterText> own;
    if (!options.filter_file.empty())
        own = compiled_filter_in(options.filter_file, options.radius.value_or(usual_radius));
    const kernels::MethodCode made =
        advised_code(database, advice,
                     {language, line_names.parse(options.method), filter_of_kernel(options.kernel, own, options.sigma),
                      provenance(advice)});
    return {made.text, made.passes, made.method};
}

void require_sense(const AdviseOptions& options) {
    const auto needs_code = [&](bool is_given, const char* what) {
        if (is_given && options.code.empty())
            throw UsageError(fmt::format("{}: add --code, such as --code glsl", what));
    };
    needs_code(!options.method.empty(), "--method chooses the code to print");
    needs_code(options.sigma > 0, "--sigma sets the weights in the code");
    needs_code(!options.body_file.empty(), "--body is part of the code");
    const bool has_weights =
        !options.filter_file.empty() || options.kernel == "gaussian" || options.kernel == "bilateral";
    if (options.sigma > 0 && !has_weights)
        throw UsageError(
            fmt::format("--sigma: {} has no Gaussian weights; gaussian and bilateral have them", options.kernel));
    if (options.sigma > 0 && !options.radius)
        throw UsageError(
            fmt::format("--sigma {:g}: give a radius, too; 99.7% of the weight lies within three sigma: --radius {}",
                        options.sigma, std::min(std::ceil(3 * options.sigma), double{kernels::max_filter_radius})));
    const bool is_loop = !options.access.empty() || !options.body_file.empty();
    const bool is_filter = has_weights || options.kernel == "box";
    if (!is_loop && is_filter && options.radius.value_or(1) > kernels::max_filter_radius)
        throw UsageError(
            fmt::format("--radius {}: no method runs a filter beyond radius {}; for a loop of your own: --access box",
                        *options.radius, kernels::max_filter_radius));
    if (is_loop && !options.method.empty())
        throw UsageError(
            "--method: a loop for your own code has no method; leave out --method, or --access and --body");
    if (options.about.gpu.said.empty())
        throw UsageError("which GPU? give --gpu, its product or chip: --gpu \"RTX 4090\"");
    if (options.about.format.name.empty()) throw UsageError("--format is required; see tilewise help advise");
}

Row trial_row(const nlohmann::ordered_json& variant) {
    const auto number = [&](const char* name) -> std::string {
        const auto& found = variant.at(name);
        return found.is_object() ? fmt::format("{:.4g}", found.at("value").get<double>()) : "-";
    };
    return {variant.at("name").get<std::string>(), number("ms"), number("speedup"),
            variant.at("verdict").is_string() ? variant["verdict"].get<std::string>() : "not timed"};
}

/// Prints what `try` found about a shader, on each device where it was tried.
void advise_shader(const AdviseOptions& options, const Globals& globals) {
    const std::vector<db::Trial> trials = db::find_trials(open_to_read(globals), to_lower(options.shader));
    if (trials.empty())
        throw Error(fmt::format("no shader {} was tried here: run tilewise try SHADER, which prints its hash",
                                printable(options.shader, 60)));
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const db::Trial& trial : trials) {
        all.push_back({{"shader", trial.shader},
                       {"device", trial.device},
                       {"driver", trial.driver},
                       {"time", trial.time},
                       {"tool_version", trial.tool_version},
                       {"result", trial.result}});
        if (globals.json) continue;
        print_line(fmt::format("{} on {}, {}", trial.shader, trial.device, trial.driver));
        try {
            if (trial.result.contains("size")) {
                const auto [width, height] = trial.result["size"].get<std::array<uint32_t, 2>>();
                print_line(fmt::format("size       {}x{}", width, height));
            }
            std::vector<Row> rows = {{"variant", "ms", "speed-up", "verdict"}};
            for (const auto& variant : trial.result.at("variants")) rows.push_back(trial_row(variant));
            print_columns(rows, 2);
            print_line("verdict    " + trial.result.at("verdict").get<std::string>());
            print_line("reason     " + trial.result.at("reason").get<std::string>());
        } catch (const nlohmann::json::exception&) {
            throw Error("the database's entry for that shader is damaged: run tilewise try again");
        }
        print_line(fmt::format("known      tried by tilewise {}, {}", trial.tool_version, trial.time));
    }
    if (globals.json) print_json({{"trials", all}});
}

void advise(AdviseOptions options, const Globals& globals) {
    if (!options.shader.empty()) return advise_shader(options, globals);
    require_sense(options);
    std::string as_filter;
    if (options.access.empty())
        as_filter = take_box_as_filter(options.kernel, options.radius.value_or(usual_radius), options.sigma);
    const db::Database database = open_to_read(globals);
    const Scope asked = ask(database, options.about, GpuAnswer::one_chip_if_any);
    KernelQuestion question = question_of(options);
    if (!as_filter.empty()) question.said = "box";
    Advice advice = find_advice(database, asked, options.about, question, options.assume);
    if (!as_filter.empty()) advice.assumed.insert(advice.assumed.begin(), as_filter);
    tell_gpu(asked);
    for (const std::string& line : advice.assumed)
        if (line != asked.gpu->assumed) tell_assumed(line);
    PrintedCode code;
    if (!options.code.empty()) code = code_of(database, advice, options);
    if (globals.json) {
        auto json = to_json(advice);
        if (!code.text.empty()) json["code"] = code.text;
        if (!code.method.empty()) json["code_method"] = code.method;
        if (code.passes) json["passes"] = to_json(*code.passes, options.about.extent.has_value());
        print_json(json);
    } else {
        print_text(code.text.empty() ? advice_text(advice) : code.text);
    }
}

}  // namespace

void add_advise_command(CLI::App& app, const Globals& globals) {
    auto* command =
        app.add_subcommand("advise", "advise how to run a kernel on a GPU: method, workgroup, order, and the gain");
    auto options = std::make_shared<AdviseOptions>();
    add_gpu_option(*command, "-g,--gpu", options->about.gpu, "a product, chip or device: \"RTX 4090\", AD102, H100");
    command->add_option("--driver", options->about.driver, "part of a driver's name or version");
    CLI::Option* kernel =
        in_any_case(command->add_option("-k,--kernel", options->kernel, kernel_names()))->capture_default_str();
    CLI::Option* filter = command->add_option("--filter", options->filter_file,
                                              "a file with your own filter, in place of --kernel: see docs/adding.md");
    in_any_case(command->add_option("--access", options->access,
                                    "how a kernel of your own reads the image, in place of --kernel: box (all texels "
                                    "within --radius), gather (some of them), copy (each texel once)"));
    add_format_option(*command, options->about.format, "R8G8B8A8_UNORM, RGBA16F, ..");
    CLI::Option* shader =
        command->add_option("--shader", options->shader,
                            "in place of a kernel: the hash of a shader that was tried here with tilewise try");
    command->add_option("-r,--radius", options->radius, "radius of the filter")
        ->check(CLI::Range(1U, max_kernel_radius))
        ->default_str(std::to_string(usual_radius));
    add_extent_option(*command, options->about.extent, "size of the image in texels; default: whatever was measured");
    add_assume_option(*command, options->assume);
    command->add_option("--code", options->code,
                        "print the whole kernel by the advised method: glsl, hlsl, wgsl, msl, cuda; with --access, a "
                        "loop for your own code");
    in_any_case(command->add_option(
                    "--method", options->method,
                    "with --code: print the kernel as it was timed for this line of the advice: use, rounded, direct"))
        ->check(CLI::IsMember({"use", "rounded", "direct"}));
    command
        ->add_option("--sigma", options->sigma,
                     "with --code: standard deviation of the Gaussian weights, in texels; default: half the radius")
        ->check(CLI::Range(1e-3, 1e6));
    command->add_option("--body", options->body_file,
                        "with --code: a file with statements, in the code's language, in place of the loop");
    for (const char* of_images : {"--gpu", "--driver", "--kernel", "--filter", "--access", "--format", "--radius",
                                  "--extent", "--assume", "--code", "--method", "--sigma", "--body"})
        shader->excludes(command->get_option(of_images));
    command->callback([options, kernel, filter, command, &globals] {
        require_one_kernel(*command);
        if (access_alone(options->access) && (kernel->count() || filter->count()))
            throw UsageError(
                fmt::format("--access {} is in place of a kernel: leave --kernel and --filter out", options->access));
        if (access_alone(options->access) == ImageAccess::copy && options->radius)
            throw UsageError("--access copy reads no neighbours: leave --radius out");
        advise(*options, globals);
    });
}

}  // namespace tilewise
