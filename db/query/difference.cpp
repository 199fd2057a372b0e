#include "db/query/difference.h"
#include "db/facts/json.h"
#include "db/facts/sql.h"
#include "db/query/query.h"
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace tilewise::db {

namespace {

struct SeenImage {
    std::set<std::string> patterns;
    std::set<std::string> placements;
    std::set<int64_t> bytes;  ///< empty if nobody knows
};

using Images = std::map<Subresource, SeenImage>;

Images images_of(const Side& side, const SameOrigin& same) {
    const Condition condition = condition_of(side.db, side.filter);
    Statement rows(side.db.sqlite,
                   fmt::format("SELECT {}, {}, format, usage, flags, image_type, width, height, depth, levels, layers, "
                               "samples, level, layer, aspect, coalesce(pattern, result), "
                               "json_extract(layout, '$.stride') || ' ' || json_extract(layout, '$.base'), bytes "
                               "FROM observation JOIN device ON device.id = device JOIN driver ON driver.id = driver "
                               "WHERE {}",
                               "device.name", "trim(driver.name || ' ' || info)", condition.sql));
    bind(rows, condition);
    Images images;
    while (rows.step()) {
        int column = 0;
        Subresource of;
        for (std::string* text : {&of.device, &of.driver, &of.format, &of.usage, &of.flags})
            read_value(rows, column, "", *text);
        of.driver = same.driver_as(of.device, of.driver);
        if (!same.device) of.device.clear();
        try {
            read_value(rows, column, "image_type", of.image_type);
            read_value(rows, column, "extent", of.extent);
            for (uint32_t* number : {&of.levels, &of.layers, &of.samples, &of.level, &of.layer})
                read_value(rows, column, "levels, layers or samples", *number);
        } catch (const Error& error) {
            throw Error(fmt::format("{}: an observation cannot be read: {}", side.db.path, error.what()));
        }
        read_value(rows, column, "", of.aspect);
        SeenImage& seen = images[of];
        seen.patterns.insert(rows.text(column));
        seen.placements.insert(rows.text(column + 1));
        if (const int64_t bytes = rows.integer(column + 2); bytes != 0) seen.bytes.insert(bytes);
    }
    return images;
}

bool same_placement(const SeenImage& a, const SeenImage& b) {
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

auto about(const TuningFact& fact) { return std::tuple(fact.kernel, fact.format, fact.radius, fact.extent); }
auto about(const FigureFact& fact) { return std::tuple(fact.name, fact.format); }

bool is_same(const TuningFact& a, const TuningFact& b) {
    return std::tie(a.method, a.columns, a.shape, a.group_order) ==
           std::tie(b.method, b.columns, b.shape, b.group_order);
}

bool is_same(const FigureFact& a, const FigureFact& b) {
    if (a.interval[1] == 0 || b.interval[1] == 0) return a.value == b.value;
    return a.interval[0] <= b.interval[1] && b.interval[0] <= a.interval[1];
}

/// The newest facts by subject; if device and driver must be the same, these are part of the subject.
template <typename Fact>
auto newest_of(const Side& side, FactTable table, const SameOrigin& same) {
    const Condition condition = condition_of(side.db, side.filter, table);
    Statement rows(side.db.sqlite,
                   fmt::format("{}WHERE {} ORDER BY {}", select_sql<Fact>(), condition.sql, Fact::row_order));
    bind(rows, condition);
    std::map<std::tuple<std::string, std::string, decltype(about(Fact{}))>, Stored<Fact>> newest;
    for (Stored<Fact>& row : read_all_stored<Fact>(rows)) {
        const std::tuple key(same.device ? row.device.name : "", same.driver_as(row.device.name, driver_of(row.driver)),
                             about(row.fact));
        const auto known = newest.find(key);
        if (known == newest.end() || known->second.fact.time <= row.fact.time)
            newest.insert_or_assign(key, std::move(row));
    }
    return newest;
}

template <typename Fact>
FactDifference<Fact> fact_difference(const Side& a, const Side& b, FactTable table, const SameOrigin& same) {
    FactDifference<Fact> difference;
    auto of_b = newest_of<Fact>(b, table, same);
    for (auto& [key, row] : newest_of<Fact>(a, table, same)) {
        const auto other = of_b.find(key);
        if (other == of_b.end()) {
            difference.only_a.push_back(row);
            continue;
        }
        if (is_same(row.fact, other->second.fact))
            difference.same++;
        else
            difference.other.push_back({row, other->second});
        of_b.erase(other);
    }
    for (auto& [key, row] : of_b) difference.only_b.push_back(row);
    return difference;
}

template <typename Fact>
nlohmann::ordered_json fact_json(const Stored<Fact>& row) {
    nlohmann::ordered_json json = {{"device", row.device.name}, {"driver", driver_of(row.driver)}};
    json.update(members_json(row.fact));
    return json;
}

/// `other` is the JSON name for the pairs.
template <typename Fact>
nlohmann::ordered_json difference_json(const FactDifference<Fact>& difference, const char* other) {
    nlohmann::ordered_json pairs = nlohmann::ordered_json::array(), only_a = pairs, only_b = pairs;
    for (const auto& pair : difference.other) pairs.push_back({{"a", fact_json(pair.a)}, {"b", fact_json(pair.b)}});
    for (const Stored<Fact>& row : difference.only_a) only_a.push_back(fact_json(row));
    for (const Stored<Fact>& row : difference.only_b) only_b.push_back(fact_json(row));
    return {{"same", difference.same}, {other, pairs}, {"only_a", only_a}, {"only_b", only_b}};
}

}  // namespace

std::string SameOrigin::driver_as(const std::string& device_name, const std::string& driver_name) const {
    if (!driver) return "";
    const auto compared = versions.find({device_name, driver_name});
    return compared == versions.end() ? driver_name : compared->second;
}

std::vector<VersionPair> versions_to_compare(const Side& a, const Side& b) {
    // The versions for each device and driver name, the first-seen ones first.
    using Versions = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;
    const auto versions_of = [](const Side& side) {
        Versions versions;
        for (const auto& [device, driver] : origins_of(side.db, side.filter)) {
            std::vector<std::string>& list = versions[{device.name, driver.name}];
            const std::string version = driver_of(driver);
            if (std::ranges::find(list, version) == list.end()) list.push_back(version);
        }
        return versions;
    };
    Versions of_a = versions_of(a), of_b = versions_of(b);
    std::vector<VersionPair> pairs;
    for (auto& [driver, in_a] : of_a) {
        const auto other = of_b.find(driver);
        if (other == of_b.end()) continue;
        std::vector<std::string> in_b = other->second;
        std::erase_if(
            in_b, [&, &known = in_a](const std::string& version) { return std::ranges::count(known, version) > 0; });
        std::erase_if(in_a, [&](const std::string& version) { return std::ranges::count(other->second, version) > 0; });
        if (!in_a.empty() && !in_b.empty()) pairs.push_back({driver.first, in_a.back(), in_b.back()});
    }
    return pairs;
}

std::map<std::pair<std::string, std::string>, std::string> compared_as_one(const std::vector<VersionPair>& versions) {
    std::map<std::pair<std::string, std::string>, std::string> names;
    for (const VersionPair& pair : versions)
        names[{pair.device, pair.a}] = names[{pair.device, pair.b}] = pair.a + ", " + pair.b;
    return names;
}

Difference difference_between(const Side& a, const Side& b, const SameOrigin& same) {
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

TuningDifference tuning_difference(const Side& a, const Side& b, const SameOrigin& same) {
    return fact_difference<TuningFact>(a, b, FactTable::tuning, same);
}
nlohmann::ordered_json to_json(const TuningDifference& difference) {
    return difference_json(difference, "other_order");
}

FigureDifference figure_difference(const Side& a, const Side& b, const SameOrigin& same) {
    return fact_difference<FigureFact>(a, b, FactTable::figure, same);
}
nlohmann::ordered_json to_json(const FigureDifference& difference) {
    return difference_json(difference, "other_value");
}

}  // namespace tilewise::db
