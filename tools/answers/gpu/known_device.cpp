#include "tools/answers/gpu/known_device.h"
#include "db/facts/figure.h"
#include "db/facts/lane_order.h"
#include "db/facts/launch_order.h"
#include "kernels/image/texels.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

namespace {

bool is_one_row(const db::LaneOrderFact& fact) { return fact.shape[1] == 1 && fact.shape[2] == 1; }

KnownDevice::Lanes lanes_of(const db::LaneOrderFact& fact) {
    KnownDevice::Lanes lanes;
    lanes.subgroup_size = fact.subgroup_size;
    if (!fact.matrix)
        lanes.disorder = fact.note;
    else if (!is_identity(*fact.matrix))
        lanes.order = *fact.matrix;
    return lanes;
}

}  // namespace

KnownDevice known_device(const db::Database& database, const db::DeviceFact& device, const db::DriverFact& driver) {
    KnownDevice known;
    std::map<uint32_t, std::string> newest;
    for (const db::LaneOrderRow& row : db::find_facts<db::LaneOrderFact>(database, device, driver)) {
        const db::LaneOrderFact& fact = row.fact;
        if (fact.built_in != "index" || !is_one_row(fact)) continue;
        std::string& time = newest[fact.shape[0]];
        if (fact.time < time) continue;
        time = fact.time;
        known.lanes[fact.shape[0]] = lanes_of(fact);
        if (fact.subgroup_size) known.subgroup_size = fact.subgroup_size;
    }
    const auto launches = db::find_facts<db::LaunchOrderFact>(database, device, driver);
    known.launches_along_rows = !launches.empty() && launches.front().fact.visit == "row";
    for (const db::FigureFact& fact : db::newest_figures(database, device, driver)) {
        if (fact.name == "group_starts_per_us") known.group_starts = fact.value;
        if (fact.name == "registers_at_full_occupancy") known.registers_for_all = static_cast<uint32_t>(fact.value);
        if (!fact.name.starts_with("texels_")) continue;
        for (const kernels::Format format : kernels::all_formats)
            if (fact.format == kernels::traits_of(format).name) {
                double& best = known.fetches[kernels::traits_of(format).bytes];
                best = std::max(best, fact.value);
            }
    }
    return known;
}

std::vector<std::string> assumptions(const WorkgroupChoice& choice, const std::string& why) {
    std::vector<std::string> lines;
    if (choice.registers_unknown)
        lines.push_back(
            fmt::format("registers unknown: {} invocations assumed; {}", choice.derivation.request.invocations, why));
    if (choice.figures_unknown)
        lines.push_back(
            fmt::format("how fast workgroups start is not known: {} invocations assumed; tilewise devices --measure "
                        "measures it",
                        choice.derivation.request.invocations));
    if (choice.occupancy_unknown)
        lines.push_back(fmt::format(
            "how many registers fill the device is not known: up to {} assumed; tilewise devices --measure measures it",
            assumed_registers_for_all));
    if (!choice.lane_disorder.empty())
        lines.push_back(fmt::format("the order of lanes there is not linear ({}): they are assumed to be in order",
                                    choice.lane_disorder));
    return lines;
}

}  // namespace tilewise
