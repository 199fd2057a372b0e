#include "db/bundle/bundle.h"
#include "db/bundle/members.h"
#include "db/facts/rows.h"
#include "patterns/model/layout_json.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace tilewise::db {

namespace {

using Json = nlohmann::ordered_json;

// What has to be merged into `from` (RFC 7396) to get `to`.
Json merge_patch_between(const Json& from, const Json& to) {
    Json patch = Json::object();
    for (const auto& [key, value] : from.items())
        if (!to.contains(key)) patch[key] = nullptr;
    for (const auto& [key, value] : to.items()) {
        const bool known = from.contains(key);
        if (known && from[key] == value) continue;
        const bool both_objects = known && value.is_object() && from[key].is_object();
        patch[key] = both_objects ? merge_patch_between(from[key], value) : value;
    }
    return patch;
}

template <typename Fact>
auto member_writer(Json& json, const Fact& fact) {
    return [&json, &fact](const char* name, auto member, Presence presence) {
        const auto& value = fact.*member;
        if (presence == Presence::optional && value == Fact{}.*member) return;
        json[name] = value;
    };
}

Json device_json(const DeviceFact& device) {
    Json json;
    each_device_member(member_writer(json, device));
    json["vendor_id"] = fmt::format("{:#06x}", device.vendor_id);
    json["device_id"] = fmt::format("{:#06x}", device.device_id);
    return json;
}

Json driver_json(const DriverFact& driver) {
    Json json;
    each_driver_member(member_writer(json, driver));
    return json;
}

// Position of the fact among those written so far; it is added if it is not there.
template <typename Fact>
size_t position_of(std::vector<Fact>& facts, const Fact& fact) {
    const auto found = std::ranges::find(facts, fact);
    if (found != facts.end()) return static_cast<size_t>(found - facts.begin());
    facts.push_back(fact);
    return facts.size() - 1;
}

void append_array(std::string& text, const char* name, const std::vector<Json>& items) {
    text += fmt::format(",\n\"{}\": [", name);
    const char* separator = "\n";
    for (const Json& item : items) {
        text += separator + item.dump(-1, ' ', false, Json::error_handler_t::replace);
        separator = ",\n";
    }
    text += items.empty() ? "]" : "\n]";
}

std::vector<Json> disagreements_between(const Database& db, const std::map<int64_t, size_t>& exported) {
    std::vector<Json> list;
    for (const DisagreementRow& row : find_disagreements(db)) {
        const auto first = exported.find(row.fact.first), second = exported.find(row.fact.second);
        if (first == exported.end() || second == exported.end()) continue;
        const auto offset = [](const std::optional<uint64_t>& bytes) { return bytes ? Json(*bytes) : Json(nullptr); };
        list.push_back({{"first", first->second},
                        {"second", second->second},
                        {"differing", row.fact.differing},
                        {"element", row.fact.element},
                        {"first_offset", offset(row.fact.first_offset)},
                        {"second_offset", offset(row.fact.second_offset)},
                        {"text", row.fact.text}});
    }
    return list;
}

/// The facts of rows whose device and driver are listed; with `all` the others too, which are then added to the lists.
template <typename Row, typename Write>
std::vector<Json> facts_of_origins(const std::vector<Row>& rows, bool all, std::vector<DeviceFact>& devices,
                                   std::vector<DriverFact>& drivers, Write write) {
    std::vector<Json> list;
    for (const Row& row : rows) {
        const bool listed = std::ranges::find(devices, row.device) != devices.end() &&
                            std::ranges::find(drivers, row.driver) != drivers.end();
        if (!listed && !all) continue;
        Json json = {{"device", position_of(devices, row.device)}, {"driver", position_of(drivers, row.driver)}};
        write(json, row.fact);
        list.push_back(std::move(json));
    }
    return list;
}

void write_lane_order(Json& json, const LaneOrderFact& fact) {
    each_lane_order_member(member_writer(json, fact));
    if (fact.matrix) json["matrix"] = lane_names(*fact.matrix);
}

void write_start_order(Json& json, const StartOrderFact& fact) {
    each_start_order_member(member_writer(json, fact));
    json["statistics"] = fact.statistics;
}

void write_validation(Json& json, const ValidationFact& fact) { each_validation_member(member_writer(json, fact)); }

}  // namespace

std::string export_bundle(const Database& db, const Filter& filter) {
    std::vector<DeviceFact> devices;
    std::vector<DriverFact> drivers;
    std::map<std::string, Json> patterns;
    std::vector<Json> observations;
    std::map<int64_t, size_t> exported;

    // One snapshot: what another process adds in between must not be referred to.
    execute(db.sqlite, "SAVEPOINT bundle");
    Statement rows(db.sqlite, fmt::format("{} WHERE {} {}", select_observations, filter_condition, order_by_fact));
    bind_filter(rows, filter);
    Statement pattern_layout(db.sqlite, "SELECT layout FROM pattern WHERE id = ?");
    while (rows.step()) {
        const ObservationRow row = read_observation(rows);
        Json json = {{"device", position_of(devices, row.device)}, {"driver", position_of(drivers, row.driver)}};
        each_observation_member(member_writer(json, row.fact));
        if (row.fact.layout) {
            auto known = patterns.find(row.pattern);
            if (known == patterns.end()) {
                pattern_layout.bind(row.pattern).step();
                known = patterns.emplace(row.pattern, Json::parse(pattern_layout.text(0))).first;
            }
            json["pattern"] = row.pattern;
            json["layout"] = merge_patch_between(known->second, tilewise::to_json(*row.fact.layout));
        }
        exported[row.row] = observations.size();
        observations.push_back(std::move(json));
    }
    const std::vector<Json> disagreements = disagreements_between(db, exported);
    const bool all = filter == Filter{};
    const std::vector<Json> lanes = facts_of_origins(find_lane_orders(db), all, devices, drivers, write_lane_order);
    const std::vector<Json> starts = facts_of_origins(find_start_orders(db), all, devices, drivers, write_start_order);
    const std::vector<Json> validations =
        facts_of_origins(find_validations(db), all, devices, drivers, write_validation);
    execute(db.sqlite, "RELEASE bundle");

    std::vector<Json> device_list, driver_list, pattern_list;
    for (const DeviceFact& device : devices) device_list.push_back(device_json(device));
    for (const DriverFact& driver : drivers) driver_list.push_back(driver_json(driver));
    for (const auto& [id, layout] : patterns) pattern_list.push_back({{"id", id}, {"layout", layout}});

    std::string text = "{\n\"format\": \"tilewise-bundle\",\n\"version\": 1";
    append_array(text, "devices", device_list);
    append_array(text, "drivers", driver_list);
    append_array(text, "patterns", pattern_list);
    append_array(text, "observations", observations);
    append_array(text, "disagreements", disagreements);
    if (!lanes.empty()) append_array(text, "lane_orders", lanes);
    if (!starts.empty()) append_array(text, "start_orders", starts);
    if (!validations.empty()) append_array(text, "validations", validations);
    return text + "\n}\n";
}

}  // namespace tilewise::db
