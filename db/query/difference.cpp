#include "db/query/difference.h"
#include "db/facts/json.h"
#include "db/facts/sql.h"
#include <map>
#include <tuple>
#include <utility>

namespace tilewise::db {

namespace {

struct Seen {
    std::set<std::string> patterns;
    std::set<std::string> placements;
    std::set<int64_t> bytes;  ///< none where nobody knows
};

using Images = std::map<Subresource, Seen>;

Images images_of(const Side& side, SameOrigin same) {
    const Condition condition = condition_of(side.db, side.filter);
    Statement rows(side.db.sqlite,
                   fmt::format("SELECT {}, {}, format, usage, flags, image_type, width, height, depth, levels, layers, "
                               "samples, level, layer, aspect, coalesce(pattern, result), "
                               "json_extract(layout, '$.stride') || ' ' || json_extract(layout, '$.base'), bytes "
                               "FROM observation JOIN device ON device.id = device JOIN driver ON driver.id = driver "
                               "WHERE {}",
                               same.device ? "device.name" : "''",
                               same.driver ? "trim(driver.name || ' ' || info)" : "''", condition.sql));
    bind(rows, condition);
    Images images;
    while (rows.step()) {
        int column = 0;
        Subresource of;
        for (std::string* text : {&of.device, &of.driver, &of.format, &of.usage, &of.flags, &of.image_type})
            read_value(rows, column, "", *text);
        try {
            read_value(rows, column, "extent", of.extent);
            for (uint32_t* number : {&of.levels, &of.layers, &of.samples, &of.level, &of.layer})
                read_value(rows, column, "levels, layers or samples", *number);
        } catch (const Error& error) {
            throw Error(fmt::format("{}: an observation cannot be read: {}", side.db.path, error.what()));
        }
        read_value(rows, column, "", of.aspect);
        Seen& seen = images[of];
        seen.patterns.insert(rows.text(column));
        seen.placements.insert(rows.text(column + 1));
        if (const int64_t bytes = rows.integer(column + 2); bytes != 0) seen.bytes.insert(bytes);
    }
    return images;
}

bool same_placement(const Seen& a, const Seen& b) {
    return a.placements == b.placements && (a.bytes == b.bytes || a.bytes.empty() || b.bytes.empty());
}

nlohmann::ordered_json to_json(const std::vector<SubresourcePair>& pairs) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& [of, a, b] : pairs) {
        nlohmann::ordered_json json;
        if (!of.device.empty()) json["device"] = of.device;
        if (!of.driver.empty()) json["driver"] = of.driver;
        json.update({{"format", of.format},
                     {"usage", of.usage},
                     {"flags", of.flags},
                     {"image_type", of.image_type},
                     {"extent", of.extent},
                     {"levels", of.levels},
                     {"layers", of.layers},
                     {"samples", of.samples},
                     {"level", of.level},
                     {"layer", of.layer},
                     {"aspect", of.aspect},
                     {"a", a},
                     {"b", b}});
        list.push_back(std::move(json));
    }
    return list;
}

std::string driver_of(const DriverFact& driver) {
    return driver.info.empty() ? driver.name : driver.name + " " + driver.info;
}

/// The newest, by what was tuned, where the device and driver are to be the same: on these.
using Tuned = std::tuple<std::string, std::string, std::string, std::string, uint32_t, std::array<uint32_t, 2>>;
std::map<Tuned, TuningRow> tunings_of(const Side& side, SameOrigin same) {
    const Condition condition = condition_of(side.db, side.filter, Of::tuning);
    Statement rows(side.db.sqlite, fmt::format("{}WHERE {} ORDER BY {}", select_sql<TuningFact>(), condition.sql,
                                               TuningFact::row_order));
    bind(rows, condition);
    std::map<Tuned, TuningRow> newest;
    for (TuningRow& row : read_all_stored<TuningFact>(rows)) {  // the newest come last
        const TuningFact& fact = row.fact;
        newest[{same.device ? row.device.name : "", same.driver ? driver_of(row.driver) : "", fact.kernel, fact.format,
                fact.radius, fact.extent}] = std::move(row);
    }
    return newest;
}

bool is_same_order(const TuningFact& a, const TuningFact& b) {
    return std::tie(a.method, a.columns, a.shape, a.group_order) ==
           std::tie(b.method, b.columns, b.shape, b.group_order);
}

nlohmann::ordered_json tuning_json(const TuningRow& row) {
    nlohmann::ordered_json json = {{"device", row.device.name}, {"driver", driver_of(row.driver)}};
    json.update(members_json(row.fact));
    return json;
}

nlohmann::ordered_json to_json(const std::vector<TuningRow>& rows) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const TuningRow& row : rows) list.push_back(tuning_json(row));
    return list;
}

}  // namespace

Difference difference_between(const Side& a, const Side& b, SameOrigin same) {
    const Images of_a = images_of(a, same);
    Images of_b = images_of(b, same);
    Difference difference;
    difference.subresources_a = of_a.size();
    difference.subresources_b = of_b.size();
    for (const auto& [image, seen] : of_a) {
        const auto other = of_b.find(image);
        if (other == of_b.end()) {
            difference.only_a.push_back({image, seen.patterns, {}});
            continue;
        }
        if (seen.patterns != other->second.patterns)
            difference.other_pattern.push_back({image, seen.patterns, other->second.patterns});
        else if (!same_placement(seen, other->second))
            difference.other_placement.push_back({image, seen.patterns, other->second.patterns});
        else
            difference.same++;
        of_b.erase(other);
    }
    for (const auto& [image, seen] : of_b) difference.only_b.push_back({image, {}, seen.patterns});
    return difference;
}

nlohmann::ordered_json to_json(const Difference& difference) {
    return {{"subresources_a", difference.subresources_a},
            {"subresources_b", difference.subresources_b},
            {"same", difference.same},
            {"other_pattern", to_json(difference.other_pattern)},
            {"other_placement", to_json(difference.other_placement)},
            {"only_a", to_json(difference.only_a)},
            {"only_b", to_json(difference.only_b)}};
}

TuningDifference tuning_difference(const Side& a, const Side& b, SameOrigin same) {
    TuningDifference difference;
    std::map<Tuned, TuningRow> of_b = tunings_of(b, same);
    for (auto& [tuned, row] : tunings_of(a, same)) {
        const auto other = of_b.find(tuned);
        if (other == of_b.end()) {
            difference.only_a.push_back(row);
            continue;
        }
        if (is_same_order(row.fact, other->second.fact))
            difference.same++;
        else
            difference.other_order.push_back({row, other->second});
        of_b.erase(other);
    }
    for (auto& [tuned, row] : of_b) difference.only_b.push_back(row);
    return difference;
}

nlohmann::ordered_json to_json(const TuningDifference& difference) {
    nlohmann::ordered_json pairs = nlohmann::ordered_json::array();
    for (const TuningPair& pair : difference.other_order)
        pairs.push_back({{"a", tuning_json(pair.a)}, {"b", tuning_json(pair.b)}});
    return {{"same", difference.same},
            {"other_order", pairs},
            {"only_a", to_json(difference.only_a)},
            {"only_b", to_json(difference.only_b)}};
}

}  // namespace tilewise::db
