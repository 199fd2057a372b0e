#include "tools/answers/advice/advised_code.h"
#include "patterns/model/error.h"
#include "tools/answers/gpu/known_device.h"
#include <fmt/format.h>

namespace tilewise {

namespace {

/// What a reader without a measurement can do.
std::string way_out(const KernelQuestion& question) {
    const std::optional<std::string> command = measure_command(question);
    return command ? "measure it: " + *command : "no command times it: time it in your own program";
}

/// Requests the method as it was timed for this line of the advice.
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

/// The line's own way. Throws Error if the advice does not have that way.
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

/// Requests the first family of the ranking, and returns lines which say that nobody timed the asked kernel itself.
std::string take_family(kernels::CodeRequest& request, const Advice& advice) {
    const KernelQuestion& question = advice.question;
    const FamilyRanking& ranking = advice.ranking;
    take_first_family(request, advice);
    if (ranking.families.empty())
        return fmt::format("code      nobody timed {} anywhere: a method that reads each texel once or twice\n",
                           question.kernel);
    const RankedFamily& first = ranking.families.front();
    const db::ValidationFact& fact = first.way.fact;
    const bool is_of_format = fact.format == question.format;
    const auto radius_text = [](uint32_t radius) { return radius > 0 ? fmt::format(" of radius {}", radius) : ""; };
    const bool are_other_sizes = advice.way && question.extent;
    std::string text = fmt::format("code      nobody timed {}{}{}{} on {}: `{}` is the fastest", question.kernel,
                                   radius_text(question.radius), is_of_format ? "" : " over " + question.format,
                                   are_other_sizes ? " over images of that size" : "", advice.device, first.family);
    text += fmt::format(" of {}{}{} on {},\n", fact.kernel, radius_text(fact.radius),
                        is_of_format ? "" : " over " + fact.format, ranking.device.name);
    return text + "          here in a workgroup that is sure to fit it\n";
}

}  // namespace

kernels::MethodCode advised_code(const db::Database& database, const Advice& advice, const AdvisedCodeQuestion& asked) {
    kernels::CodeRequest request = code_request(advice, asked.language, asked.filter);
    const KernelQuestion& question = advice.question;
    std::string says = asked.provenance;
    const bool is_timed = advice.way && advice.way->fact.radius == question.radius && request.format.empty();
    if (asked.line != AdviceLine::best || is_timed) {
        const TimedWay& way = required_way(advice, asked.line);
        take_timing(request, database, advice, way);
        says += fmt::format("code      as it was timed: `{}`\n", line_names[static_cast<size_t>(asked.line)]);
    } else {
        says += take_family(request, advice);
    }
    if (asked.filter && asked.filter->sigma > 0)
        says += fmt::format("weights   of sigma {} texels\n", asked.filter->sigma);
    return method_code(request, says);
}

kernels::MethodCode direct_code(const Advice& advice, const Remap& order, const GroupOrder& groups,
                                const AdvisedCodeQuestion& asked) {
    kernels::CodeRequest request = code_request(advice, asked.language, asked.filter);
    if (request.method.radius == 0)
        throw Error(fmt::format(
            "{} does not read texels one by one in an order: leave --order, --shape, --invocations and --subgroup out",
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
            fmt::format("--code: {} does not read texels one by one, so it has no loop for your own code; leave "
                        "--access and --body out",
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
