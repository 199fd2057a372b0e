#include "tools/answers/advice/advised_code.h"
#include "kernels/average/average.h"
#include "patterns/model/error.h"
#include "patterns/snippet/kernel_format.h"
#include "tools/answers/gpu/known_device.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

namespace {

/// What whoever lacks a measurement may do.
std::string way_out(const KernelQuestion& question) {
    const std::optional<std::string> command = validate_command(question);
    return command ? "measure it: " + *command : "no command times it: time it in your own program";
}

bool is_timed_format(const std::string& name) {
    return std::ranges::any_of(kernels::all_formats,
                               [&](kernels::Format each) { return name == kernels::traits_of(each).name; });
}

/// The one of those that are timed whose arithmetic the format takes.
kernels::Format arithmetic_of(const std::string& name) {
    if (is_timed_format(name)) return kernels::format_of(name);
    return kernel_format(name, Language::glsl).channel == Channel::half ? kernels::Format::rgba16f
                                                                        : kernels::Format::rgba32f;
}

/// The one whose texels are most like it, for what was timed.
std::string nearest_timed_format(const std::string& name) {
    if (is_timed_format(name)) return name;
    switch (kernel_format(name, Language::glsl).channel) {
        case Channel::unorm8:
        case Channel::snorm8:
        case Channel::packed:
            return kernels::traits_of(kernels::Format::rgba8).name;
        case Channel::single:
            return kernels::traits_of(kernels::Format::rgba32f).name;
        default:
            return kernels::traits_of(kernels::Format::rgba16f).name;
    }
}

/// The fastest where anybody timed the kernel, or one like it; a CPU says little of a GPU.
std::optional<Advice> timed_anywhere(const db::Database& database, const KernelQuestion& asked) {
    auto validations = db::find_facts<db::ValidationFact>(database);
    auto tunings = db::find_facts<db::TuningFact>(database);
    const auto is_cpu = [](const auto& row) { return row.device.type == "cpu"; };
    std::erase_if(validations, is_cpu);
    std::erase_if(tunings, is_cpu);
    KernelQuestion question = asked;
    question.format = nearest_timed_format(asked.format);
    // A filter of a user's that nobody timed is likest a bilateral one: it needs its centre first.
    for (const std::string& kernel : {asked.kernel, std::string("bilateral")}) {
        question.kernel = kernel;
        std::optional<Advice> advice = measured_advice(database, validations, tunings, question);
        if (advice && advice->way) return advice;
        const bool is_own_filter = asked.radius > 0 && asked.kernel != "box";
        if (!is_own_filter) break;
    }
    return std::nullopt;
}

/// "fused" of "fused, 8 rows, 1 strips, ..".
std::string family_of(const std::string& method) { return method.substr(0, method.find(',')); }

kernels::CodeRequest request_for(const Advice& advice, const AdvisedCodeQuestion& asked) {
    const KernelQuestion& question = advice.question;
    kernels::CodeRequest request;
    request.language = asked.language;
    kernels::TimedMethod& method = request.method;
    method.kernel = question.kernel;
    method.filter = asked.filter;
    method.format = arithmetic_of(question.format);
    method.radius = question.radius;
    if (!is_timed_format(question.format)) request.format = question.format;
    if (question.extent) request.size = {(*question.extent)[0], (*question.extent)[1]};
    request.max_invocations = advice.max_invocations;
    return request;
}

/// As it was timed, by this line.
void take_timing(kernels::CodeRequest& request, const db::Database& database, const Advice& advice,
                 const TimedWay& way) {
    const db::ValidationFact& fact = way.fact;
    kernels::TimedMethod& method = request.method;
    method.method = fact.method;
    method.shape = {fact.shape[0], fact.shape[1]};
    method.invocations = fact.invocations;
    method.remap = way.tuned ? db::remap_of(*way.tuned) : remap_of(database, advice.measured_device, way.driver, fact);
    method.groups = group_order_from_text(fact.group_order);
}

const std::optional<TimedWay>& way_of(const Advice& advice, AdviceLine line) {
    return line == AdviceLine::rounded ? advice.rounded : line == AdviceLine::direct ? advice.direct : advice.way;
}

constexpr const char* line_names[] = {"use", "use", "rounded", "direct"};

/// The line's own way, which must be there.
const TimedWay& required_way(const Advice& advice, AdviceLine line) {
    const KernelQuestion& question = advice.question;
    const std::optional<TimedWay>& way = way_of(advice, line);
    const char* name = line_names[static_cast<size_t>(line)];
    if (!way && advice.way)
        throw Error(fmt::format("--method {}: the advice has no such line; there is --method use", name));
    if (!way) throw Error(fmt::format("--method: nobody has timed {} there; {}", question.kernel, way_out(question)));
    if (way->fact.radius != question.radius)
        throw Error(fmt::format("--method: radius {} was not timed; give --radius {}, or {}", question.radius,
                                way->fact.radius, way_out(question)));
    return *way;
}

/// Nobody timed this very thing: the family that is fastest where somebody did, and the lines that say so.
std::string take_family(kernels::CodeRequest& request, const db::Database& database, const Advice& advice) {
    const KernelQuestion& question = advice.question;
    std::optional<Advice> elsewhere;
    if (!advice.way) elsewhere = timed_anywhere(database, question);
    const Advice& timed = elsewhere ? *elsewhere : advice;
    if (advice.remap) {
        request.method.remap = advice.remap;
        request.method.groups = advice.groups;
    }
    if (!timed.way) {
        request.method.method = question.kernel == "box"       ? "running sums"
                                : question.kernel == "average" ? kernels::average_subgroups_name
                                                               : "";
        return fmt::format("code      nobody timed {} anywhere: a method that reads each texel once or twice\n",
                           question.kernel);
    }
    const db::ValidationFact& fact = timed.way->fact;
    request.method.method = fact.method;
    if (!elsewhere && !request.max_invocations)
        request.max_invocations = known_device(database, timed.measured_device, timed.way->driver).max_invocations;
    std::string text = fmt::format("code      nobody timed {}{} on {}: `{}` is the fastest", fact.kernel,
                                   question.radius > 0 ? fmt::format(" of radius {}", question.radius) : "",
                                   advice.device, family_of(fact.method));
    text += fmt::format(" of {}radius {} on {},\n", fact.kernel == question.kernel ? "" : fact.kernel + ", ",
                        fact.radius, timed.device);
    return text + "          here in a workgroup that it can have for certain\n";
}

}  // namespace

std::optional<kernels::FilterText> filter_of_kernel(const std::string& kernel, std::optional<kernels::FilterText> own,
                                                    double sigma) {
    if (own) own->sigma = sigma;
    if (own) return own;
    if (kernel == "gaussian") return kernels::gaussian_filter(sigma);
    if (kernel == "bilateral") return kernels::bilateral_filter(sigma);
    return std::nullopt;
}

kernels::MethodCode advised_code(const db::Database& database, const Advice& advice, const AdvisedCodeQuestion& asked) {
    kernels::CodeRequest request = request_for(advice, asked);
    const KernelQuestion& question = advice.question;
    std::string says = asked.provenance;
    const bool is_timed = advice.way && advice.way->fact.radius == question.radius && request.format.empty();
    if (asked.line != AdviceLine::best || is_timed) {
        const TimedWay& way = required_way(advice, asked.line);
        take_timing(request, database, advice, way);
        says += fmt::format("code      as it was timed: `{}`\n", line_names[static_cast<size_t>(asked.line)]);
    } else {
        says += take_family(request, database, advice);
    }
    if (asked.filter && asked.filter->sigma > 0)
        says += fmt::format("weights   of sigma {} texels\n", asked.filter->sigma);
    return method_code(request, says);
}

kernels::MethodCode direct_code(const Advice& advice, const Remap& order, const GroupOrder& groups,
                                const AdvisedCodeQuestion& asked) {
    kernels::CodeRequest request = request_for(advice, asked);
    if (request.method.radius == 0)
        throw Error(
            fmt::format("{} has no order of texels that are read one by one: leave --order, --shape, "
                        "--invocations and --subgroup out",
                        advice.question.kernel));
    request.method.method = kernels::direct_name;
    request.method.shape = kernels::shape_of(order);
    request.method.invocations = static_cast<uint32_t>(element_count(order.shape));
    request.method.remap = order;
    request.method.groups = groups;
    return method_code(request, asked.provenance);
}

std::string advised_loop(const Advice& advice, Language language, const std::string& provenance,
                         const std::optional<std::string>& body) {
    const KernelQuestion& question = advice.question;
    SnippetRequest request;
    request.language = language;
    request.kind = SnippetKind::kernel;
    if (!advice.remap && advice.way)
        throw Error(
            fmt::format("--code: no loop for code of your own, as {} does not read texels one by one; leave --access "
                        "and --body out",
                        question.kernel));
    if (!advice.remap)
        throw Error(fmt::format("--code: no order is known for {}: {}; {}", question.kernel, advice.why_unknown,
                                way_out(question)));
    request.remap = *advice.remap;
    request.group_order = advice.groups;
    request.format = question.format;
    request.radius = question.radius;
    request.body = body;
    request.provenance = provenance;
    return emit_snippet(request);
}

nlohmann::ordered_json to_json(const std::vector<kernels::CodePass>& passes, bool has_size) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    const auto or_null = [](const std::string& text) {
        return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
    };
    for (const kernels::CodePass& pass : passes)
        all.push_back({{"entry", pass.entry},
                       {"definition", or_null(pass.definition)},
                       {"invocations", pass.invocations},
                       {"reads", or_null(pass.reads)},
                       {"writes", or_null(pass.writes)},
                       {"groups", has_size ? nlohmann::ordered_json(pass.groups) : nlohmann::ordered_json(nullptr)}});
    return all;
}

}  // namespace tilewise
