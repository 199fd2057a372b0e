#include "tools/runs/try/try_shader.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "probe/formats/formats.h"
#include "tools/runs/interrupt.h"
#include "tools/runs/validate/workbench.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>

namespace tilewise {

using namespace kernels;

std::vector<ImagePattern> image_patterns(const db::Database& database, const probe::DeviceInfo& device,
                                         const TryRequest& request) {
    std::vector<ImagePattern> patterns;
    const SceneText& scene = request.scene;
    const PassText& pass = scene.passes.at(scene.varied);
    std::vector<ShaderResource> resources = request.shaders.at(scene.varied).reflection.resources;
    // Images that are read count for more than those that are written.
    std::stable_partition(resources.begin(), resources.end(), std::mem_fn(&ShaderResource::is_read));
    for (const ShaderResource& resource : resources) {
        if (!is_image(resource.kind) || resource.dim != spv::Dim::Dim2D) continue;
        const auto bound = pass.bindings.find(resource.name);
        std::string name =
            bound == pass.bindings.end() || bound->second.empty() ? resource.name : bound->second.front();
        name = name.substr(0, name.rfind('@'));
        const auto image = scene.images.find(name);
        if (image == scene.images.end() || image->second.format.empty()) continue;
        const probe::Format* format = probe::find_format(image->second.format);
        if (format == nullptr ||
            std::ranges::any_of(patterns, [&](const ImagePattern& other) { return other.format == format->name; }))
            continue;
        ImagePattern one = {printable(name, 40), format->name, {}, {}, {}, {}, false};
        if (const auto learned = find_learned_pattern(database, device, format->name)) {
            one.id = learned->id;
            one.pattern = learned->pattern;
            one.device = learned->device;
            one.is_row = learned->is_row || learned->pattern.is_linear();
        } else {
            one.why_unknown = fmt::format("how {} lays out {} is not known", device.name, format->name);
        }
        patterns.push_back(std::move(one));
    }
    return patterns;
}

namespace {

std::map<uint32_t, std::pair<uint32_t, uint64_t>> constants_of(const ScenePass& pass,
                                                               const ShaderCandidate& candidate) {
    auto constants = pass.constants;
    for (const auto& [id, value] : candidate.constants) constants[id] = {4, value};
    return constants;
}

DispatchedVariant dispatched_variant(const TriedShader& shader, const ScenePass& pass, const ShaderGrid& grid,
                                     const ShaderCandidate& candidate) {
    DispatchedVariant made = {shader.spirv, pass.groups, constants_of(pass, candidate)};
    ShaderGrid written_for = grid;
    if (!candidate.constants.empty()) {
        // The constants make it a shader for workgroups of that size.
        written_for.groups = dispatched(grid, candidate.variant);
        written_for.local_size = candidate.variant.local_size;
    }
    made.groups = dispatched(written_for, candidate.variant);
    if (candidate.is_reordered() || candidate.variant.local_size != written_for.local_size) {
        made.spirv = rewritten(shader.code, shader.reflection, written_for, candidate.variant);
        if (const std::string invalid = why_invalid(made.spirv); !invalid.empty())
            throw Error("rewritten, it is not valid SPIR-V: " + invalid);
    }
    return made;
}

bool has_given_groups(const SceneText& scene) {
    return std::ranges::any_of(scene.passes, [](const PassText& pass) { return pass.groups[0] != 0; });
}

/// How many segments a workgroup's loads touch, in the first image that is not linear.
std::string segments_text(const ShaderCandidate& candidate, const std::vector<ImagePattern>& patterns) {
    for (const ImagePattern& image : patterns) {
        if (image.id.empty() || image.is_row) continue;
        const auto& size = candidate.variant.local_size;
        if ((size[0] & (size[0] - 1)) != 0 || (size[1] & (size[1] - 1)) != 0) return {};
        const Remap order = candidate.variant.order.value_or(row_order({size[0], size[1], 1, 1}));
        RemapRequest request;
        request.invocations = static_cast<uint32_t>(element_count(order.shape));
        if (image.device.subgroup_size != 0) request.subgroup_size = image.device.subgroup_size;
        const OrderCost cost = order_cost(image.pattern, order, request);
        const auto subgroups = static_cast<double>(
            std::max<uint64_t>(element_count(order.shape) / std::max(1u, request.subgroup_size), 1));
        return fmt::format("{:g} segments of 32 bytes and {:g} lines of 128 of {} in one load of a subgroup",
                           std::round(10 * static_cast<double>(cost.segments_32) / subgroups) / 10,
                           std::round(10 * static_cast<double>(cost.segments_128) / subgroups) / 10, image.image);
    }
    return {};
}

/// Makes variants of the candidates that are new, up to the requested number, and adds them to the plan's candidates.
std::vector<TrialVariant> made_into_variants(TryPlan& plan, const TryRequest& request,
                                             const std::vector<ShaderCandidate>& candidates) {
    const TriedShader& shader = request.shaders.at(request.scene.varied);
    std::vector<TrialVariant> made;
    for (const ShaderCandidate& candidate : candidates) {
        if (interrupted) throw Error("interrupted; nothing is kept");
        if (plan.candidates.size() >= std::max<size_t>(request.candidates, 1)) break;
        if (std::ranges::find(plan.seen, candidate.variant) != plan.seen.end()) continue;
        plan.seen.push_back(candidate.variant);
        TrialVariant variant = {candidate_text(candidate), {}};
        try {
            for (size_t i = 0; i < plan.trial.scenes.size(); ++i)
                variant.in_scenes.push_back(dispatched_variant(
                    shader, plan.trial.scenes[i].passes[request.scene.varied], plan.grids[i], candidate));
        } catch (const Error& error) {
            plan.forbidden.push_back(fmt::format("{}: {}", variant.name, error.what()));
            continue;
        }
        made.push_back(std::move(variant));
        plan.candidates.push_back(candidate);
    }
    return made;
}

/// What may still make a difference where the order of invocations makes none.
std::string left_to_try(const CandidateSearch& search) {
    std::vector<const char*> left;
    if (search.tries_sizes()) left.push_back("the size of workgroups");
    if (search.tries_orders_of_workgroups()) left.push_back("the order in which workgroups start");
    return left.empty() ? "" : fmt::format("; what is left is {}", fmt::join(left, " and "));
}

}  // namespace

TryPlan plan_trial(const TryRequest& request, const probe::DeviceInfo& device,
                   const std::vector<ImagePattern>& patterns) {
    const SceneText& text = request.scene;
    const TriedShader& shader = request.shaders.at(text.varied);
    Trial trial;
    std::string why_no_odd_size;
    trial.varied_pass = text.varied;
    trial.device = device.index;
    trial.device_name = device.name;
    trial.seconds = request.seconds;
    trial.timeout_seconds = request.timeout_seconds;
    trial.planned = std::min(request.candidates, default_candidates);
    trial.scenes.push_back(make_scene(text, request.shaders, text.size, request.read_file));
    if (has_given_groups(text))
        why_no_odd_size = "the groups are given, and would not fit another size";
    else if (text.size[0] == 0)
        why_no_odd_size = "the scene has no size";
    else if (odd_size(text.size) == text.size)
        why_no_odd_size = "the size is odd already";
    else
        trial.scenes.push_back(make_scene(text, request.shaders, odd_size(text.size), request.read_file));
    trial.odd_size = fmt::format("{}x{}", odd_size(text.size)[0], odd_size(text.size)[1]);
    std::vector<ShaderGrid> grids;
    for (const Scene& scene : trial.scenes) grids.push_back(grid_of(scene, text, request.shaders));
    const auto& local = grids.front().local_size;
    const uint64_t invocations = element_count({local[0], local[1], local[2], 1});
    if (invocations > device.max_invocations)
        throw Error(fmt::format("{}: has workgroups of {} invocations, of which {} allows {}", shader.name, invocations,
                                device.name, device.max_invocations));
    TryPlan plan = {CandidateSearch({shader, grids.front(), patterns, device.max_invocations})};
    plan.forbidden = plan.search.forbidden();
    plan.grids = std::move(grids);
    plan.trial = std::move(trial);
    plan.why_no_odd_size = std::move(why_no_odd_size);
    plan.trial.variants = made_into_variants(plan, request, plan.search.usual());
    return plan;
}

std::vector<TrialVariant> next_variants(TryPlan& plan, const TryRequest& request,
                                        const std::vector<double>& over_original) {
    std::vector<TrialVariant> made;
    if (!plan.has_all)
        made = made_into_variants(plan, request, plan.search.near_the_fastest(plan.candidates, over_original));
    if (!made.empty() || request.candidates <= default_candidates || plan.has_all) return made;
    plan.has_all = true;
    return made_into_variants(plan, request, plan.search.all());
}

TryVerdict verdict_of(const TryPlan& plan, const TrialResult& result, const std::vector<ImagePattern>& patterns) {
    TryVerdict made;
    // The fastest of those that were timed again; among equals the first, which is the simplest.
    for (size_t i = 1; i < result.variants.size(); ++i) {
        const TriedVariant& variant = result.variants[i];
        if (!variant.is_finalist || variant.verdict != "faster") continue;
        if (made.best == 0 || variant.time.value < result.variants[made.best].time.value) made.best = i;
    }
    const auto tried = static_cast<size_t>(
        std::ranges::count_if(result.variants, [](const TriedVariant& variant) { return variant.failure.empty(); }));
    const auto may_be_faster = [](const TriedVariant& variant) {
        return variant.verdict == "too few samples" && variant.speedup.value > 1;
    };
    if (made.best == 0) {
        made.verdict = tried < 2 ? (result.variants.size() < 2 ? "leave it as it is: nothing else was tried"
                                                               : "leave it as it is: no variant gave the same results")
                       : std::ranges::any_of(result.variants, may_be_faster)
                           ? "leave it as it is: too few samples to tell, a longer --time helps"
                           : fmt::format("leave it as it is: of {} none is faster", counted(tried - 1, "variant"));
    } else {
        const TriedVariant& best = result.variants[made.best];
        made.verdict =
            fmt::format("{}: {:.3g} times as fast (95%: {:.3g} to {:.3g})", plan.trial.variants[made.best].name,
                        best.speedup.value, best.speedup.low, best.speedup.high);
    }
    const std::string before = segments_text(plan.candidates[0], patterns),
                      after = segments_text(plan.candidates[made.best], patterns);
    const bool all_rows = !patterns.empty() && std::ranges::all_of(patterns, [](const ImagePattern& image) {
        return !image.id.empty() && image.is_row;
    });
    if (all_rows)
        made.reason =
            "its images lie in rows on this device, so that row order is memory order" + left_to_try(plan.search);
    else if (patterns.empty())
        made.reason = "it uses no image of two dimensions";
    else if (before.empty())
        made.reason = "how its images lie in memory is not known here: tilewise probe finds it out";
    else if (made.best == 0 || before == after)
        made.reason = before;
    else
        made.reason = fmt::format("{}, in place of {}", after, before);
    return made;
}

}  // namespace tilewise
