// tilewise snippet: a pattern as code to paste.
#include "patterns/snippet/snippet.h"
#include "db/query/query.h"
#include "kernels/kernel_list.h"
#include "patterns/convert/image.h"
#include "patterns/model/enum_names.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/picture/picture.h"
#include "patterns/remap/access.h"
#include "patterns/remap/workgroup.h"
#include "tools/answers/advice/advice_text.h"
#include "tools/answers/advice/advised_code.h"
#include "tools/answers/advice/measured_advice.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/gpu/known_device.h"
#include "tools/answers/image/given_image.h"
#include "tools/answers/pattern/choose_pattern.h"
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
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>

namespace tilewise {

namespace {

constexpr EnumNames<GroupOrderKind, 3> group_orders = {"group order", {"linear", "strips", "tiles"}};

Coord shape_of(const std::string& text) {
    try {
        const Extent_px sides = parse_extent(text);
        return {sides[0], sides[1], sides[2], 1};
    } catch (const UsageError&) {
        throw UsageError(fmt::format("--shape {}: not the shape of a workgroup; write 32x8", text));
    }
}

struct SnippetOptions {
    Language language = Language::glsl;
    SnippetKind kind = SnippetKind::remap;
    ConvertDirection direction = ConvertDirection::tile;
    ImageQuestion image;  ///< for its pattern; with --levels, --layers, .., for the whole image
    std::string order = "learned";
    GroupOrderKind group_order = GroupOrderKind::tiles;
    std::optional<Coord> shape;
    std::optional<Aspect> aspect;
    std::string kernel_name, filter_file;  ///< both empty: box
    std::string body_file;
    double sigma = 0;
    ImageAccess access = ImageAccess::box;
    bool has_access = false;  ///< --access was given
    uint32_t radius = 0;
    std::optional<uint32_t> invocations, subgroup, warps, strip_width;
    NamedKernel kernel;           ///< what the kernel options mean
    WorkgroupQuestion workgroup;  ///< likewise
    bool explain = false;

    /// Whether a kernel was named: its own code is printed, not a loop for the reader's code.
    bool has_method() const {
        const bool is_named = !kernel_name.empty() || !filter_file.empty();
        return kind == SnippetKind::kernel && is_named && !has_access && body_file.empty();
    }
    /// Whether the order is chosen by options and not by an advice.
    bool is_by_hand() const { return order != "learned" || shape || invocations || subgroup; }

    bool whole_image() const {
        return kind == SnippetKind::convert || image.levels || image.layers || image.samples || !image.flags.empty() ||
               aspect || image.layout;
    }
};

/// The remap, and the reason for choosing it.
struct ChosenRemap {
    Remap remap;
    std::string explanation;
    GroupOrder groups = {};     ///< the order of the workgroups around it
    std::string evidence = {};  ///< lines that are printed without --explain, too
};

/// The kernel that options and timings are for. Throws UsageError for a kernel that was named without the radius it
/// needs.
NamedKernel kernel_of(const SnippetOptions& options) {
    const bool has_filter = !options.filter_file.empty();
    if (options.access == ImageAccess::copy && options.radius > 0)
        throw UsageError("--access copy reads no neighbours: leave --radius out, or give --access box or gather");
    const std::string& name = options.kernel_name;
    NamedKernel kernel = named_kernel(name.empty() ? "box" : name, options.filter_file,
                                      options.radius > 0 ? std::optional(options.radius) : std::nullopt, 0);
    if (options.radius == 0 && (has_filter || (!name.empty() && family_named(name).has_radius)))
        throw UsageError(
            fmt::format("{} needs a radius of up to {}: --radius 2", kernel.name, kernels::max_filter_radius));
    return kernel;
}

/// Throws UsageError for options that only a kernel has.
void require_kernel_options(const SnippetOptions& options) {
    const bool has_body = !options.body_file.empty();
    if (has_body && options.kind != SnippetKind::kernel)
        throw UsageError("--body is part of a whole kernel: give --kind kernel");
    if (has_body && !options.filter_file.empty())
        throw UsageError("--body and --filter: a loop for code of your own has no filter; leave one of them out");
    const bool has_weights =
        options.kernel_name == "gaussian" || options.kernel_name == "bilateral" || !options.filter_file.empty();
    if (options.sigma > 0 && (!has_weights || options.kind != SnippetKind::kernel))
        throw UsageError("--sigma sets the weights of a kernel: give --kind kernel and --kernel gaussian");
}

/// The workgroup that the options ask for.
WorkgroupQuestion workgroup_of(const SnippetOptions& options) {
    return {.radius = options.kernel.radius,
            .reads = read_by(options.kernel.name),
            .extent = options.image.about.extent,
            .any_group_order = options.kind == SnippetKind::kernel,
            .invocations = options.invocations,
            .shape = options.shape,
            .subgroup_size = options.subgroup};
}

ChosenRemap choose_remap(const Pattern& pattern, const SnippetOptions& options, const KnownDevice& device) {
    const WorkgroupChoice choice = choose_workgroup(pattern, device, options.workgroup);
    std::string explanation;
    for (const std::string& line : assumptions(choice, "tilewise validate on the device measures them")) {
        print_warning(line);
        explanation += line + "\n";
    }
    const Derivation& derivation = choice.derivation;
    std::vector<std::string> names;
    for (const OrderCost& order : derivation.orders) {
        if (order.name == options.order) return {order.remap, explanation + explain(derivation), choice.groups, {}};
        names.push_back(order.name);
    }
    constexpr std::string_view of_64 = "rdna";
    if (options.order == of_64)
        throw UsageError(fmt::format(
            "--order {}: that order is for 64 invocations, and this workgroup has {}: give --invocations 64", of_64,
            derivation.request.invocations));
    throw UsageError(
        no_such_name(fmt::format("order of {} invocations", derivation.request.invocations), options.order, names));
}

/// Tune results for images with this pattern, from this device and driver; else with other drivers; else from other
/// devices that the name means.
std::vector<db::TuningRow> tunings_for(const db::Database& database, const db::ObservationRow& image,
                                       const Scope& asked) {
    const std::string pattern = pattern_id(image.fact.layout->pattern);
    const auto of_pattern = [&](std::vector<db::TuningRow> rows) {
        std::erase_if(rows, [&](const db::TuningRow& row) { return row.fact.pattern != pattern; });
        return rows;
    };
    std::vector<db::TuningRow> rows = of_pattern(db::find_facts<db::TuningFact>(database, image.device, image.driver));
    if (!rows.empty()) return rows;
    rows = of_pattern(db::find_facts<db::TuningFact>(database));
    std::vector<db::TuningRow> of_device = rows;
    std::erase_if(of_device, [&](const db::TuningRow& row) { return row.device.name != image.device.name; });
    if (!of_device.empty() || !asked.gpu) return of_device;
    return of_pattern(db::find_facts<db::TuningFact>(database, asked.gpu->devices));
}

/// Says that an order was found elsewhere, and where; empty if it was found here.
std::string elsewhere_text(const Advice& advice, const db::ObservationRow& image) {
    if (advice.device != image.device.name)
        return fmt::format("Assumed: {} runs it as {} does, where it was timed.", image.device.name, advice.device);
    if (const db::DriverFact& driver = advice.direct->driver; driver_text(driver) != driver_text(image.driver))
        return fmt::format("Assumed: {} runs it as {} does, with which it was timed.", driver_text(image.driver),
                           driver_text(driver));
    return "";
}

/// What tune or validate found to be fastest for the kernel and its radius, unless the options choose more. None if
/// nobody measured it, or only over images with another pattern.
std::optional<ChosenRemap> measured_remap(const db::Database& database, const db::ObservationRow& image,
                                          const Scope& asked, const SnippetOptions& options) {
    const uint32_t radius = options.kernel.radius;
    const bool is_box = options.access == ImageAccess::box;
    if (radius == 0 || !is_box || options.order != "learned" || options.shape || options.invocations ||
        options.subgroup)
        return std::nullopt;
    KernelQuestion question = {options.kernel.name, image.fact.format, radius};
    if (const auto& extent = options.image.about.extent) question.extent = {(*extent)[0], (*extent)[1]};
    std::optional<Advice> advice =
        measured_advice(database, db::find_facts<db::ValidationFact>(database, image.device, image.driver),
                        tunings_for(database, image, asked), question);
    if (!advice || !advice->direct || advice->direct->fact.radius != radius) return std::nullopt;
    const Pattern& pattern = image.fact.layout->pattern;
    const bool is_another = !advice->pattern.empty() && advice->pattern != pattern_id(pattern);
    if (is_another || !advice->remap) return std::nullopt;
    const std::string assumed = elsewhere_text(*advice, image);
    if (!assumed.empty()) print_warning(assumed);
    advice->way = advice->direct;
    ChosenRemap chosen = {*advice->remap, advice_text(*advice), advice->groups, {}};
    if (advice->direct->tuned)
        chosen.evidence = known_text(*advice, *advice->direct) + "\n" + (assumed.empty() ? "" : assumed + "\n");
    const bool is_kernel = options.kind == SnippetKind::kernel;  // a kernel's code says so itself
    if (chosen.groups.kind != GroupOrderKind::linear && !is_kernel)
        chosen.evidence += "workgroups " + groups_text(*advice) + "\n";
    if (pattern.is_linear()) return chosen;
    WorkgroupQuestion in_that_shape = options.workgroup;
    in_that_shape.shape = chosen.remap.shape;
    const Derivation derivation =
        choose_workgroup(pattern, known_device(database, image.device, image.driver), in_that_shape).derivation;
    // The explanation is about memory order; a search may have found a different order.
    if (!advice->direct->tuned || derivation.remap == chosen.remap) chosen.explanation += "\n" + explain(derivation);
    return chosen;
}

/// What is known about running the kernel over such images: from measurements, else from their pattern.
Advice advice_for(const db::Database& database, const db::ObservationRow& image, const Scope& asked,
                  const SnippetOptions& options, const KnownDevice& device) {
    KernelQuestion question = {options.kernel.name, image.fact.format, options.kernel.radius};
    if (const auto& extent = options.image.about.extent) question.extent = {(*extent)[0], (*extent)[1]};
    if (question.radius == 0) question.access = ImageAccess::copy;
    std::optional<Advice> measured =
        measured_advice(database, db::find_facts<db::ValidationFact>(database, image.device, image.driver),
                        tunings_for(database, image, asked), question);
    if (measured) return *measured;
    Advice advice;
    advice.question = question;
    advice.device = image.device.name;
    advice.pattern = pattern_id(image.fact.layout->pattern);
    take_prediction(advice, image.fact.layout->pattern, device);
    AskedDevice of_image = {{image.device}, {}};
    if (asked.gpu) of_image = asked_device(database, *asked.gpu);
    rank_elsewhere(advice, database, of_image);
    return advice;
}

/// The remap for a gather: as measured, for any pattern. None if the options choose more.
std::optional<ChosenRemap> remap_of_gather(const Pattern& pattern, const SnippetOptions& options,
                                           const KnownDevice& device) {
    if (options.access != ImageAccess::gather || pattern.is_linear() || options.order != "learned" || options.shape ||
        options.invocations)
        return std::nullopt;
    const GatherRule& rule = gather_rule(pattern.element.bytes, options.radius, device.max_invocations);
    WorkgroupQuestion question = options.workgroup;
    question.shape = rule.shape;
    const Derivation derivation = choose_workgroup(pattern, device, question).derivation;
    if (!differ_in_segments(derivation.orders))
        return ChosenRemap{row_order(rule.shape), "No order touches fewer segments than row order does.\n"};
    return ChosenRemap{gather_remap(rule),
                       fmt::format("{} order in {}: rests on {}.\n", rule.is_morton ? "Morton" : "Row",
                                   shape_text(rule.shape), rule.source)};
}

/// Says which access the remap of a kernel with a radius is for.
std::string access_text(const SnippetOptions& options) {
    if (options.radius == 0) return "";
    return options.access == ImageAccess::gather
               ? "for a kernel that reads some texels anywhere within the radius (--access gather)\n"
               : "for a kernel that reads every texel within the radius; for some of them: --access gather\n";
}

/// The remap for a kernel, which may also run over linear images.
ChosenRemap choose_kernel_remap(const Pattern& pattern, const SnippetOptions& options, const KnownDevice& device) {
    if (!pattern.is_linear()) return choose_remap(pattern, options, device);
    if (options.order != "learned" && options.order != "row")
        throw UsageError(fmt::format("--order {}: the pattern is linear, where row order is memory order; leave it out",
                                     options.order));
    return {linear_workgroup(options.workgroup), "The pattern is linear: row order is memory order.\n"};
}

/// A linear pattern has no remap, and tiles of one texel: its workgroups go row by row, whatever their shape.
Remap remap_for_groups(const Pattern& pattern, const SnippetOptions& options, const KnownDevice& device) {
    if (!pattern.is_linear()) return choose_remap(pattern, options, device).remap;
    return row_order(unit_extent);
}

/// The first two, and how many more.
std::string some_of(const std::vector<std::string>& items) {
    constexpr size_t most = 2;
    const std::string text = fmt::format("{}", fmt::join(std::span(items).first(std::min(items.size(), most)), ", "));
    return items.size() > most ? fmt::format("{} and {} more", text, items.size() - most) : text;
}

std::string provenance_text(const ChosenPattern& chosen, const db::PatternSummary& summary) {
    std::string extents = chosen.extents.front();
    if (chosen.extents.size() > 1) extents += " to " + chosen.extents.back();
    return fmt::format("tilewise {}: pattern {} {}\n{}: {}, images of {}\nlearned from {} ({})\n", TILEWISE_VERSION,
                       chosen.id, summary.title, some_of(chosen.devices), format_text(chosen.image.fact), extents,
                       fmt::join(chosen.provenance, ", "), counted(chosen.observations, "observation"));
}

std::string provenance_text(const ChosenPattern& chosen, const ImageLayout& image) {
    return fmt::format("tilewise {}: pattern {} {}\n{}: {}, images of {}\n{}, {}\n", TILEWISE_VERSION, chosen.id,
                       pattern_title(chosen.image.fact.layout->pattern), chosen.devices.front(), image.format,
                       chosen.extents.front(), layout_source_name(image.source), image.evidence);
}

nlohmann::ordered_json json_of(const SnippetOptions& options, const std::string& pattern, const std::string& code,
                               const std::string& explanation) {
    return {{"language", language_name(options.language)},
            {"kind", snippet_kind_name(options.kind)},
            {"pattern", pattern},
            {"code", code},
            {"explanation", explanation}};
}

void print_code(const SnippetOptions& options, const Globals& globals, const SnippetRequest& request,
                const std::string& pattern, const std::string& explanation) {
    const std::string code = emit_snippet(request);
    if (!globals.json) return print_text(code);
    print_json(json_of(options, pattern, code, explanation));
}

void print_method(const SnippetOptions& options, const Globals& globals, const kernels::MethodCode& made,
                  const std::string& pattern, const std::string& explanation) {
    if (!globals.json) return print_text(made.text);
    nlohmann::ordered_json json = json_of(options, pattern, made.text, explanation);
    json["passes"] = to_json(made.passes, options.image.about.extent.has_value());
    print_json(json);
}

/// Prints code for addresses in all levels and layers of one image.
void print_image_snippet(const SnippetOptions& options, const Globals& globals, SnippetRequest request) {
    const FoundImage found = find_asked_image(options.image, globals);
    tell_assumptions(found);
    request.image = options.aspect ? only_aspect(found.image, *options.aspect) : found.image;
    const ImageLayout& image = *request.image;
    request.provenance = fmt::format("tilewise {}: {}\n{}, {}\n", TILEWISE_VERSION, image_text(image),
                                     layout_source_name(image.source), image.evidence);
    print_code(options, globals, request, pattern_id(image.subresources.front().layout.pattern), "");
}

/// What is known about the device that a snippet is for.
struct SnippetSources {
    KnownDevice device;
    /// The order that was timed there.
    std::function<std::optional<ChosenRemap>()> measured;
    /// The advised method there, or one texel per invocation in the order of the request.
    std::function<kernels::MethodCode(const SnippetRequest&)> method;
};

/// Prints the code for the request's pattern. `image` is an image that has it.
void finish_snippet(const SnippetOptions& options, const Globals& globals, SnippetRequest request,
                    const db::ObservationFact& image, const SnippetSources& sources) {
    const KnownDevice& device = sources.device;
    const Pattern& pattern = request.layout.pattern;
    std::string explanation;
    if (request.kind == SnippetKind::kernel) {
        if (image.type != ImageType::two_d || image.samples > 1)
            throw UsageError(
                fmt::format("a kernel needs a 2D image with one sample, and this pattern is that of a {} image, "
                            "samples {}: give --kind remap",
                            image_type_name(image.type), image.samples));
        request.format = image.format;
        request.radius = options.kernel.radius;
    }
    if (request.kind == SnippetKind::remap || request.kind == SnippetKind::kernel) {
        std::optional<ChosenRemap> found = remap_of_gather(pattern, options, device);
        if (!found) found = sources.measured();
        ChosenRemap remap = found                                ? *std::move(found)
                            : request.kind == SnippetKind::remap ? choose_remap(pattern, options, device)
                                                                 : choose_kernel_remap(pattern, options, device);
        request.remap = std::move(remap.remap);
        explanation = std::move(remap.explanation);
        request.subgroup_size =
            subgroup_size_of(device, static_cast<uint32_t>(element_count(request.remap.shape)), options.subgroup);
        if (options.warps && request.language != Language::triton)
            throw UsageError("--warps is for --lang triton: leave it out");
        request.warps = options.warps;
        request.group_order = remap.groups;
        request.provenance += remap.evidence + access_text(options);
        if (options.explain) request.provenance += explanation;
        if (options.has_method())
            return print_method(options, globals, sources.method(request), pattern_id(pattern), explanation);
        if (!options.body_file.empty()) request.body = body_in(options.body_file);
    }
    if (options.strip_width && options.group_order != GroupOrderKind::strips)
        throw UsageError("--strip-width is for --group-order strips: leave it out");
    if (request.kind == SnippetKind::group_order)
        request.group_order = derive_group_order(pattern, remap_for_groups(pattern, options, device),
                                                 options.group_order, options.strip_width.value_or(8));

    print_code(options, globals, request, pattern_id(pattern), explanation);
}

/// Prints code for a pattern that the question gives itself: it belongs to no device, so nothing is known about how it
/// runs.
void print_said_snippet(const SnippetOptions& options, const Globals& globals, const ImageQuestion& said_image,
                        SnippetRequest request) {
    const SaidPattern& said = *said_image.said;
    const AskedFormat& format = said_image.about.format;
    const std::optional<Extent_px>& extent = said_image.about.extent;
    request.layout = layout_said_by(said_image);
    db::ObservationFact image;
    image.format = format.name;
    image.type = extent && (*extent)[2] > 1 ? ImageType::three_d : ImageType::two_d;
    if (extent) image.extent_px = *extent;
    if (request.kind == SnippetKind::kernel && format.name.empty())
        throw UsageError("a kernel reads texels of a format: give --format");
    request.provenance =
        fmt::format("tilewise {}: pattern {} {}\n{}, {}\n", TILEWISE_VERSION, pattern_id(request.layout.pattern),
                    pattern_title(request.layout.pattern), layout_source_name(said.source), said.evidence);
    const SnippetSources nothing_known = {
        KnownDevice{}, [] { return std::optional<ChosenRemap>(); },
        [](const SnippetRequest&) -> kernels::MethodCode {
            throw UsageError(
                "--kernel: methods are advised for a GPU, and a given pattern has none: give --gpu in its place, or "
                "leave --kernel out for a loop of your own");
        }};
    finish_snippet(options, globals, std::move(request), image, nothing_known);
}

void print_snippet(const SnippetOptions& options, const Globals& globals) {
    SnippetRequest request;
    request.language = options.language;
    request.kind = options.kind;
    request.direction = options.direction;
    if (options.whole_image()) return print_image_snippet(options, globals, request);
    if (const ImageQuestion said_image = read_said_question(options.image, globals); said_image.said)
        return print_said_snippet(options, globals, said_image, std::move(request));
    if (options.image.pattern.empty() && options.image.about.gpu.said.empty() &&
        options.image.about.device.said.empty() && options.image.about.format.said.empty())
        throw UsageError("which pattern? give --gpu and --format, or --pattern; tilewise query lists them");

    const db::Database database = open_to_read(globals);
    PatternScope where = ask_pattern(database, options.image);
    const std::string& alike = where.alike;
    const Scope& asked = where.scope;
    db::Filter& filter = where.scope.filter;
    if (!options.image.pattern.empty()) filter.pattern = db::resolve_pattern(database, options.image.pattern);
    if (take_usual_format(database, filter)) print_warning(usual_format_text(filter));
    const std::optional<FoundImage> unobserved = find_unobserved(database, filter, options.image);
    if (unobserved)
        tell_assumptions(*unobserved);
    else
        tell_gpu(asked);
    ChosenPattern chosen = unobserved ? pattern_of(*unobserved, database, filter) : choose_pattern(database, filter);
    if (request.kind == SnippetKind::kernel && filter.format.empty() && !unobserved)
        if (const auto formats = db::pattern_summary(database, chosen.id).formats; formats.size() > 1)
            throw UsageError(
                fmt::format("a kernel reads texels of a format, and images of {} have this pattern, {} "
                            "among them: give --format",
                            counted(formats.size(), "format"), formats.front()));
    const bool is_alike = !unobserved && !alike.empty();
    if (is_alike) {
        tell_assumed(alike);
        chosen.image.fact.format = options.image.about.format.name;
    }
    if (const std::string others = others_text(chosen, options.image.about.extent.has_value()); !others.empty())
        print_note(others);
    request.layout = *chosen.image.fact.layout;
    request.provenance = unobserved ? provenance_text(chosen, unobserved->image)
                                    : provenance_text(chosen, db::pattern_summary(database, chosen.id));
    if (!unobserved && asked.gpu && !asked.gpu->assumed.empty())
        request.provenance += "assumed: " + asked.gpu->assumed + "\n";
    else if (asked.gpu && !asked.gpu->said.empty())
        request.provenance += asked.gpu->said + "\n";
    if (is_alike) request.provenance += "assumed: " + alike + "\n";

    const KnownDevice device = known_device(database, chosen.image.device, chosen.image.driver);
    const SnippetSources sources = {
        device, [&] { return measured_remap(database, chosen.image, asked, options); },
        [&](const SnippetRequest& made) {
            std::optional<kernels::FilterText> own;
            if (!options.filter_file.empty()) own = compiled_filter_in(options.filter_file, options.kernel.radius);
            const AdvisedCodeQuestion question = {options.language, AdviceLine::best,
                                                  filter_of_kernel(options.kernel.name, own, options.sigma),
                                                  made.provenance};
            const Advice advice = advice_for(database, chosen.image, asked, options, device);
            return options.is_by_hand() ? direct_code(advice, made.remap, made.group_order, question)
                                        : advised_code(database, advice, question);
        }};
    finish_snippet(options, globals, std::move(request), chosen.image.fact, sources);
}

/// Throws UsageError for an option that was given but is for other kinds of snippet; the option's description begins
/// with these kinds.
void require_options_of(SnippetKind kind, const CLI::App& command) {
    static const std::map<std::string, std::vector<SnippetKind>> by_words = {
        {"remap, kernel", {SnippetKind::remap, SnippetKind::kernel}},
        {"kernel", {SnippetKind::kernel}},
        {"group-order", {SnippetKind::group_order}},
        {"convert", {SnippetKind::convert}},
        {"remap in Triton", {SnippetKind::remap}}};
    for (const CLI::Option* option : command.get_options()) {
        const std::string& text = option->get_description();
        const auto kinds = by_words.find(text.substr(0, text.find(':')));
        if (option->count() == 0 || kinds == by_words.end() || std::ranges::count(kinds->second, kind) > 0) continue;
        throw UsageError(fmt::format("{} is for --kind {}, and this is --kind {}: leave it out", option->get_name(),
                                     kinds->first, snippet_kind_name(kind)));
    }
}

}  // namespace

void add_snippet_command(CLI::App& app, const Globals& globals) {
    auto* command = app.add_subcommand("snippet", "print a pattern as a function in a programming language");
    auto options = std::make_shared<SnippetOptions>();
    command
        ->add_option_function<std::string>(
            "-l,--lang", [options](const std::string& name) { options->language = language_from_name(name); },
            "glsl, hlsl, wgsl, msl, cuda, cpp, rust, c-pdep (C with BMI2); triton and cute, for layouts; upper or "
            "lower case")
        ->default_str("glsl");
    command->add_option_function<std::string>(
        "--kind", [options](const std::string& name) { options->kind = snippet_kind_from_name(name); },
        "remap (index -> texel of the workgroup), group-order, address (texel -> byte offset), texel, convert (a "
        "whole shader: an image between rows and memory), kernel (a whole shader over an image, with a place for "
        "your code)");
    command
        ->add_option_function<std::string>(
            "--direction",
            [options](const std::string& name) { options->direction = convert_direction_from_name(name); },
            "convert: tile (rows to memory) or detile")
        ->default_str("tile");
    add_filter_options(*command, options->image.about);
    command->add_option("--pattern", options->image.pattern, "a pattern's id or a prefix of it, in place of a device");
    add_equation_options(*command, options->image);
    add_assume_option(*command, options->image.assume);
    command
        ->add_option("--levels", options->image.levels, "address, texel: for a whole image with this many mip levels")
        ->check(CLI::Range(1U, max_image_levels));
    command
        ->add_option("--layers", options->image.layers, "address, texel: for a whole image with this many array layers")
        ->check(CLI::Range(1U, max_image_layers));
    command
        ->add_option("--samples", options->image.samples,
                     "address, texel: for a whole image with this many samples per texel")
        ->check(CLI::Range(1U, max_image_samples));
    command->add_option("--flags", options->image.flags, "for a whole image created with these flags");
    add_aspect_option(*command, options->aspect, "aspect of a whole image, if it has several");
    add_layout_option(*command, options->image, "for a whole image: a file that tilewise layout --json printed");
    in_any_case(command->add_option("--order", options->order, "remap, kernel: learned, morton, row, rdna"))
        ->capture_default_str();
    command->add_option("--invocations", options->invocations, "remap, kernel: invocations per workgroup")
        ->default_str("256");
    command->add_option_function<std::string>(
        "--shape", [options](const std::string& text) { options->shape = shape_of(text); },
        "remap, kernel: shape of the workgroup, 32x8; default: what suits the pattern");
    command->add_option("--subgroup", options->subgroup,
                        "remap, kernel: invocations per subgroup; default: as measured, or 32");
    command->add_option("--warps", options->warps,
                        "remap in Triton: warps per program; texels beyond their lanes go to registers; default: as "
                        "many as there are texels for");
    command->add_option("-r,--radius", options->radius, "remap, kernel: texels that the kernel reads beyond its own")
        ->capture_default_str();
    in_any_case(command->add_option(
                    "-k,--kernel", options->kernel_name,
                    "remap, kernel: what reads them: box, gaussian, bilateral; average, brightest, mip-chain and "
                    "histogram read none. A named kernel is printed complete, without a place for your code"))
        ->default_str("box");
    command->add_option("--filter", options->filter_file,
                        "remap, kernel: a file with your own filter, in place of --kernel: see docs/adding.md");
    command
        ->add_option("--sigma", options->sigma,
                     "kernel: standard deviation of its Gaussian weights, in texels; default: half the radius")
        ->check(CLI::Range(1e-3, 1e6));
    command->add_option("--body", options->body_file,
                        "kernel: a file with your own statements, in place of the loop over the texels around each "
                        "one; they set `value`");
    CLI::Option* access =
        command
            ->add_option_function<std::string>(
                "--access", [options](const std::string& name) { options->access = access_names.parse(name); },
                "remap, kernel: which texels within the radius are read: box (all), gather (some), copy (none; takes "
                "no radius)")
            ->default_str("box");
    command
        ->add_option_function<std::string>(
            "--group-order", [options](const std::string& name) { options->group_order = group_orders.parse(name); },
            "group-order: tiles, strips, linear")
        ->default_str("tiles");
    command->add_option("--strip-width", options->strip_width, "group-order: workgroups along x in one strip")
        ->default_str("8");
    command->add_flag("--explain", options->explain, "remap, kernel: explain the choice in the comment");
    command->callback([options, command, access, &globals] {
        require_options_of(options->kind, *command);
        require_one_kernel(*command);
        options->has_access = access->count() > 0;
        require_kernel_options(*options);
        options->kernel = kernel_of(*options);
        if (options->has_method())
            if (const std::string assumed =
                    take_box_as_filter(options->kernel.name, options->kernel.radius, options->sigma);
                !assumed.empty())
                tell_assumed(assumed);
        options->workgroup = workgroup_of(*options);
        print_snippet(*options, globals);
    });
}

}  // namespace tilewise
