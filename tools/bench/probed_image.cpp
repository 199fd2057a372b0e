#include "tools/bench/probed_image.h"
#include "patterns/model/error.h"
#include "patterns/solve/solve.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <map>

namespace tilewise {

namespace {

/// Reads and solves every subresource.
std::map<std::pair<uint32_t, uint32_t>, Solution> solve_image(probe::Workers& workers, const probe::DeviceInfo& device,
                                                              const ProbedImageRequest& wanted) {
    probe::Request request;
    request.formats = {wanted.format};
    request.extents = {{wanted.side_px, wanted.side_px, 1}};
    request.levels = static_cast<uint32_t>(std::bit_width(wanted.side_px));
    request.layers = wanted.layers;
    std::vector<probe::Case> cases = plan(workers, device, request);
    // The first route comes first; later routes are only used for what it could not read.
    std::map<std::pair<uint32_t, uint32_t>, Solution> solved;
    std::string reason = "not offered";
    while (!cases.empty()) {
        const probe::Case first = cases.front();
        const auto same_route = [&](const probe::Case& other) {
            return other.route == first.route && other.memory_type == first.memory_type;
        };
        const auto rest = std::stable_partition(cases.begin(), cases.end(), same_route);
        std::vector<probe::Case> now(cases.begin(), rest);
        cases.erase(cases.begin(), rest);
        std::erase_if(now, [&](const probe::Case& of) { return solved.contains({of.level, of.layer}); });
        run(workers, now, 2, [&](probe::Reading&& reading) {
            if (reading.outcome != probe::Outcome::read) {
                reason = reading.reason;
                return;
            }
            Solution solution = solve(reading.table);
            if (solution.fit == Fit::exact)
                solved[{reading.probed.level, reading.probed.layer}] = std::move(solution);
            else
                reason = solution.reason;
        });
    }
    if (solved.size() != size_t{request.levels} * request.layers)
        throw Error(fmt::format("{}: not every level was read: {}", wanted.format, reason));
    return solved;
}

}  // namespace

kernels::ConvertImage probed_image(probe::Workers& workers, const probe::DeviceInfo& device,
                                   const ProbedImageRequest& wanted) {
    const auto solved = solve_image(workers, device, wanted);
    std::vector<ConvertPart> parts;
    const auto levels = static_cast<uint32_t>(std::bit_width(wanted.side_px));
    for (uint32_t level = 0; level < levels; level++) {
        const Solution& first = solved.at({level, 0});
        ConvertPart part = {.layout = first.layout, .extent = first.extent, .layers = wanted.layers};
        for (uint32_t layer = 1; layer < wanted.layers; layer++) {
            const Layout& layout = solved.at({level, layer}).layout;
            const uint64_t distance = (layout.base - first.layout.base) / layer;
            if (layer == 1) part.layer_stride_B = distance;
            if (layout.pattern != first.layout.pattern || distance != part.layer_stride_B)
                throw Error("layers do not lie alike at equal distances");
        }
        parts.push_back(part);
    }
    kernels::ConvertImage image =
        kernels::make_convert_image(fmt::format("{} {}x{}, {} levels, {} layers", wanted.format, wanted.side_px,
                                                wanted.side_px, levels, wanted.layers),
                                    std::move(parts));
    image.format = static_cast<VkFormat>(probe::format_named(wanted.format).id);
    image.extent_px = {wanted.side_px, wanted.side_px, 1};
    image.levels = levels;
    image.layers = wanted.layers;
    return image;
}

}  // namespace tilewise
