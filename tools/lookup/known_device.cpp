#include "tools/lookup/known_device.h"
#include "db/facts/lane_order.h"
#include "db/facts/launch_order.h"
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
    return known;
}

std::vector<std::string> assumptions(const WorkgroupChoice& choice, const std::string& why) {
    std::vector<std::string> lines;
    if (choice.registers_unknown)
        lines.push_back(
            fmt::format("registers unknown: {} invocations assumed; {}", choice.derivation.request.invocations, why));
    if (!choice.lane_disorder.empty())
        lines.push_back(
            fmt::format("lanes are in no linear order there ({}): taken as in order", choice.lane_disorder));
    return lines;
}

}  // namespace tilewise
