#include "db/query/contradiction.h"
#include <map>

namespace tilewise::db {

namespace {

constexpr size_t max_contradictions = 10'000;

void require_few(size_t count) {
    if (count > max_contradictions)
        throw Error(
            fmt::format("there are more than {} contradictions: these facts are no measurements", max_contradictions));
}

/// "NVIDIA H100 (NVIDIA 580.159.04)"
std::string device_text(const DeviceFact& device, const DriverFact& driver) {
    std::string text = driver.name;
    for (const std::string& part : {driver.info, driver.info.empty() ? driver.version : std::string()})
        if (!part.empty()) text += (text.empty() ? "" : " ") + part;
    return text.empty() ? device.name : fmt::format("{} ({})", device.name, text);
}

std::string contradiction_text(const ObservationRow& first, const ObservationRow& second) {
    const ObservationFact& fact = first.fact;
    return fmt::format("{} {} for {}, level {} layer {}, by {} on {}: pattern {} on {}, pattern {} on {}", fact.format,
                       extent_text(fact.extent), fact.usage.empty() ? "any usage" : fact.usage, fact.level, fact.layer,
                       fact.route, device_text(first.device, first.driver), first.pattern, first.fact.time,
                       second.pattern, second.fact.time);
}

}  // namespace

std::vector<Contradiction> find_contradictions(const Database& db) {
    // Two boards of one model, and one driver installed twice, differ in their UUIDs alone: those are left out.
    Statement pairs(db.sqlite, R"sql(
        WITH fact AS MATERIALIZED (
            SELECT min(observation.id) AS row, pattern, json_array(
                vendor_id, device_id, device.name, driver.name, info, version,
                format, usage, flags, image_type, width, height, depth, levels, layers, samples, level, layer, aspect, route
            ) AS image
            FROM observation JOIN device ON device.id = device JOIN driver ON driver.id = driver
            WHERE pattern IS NOT NULL GROUP BY image, pattern)
        SELECT a.row, b.row FROM fact AS a JOIN fact AS b ON a.image = b.image AND a.row < b.row
        ORDER BY a.row, b.row)sql");
    std::vector<Contradiction> list;
    while (pairs.step()) {
        Contradiction contradiction{observation_at(db, pairs.integer(0)), observation_at(db, pairs.integer(1)), {}};
        contradiction.text = contradiction_text(contradiction.first, contradiction.second);
        list.push_back(std::move(contradiction));
        require_few(list.size());
    }
    return list;
}

std::vector<LaneContradiction> find_lane_contradictions(const Database& db) {
    std::map<std::string, std::vector<LaneOrderRow>> by_subject;
    for (LaneOrderRow& row : find_facts<LaneOrderFact>(db)) {
        const nlohmann::json subject = {row.device.vendor_id, row.device.device_id, row.device.name,   row.driver.name,
                                        row.driver.info,      row.driver.version,   row.fact.built_in, row.fact.shape};
        by_subject[subject.dump()].push_back(std::move(row));
    }
    std::vector<LaneContradiction> list;
    for (const auto& [subject, rows] : by_subject)
        for (size_t second = 0; second < rows.size(); ++second)
            for (size_t first = 0; first < second; ++first) {
                const LaneOrderRow &a = rows[first], &b = rows[second];
                if (a.fact.matrix == b.fact.matrix && a.fact.subgroup_size == b.fact.subgroup_size) continue;
                list.push_back(
                    {a, b,
                     fmt::format("lane order of {} by {} on {}: {} (subgroups of {}) on {}, {} (of {}) on {}",
                                 fmt::join(a.fact.shape, "x"), a.fact.built_in, device_text(a.device, a.driver),
                                 lane_order_text(a.fact), a.fact.subgroup_size, a.fact.time, lane_order_text(b.fact),
                                 b.fact.subgroup_size, b.fact.time)});
                require_few(list.size());
            }
    return list;
}

}  // namespace tilewise::db
