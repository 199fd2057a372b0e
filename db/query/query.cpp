#include "db/query/query.h"
#include "db/facts/facts.h"
#include "db/facts/rows.h"
#include "patterns/model/error.h"
#include "patterns/model/layout_json.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace tilewise::db {

namespace {

// What is gathered while the observations of one pattern pass by; sets keep each name once, and sorted.
struct Gathered {
    uint64_t observations = 0;
    std::vector<DeviceUse> devices;
    std::set<std::string> formats, usages, routes;
    std::set<std::array<uint32_t, 3>> extents;
    std::string first_time, last_time;
};

void add_use(std::vector<DeviceUse>& uses, const ObservationRow& row) {
    auto use = std::ranges::find_if(
        uses, [&](const DeviceUse& u) { return u.device == row.device && u.driver == row.driver; });
    if (use == uses.end())
        use = uses.insert(uses.end(), DeviceUse{.device = row.device, .driver = row.driver, .provenance = {}});
    ++use->observations;
    if (std::ranges::find(use->provenance, row.fact.provenance) == use->provenance.end())
        use->provenance.push_back(row.fact.provenance);
}

void gather(Gathered& gathered, const ObservationRow& row) {
    ++gathered.observations;
    add_use(gathered.devices, row);
    gathered.formats.insert(row.fact.format);
    gathered.usages.insert(row.fact.usage);
    gathered.routes.insert(row.fact.route);
    gathered.extents.insert(row.fact.extent);
    if (gathered.first_time.empty() || row.fact.time < gathered.first_time) gathered.first_time = row.fact.time;
    gathered.last_time = std::max(gathered.last_time, row.fact.time);
}

std::vector<ObservationRow> rows_matching(const Database& db, const Filter& filter, Layouts layouts) {
    Statement statement(
        db.sqlite, fmt::format("{} WHERE {} ORDER BY time, observation.id", select_observations, filter_condition));
    bind_filter(statement, filter);
    std::vector<ObservationRow> rows;
    while (statement.step()) rows.push_back(read_observation(statement, layouts));
    return rows;
}

std::vector<std::string> listed(const std::set<std::string>& names) { return {names.begin(), names.end()}; }

PatternSummary summary_of(const Database& db, const std::string& id, Gathered gathered) {
    Statement pattern(db.sqlite, "SELECT title, layout FROM pattern WHERE id = ?");
    if (!pattern.bind(id).step()) throw Error(fmt::format("{}: has no pattern {}", db.path, id));
    PatternSummary summary;
    summary.id = id;
    summary.title = pattern.text(0);
    summary.layout = layout_from_text(pattern.text(1));
    summary.observations = gathered.observations;
    summary.devices = std::move(gathered.devices);
    summary.formats = listed(gathered.formats);
    summary.usages = listed(gathered.usages);
    summary.routes = listed(gathered.routes);
    for (const auto& extent : gathered.extents) summary.extents.push_back(extent_text(extent));
    summary.first_time = gathered.first_time;
    summary.last_time = gathered.last_time;

    Filter everyone;
    everyone.pattern = id;
    for (const ObservationRow& row : rows_matching(db, everyone, Layouts::skip)) {
        const auto listed_already = [&](const DeviceUse& use) {
            return use.device == row.device && use.driver == row.driver;
        };
        if (std::ranges::none_of(summary.devices, listed_already)) add_use(summary.also_devices, row);
    }
    return summary;
}

}  // namespace

std::vector<ObservationRow> find_observations(const Database& db, const Filter& filter) {
    return rows_matching(db, filter, Layouts::read);
}

std::vector<PatternSummary> find_patterns(const Database& db, const Filter& filter) {
    std::map<std::string, Gathered> found;
    for (const ObservationRow& row : rows_matching(db, filter, Layouts::skip))
        if (!row.pattern.empty()) gather(found[row.pattern], row);
    std::vector<PatternSummary> summaries;
    summaries.reserve(found.size());
    for (auto& [id, gathered] : found) summaries.push_back(summary_of(db, id, std::move(gathered)));
    std::ranges::stable_sort(summaries, std::greater(), &PatternSummary::observations);
    return summaries;
}

PatternSummary pattern_summary(const Database& db, const std::string& id) {
    Gathered gathered;
    Filter filter;
    filter.pattern = id;
    for (const ObservationRow& row : rows_matching(db, filter, Layouts::skip)) gather(gathered, row);
    return summary_of(db, id, std::move(gathered));
}

std::string resolve_pattern(const Database& db, std::string_view prefix) {
    Statement statement(db.sqlite, "SELECT id, title FROM pattern WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id");
    statement.bind(to_lower(prefix));
    std::vector<std::string> ids, choices;
    while (statement.step()) {
        ids.push_back(statement.text(0));
        choices.push_back(fmt::format("{} ({})", ids.back(), statement.text(1)));
    }
    if (prefix.empty() || ids.empty())
        throw Error(fmt::format("no pattern \"{}\" in {}: `tilewise query` lists the patterns", prefix, db.path));
    if (ids.size() == 1) return ids[0];
    constexpr size_t shown = 8;
    const size_t more = choices.size() > shown ? choices.size() - shown : 0;
    choices.resize(choices.size() - more);
    throw Error(fmt::format("pattern \"{}\" is ambiguous: {}{}", prefix, fmt::join(choices, ", "),
                            more ? fmt::format(" and {} more", more) : ""));
}

std::vector<DisagreementRow> find_disagreements(const Database& db) {
    Statement statement(db.sqlite,
                        "SELECT first, second, differing, x, y, z, s, first_offset, second_offset, text "
                        "FROM disagreement ORDER BY id");
    std::vector<DisagreementRow> rows;
    while (statement.step()) {
        DisagreementRow row;
        row.first = observation_at(db, statement.integer(0));
        row.second = observation_at(db, statement.integer(1));
        row.fact.first = statement.integer(0);
        row.fact.second = statement.integer(1);
        row.fact.differing = static_cast<uint64_t>(statement.integer(2));
        for (const Axis axis : all_axes)
            row.fact.element[axis] = static_cast<uint32_t>(statement.integer(3 + static_cast<int>(axis)));
        if (!statement.is_null(7)) row.fact.first_offset = static_cast<uint64_t>(statement.integer(7));
        if (!statement.is_null(8)) row.fact.second_offset = static_cast<uint64_t>(statement.integer(8));
        row.fact.text = statement.text(9);
        rows.push_back(std::move(row));
    }
    return rows;
}

nlohmann::ordered_json to_json(const DeviceFact& device) {
    return {{"vendor", vendor_name(device.vendor_id)},
            {"vendor_id", fmt::format("{:#06x}", device.vendor_id)},
            {"device_id", fmt::format("{:#06x}", device.device_id)},
            {"name", device.name},
            {"type", device.type},
            {"uuid", device.uuid}};
}

nlohmann::ordered_json to_json(const DriverFact& driver) {
    return {{"name", driver.name},
            {"info", driver.info},
            {"id", driver.id},
            {"version", driver.version},
            {"api_version", driver.api_version},
            {"uuid", driver.uuid},
            {"pipeline_uuid", driver.pipeline_uuid},
            {"tiling_layout_uuid", driver.tiling_layout_uuid}};
}

nlohmann::ordered_json to_json(const PatternSummary& summary) {
    const auto uses = [](const std::vector<DeviceUse>& list) {
        nlohmann::ordered_json array = nlohmann::ordered_json::array();
        for (const DeviceUse& use : list)
            array.push_back({{"device", to_json(use.device)},
                             {"driver", to_json(use.driver)},
                             {"provenance", use.provenance},
                             {"observations", use.observations}});
        return array;
    };
    return {{"id", summary.id},
            {"title", summary.title},
            {"observations", summary.observations},
            {"formats", summary.formats},
            {"usages", summary.usages},
            {"extents", summary.extents},
            {"routes", summary.routes},
            {"first_time", summary.first_time},
            {"last_time", summary.last_time},
            {"devices", uses(summary.devices)},
            {"also_devices", uses(summary.also_devices)},
            {"layout", tilewise::to_json(summary.layout)}};
}

nlohmann::ordered_json to_json(const ObservationRow& row) {
    const ObservationFact& fact = row.fact;
    nlohmann::ordered_json json = {{"device", to_json(row.device)},
                                   {"driver", to_json(row.driver)},
                                   {"format", fact.format},
                                   {"usage", fact.usage},
                                   {"image_type", fact.image_type},
                                   {"extent", fact.extent},
                                   {"levels", fact.levels},
                                   {"layers", fact.layers},
                                   {"samples", fact.samples},
                                   {"level", fact.level},
                                   {"layer", fact.layer},
                                   {"aspect", fact.aspect},
                                   {"route", fact.route},
                                   {"memory_type", fact.memory_type},
                                   {"memory_flags", fact.memory_flags},
                                   {"result", fact.result},
                                   {"reason", fact.reason},
                                   {"elements", fact.elements},
                                   {"mismatches", fact.mismatches},
                                   {"time", fact.time},
                                   {"tool_version", fact.tool_version},
                                   {"provenance", fact.provenance}};
    if (fact.layout) {
        json["pattern"] = row.pattern;
        json["layout"] = tilewise::to_json(*fact.layout);
    }
    return json;
}

}  // namespace tilewise::db
