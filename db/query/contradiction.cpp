#include "db/bundle/bundle.h"
#include "db/facts/rows.h"
#include <fmt/format.h>

namespace tilewise::db {

namespace {

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
                format, usage, image_type, width, height, depth, levels, layers, samples, level, layer, aspect, route
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
    }
    return list;
}

}  // namespace tilewise::db
