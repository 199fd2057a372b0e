#include "db/query/query.h"
#include "db/facts/json.h"
#include "db/facts/pattern.h"
#include "patterns/model/error.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/text.h"
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
        db.sqlite, fmt::format("{} WHERE {} ORDER BY time, observation.id", select_observations(), filter_condition));
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
    summary.layout = layout_from_text(pattern.text(1), "pattern " + id);
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

bool is_part_of_a_device_name(const Database& db, const std::string& text) {
    Statement statement(db.sqlite, "SELECT 1 FROM device WHERE instr(lower(name), ?1)");
    return statement.bind(to_lower(text)).step();
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

}  // namespace tilewise::db
