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

std::array<uint32_t, 3> read_extent(const Statement& row, int column) {
    std::array<uint32_t, 3> extent{};
    try {
        read_value(row, column, "extent", extent);
    } catch (const Error& error) {
        throw Error(fmt::format("an {} cannot be read: {}", ObservationFact::title, error.what()));
    }
    return extent;
}

/// Devices and drivers by their rows, each read once.
class Origins {
public:
    explicit Origins(const Database& db)
        : devices_(db.sqlite, select<DeviceFact>()), drivers_(db.sqlite, select<DriverFact>()) {}
    const DeviceFact& device(int64_t row) { return read(devices_, known_devices_, row); }
    const DriverFact& driver(int64_t row) { return read(drivers_, known_drivers_, row); }

private:
    template <typename Fact>
    static std::string select() {
        return fmt::format("SELECT {} FROM {} WHERE id = ?", qualified_columns<Fact>(), Fact::table);
    }
    template <typename Fact>
    static const Fact& read(Statement& statement, std::map<int64_t, Fact>& known, int64_t row) {
        const auto found = known.find(row);
        if (found != known.end()) return found->second;
        if (!statement.bind(row).step()) throw Error(fmt::format("{} {} is not there", Fact::table, row));
        int column = 0;
        return known.emplace(row, read_fact<Fact>(statement, column)).first->second;
    }

    Statement devices_, drivers_;
    std::map<int64_t, DeviceFact> known_devices_;
    std::map<int64_t, DriverFact> known_drivers_;
};

/// When something was first seen, and by which row: the order of what is listed.
using First = std::pair<std::string, int64_t>;

/// Of one device with one driver.
struct Use {
    uint64_t observations = 0;
    First first;
    std::map<std::string, First> provenance;
};

/// Of a pattern, by the rows of device and driver.
struct Uses {
    std::map<std::pair<int64_t, int64_t>, Use> by_origin;

    void add(const Statement& row, int column) {
        Use& use = by_origin[{row.integer(column), row.integer(column + 1)}];
        const First first = {row.text(column + 4), row.integer(column + 5)};
        use.first = use.observations == 0 ? first : std::min(use.first, first);
        use.observations += static_cast<uint64_t>(row.integer(column + 3));
        const auto [known, is_new] = use.provenance.emplace(row.text(column + 2), first);
        if (!is_new) known->second = std::min(known->second, first);
    }
    static constexpr std::string_view columns = "device, driver, provenance, count(*), min(time), min(id)";
    static constexpr int column_count = 6;
};

/// Oldest first.
std::vector<DeviceUse> listed(const Uses& uses, Origins& origins) {
    std::vector<std::pair<First, DeviceUse>> ordered;
    for (const auto& [origin, use] : uses.by_origin) {
        std::vector<std::pair<First, std::string>> provenance;
        for (const auto& [name, first] : use.provenance) provenance.emplace_back(first, name);
        std::ranges::sort(provenance);
        DeviceUse listed{origins.device(origin.first), origins.driver(origin.second), {}, use.observations};
        for (auto& [first, name] : provenance) listed.provenance.push_back(std::move(name));
        ordered.emplace_back(use.first, std::move(listed));
    }
    std::ranges::stable_sort(ordered, {}, &std::pair<First, DeviceUse>::first);
    std::vector<DeviceUse> list;
    list.reserve(ordered.size());
    for (auto& [first, use] : ordered) list.push_back(std::move(use));
    return list;
}

std::vector<std::string> listed(const std::set<std::string>& names) { return {names.begin(), names.end()}; }

/// What the matching observations of one pattern say; sets keep each name once, and sorted.
struct Gathered {
    uint64_t observations = 0;
    Uses uses;
    std::set<std::string> formats, usages, routes;
    std::set<std::array<uint32_t, 3>> extents;
    std::string first_time, last_time;
};

/// By the patterns' ids. Grouped in the order of an index, observation_by_format, which has all that is asked for.
std::map<std::string, Gathered> gather(const Database& db, const Filter& filter) {
    const Condition condition = condition_of(db, filter);
    Statement rows(
        db.sqlite,
        fmt::format("SELECT pattern, {}, max(time), format, usage, route, width, height, depth "
                    "FROM observation WHERE {} AND pattern IS NOT NULL GROUP BY format COLLATE NOCASE, pattern, "
                    "device, driver, provenance, usage, route, width, height, depth",
                    Uses::columns, condition.sql));
    bind(rows, condition);
    std::map<std::string, Gathered> found;
    while (rows.step()) {
        Gathered& gathered = found[rows.text(0)];
        gathered.uses.add(rows, 1);
        gathered.observations += static_cast<uint64_t>(rows.integer(4));
        if (const std::string first = rows.text(5); gathered.first_time.empty() || first < gathered.first_time)
            gathered.first_time = first;
        constexpr int others = 1 + Uses::column_count;
        gathered.last_time = std::max(gathered.last_time, rows.text(others));
        gathered.formats.insert(rows.text(others + 1));
        gathered.usages.insert(rows.text(others + 2));
        gathered.routes.insert(rows.text(others + 3));
        gathered.extents.insert(read_extent(rows, others + 4));
    }
    return found;
}

PatternSummary summary_of(const Database& db, const std::string& id, const Gathered& gathered, Origins& origins) {
    Statement pattern(db.sqlite, "SELECT title, layout FROM pattern WHERE id = ?");
    if (!pattern.bind(id).step()) throw Error(fmt::format("{}: has no pattern {}", db.path, id));
    PatternSummary summary;
    summary.id = id;
    summary.title = pattern.text(0);
    summary.layout = layout_from_text(pattern.text(1), "pattern " + id);
    summary.observations = gathered.observations;
    summary.formats = listed(gathered.formats);
    summary.usages = listed(gathered.usages);
    summary.routes = listed(gathered.routes);
    for (const auto& extent : gathered.extents) summary.extents.push_back(extent_text(extent));
    summary.first_time = gathered.first_time;
    summary.last_time = gathered.last_time;
    summary.devices = listed(gathered.uses, origins);

    Statement rows(
        db.sqlite,
        fmt::format("SELECT {} FROM observation WHERE pattern = ? GROUP BY device, driver, provenance", Uses::columns));
    rows.bind(id);
    Uses others;
    while (rows.step()) others.add(rows, 0);
    for (const auto& [origin, use] : gathered.uses.by_origin) others.by_origin.erase(origin);
    summary.also_devices = listed(others, origins);
    return summary;
}

}  // namespace

std::vector<ObservationRow> find_observations(const Database& db, const Filter& filter) {
    const Condition condition = condition_of(db, filter);
    Statement statement(db.sqlite,
                        fmt::format("{} WHERE {} ORDER BY time, observation.id", select_observations(), condition.sql));
    bind(statement, condition);
    ObservationReader reader(db);
    std::vector<ObservationRow> rows;
    while (statement.step()) rows.push_back(reader.read(statement));
    return rows;
}

std::vector<PatternSummary> find_patterns(const Database& db, const Filter& filter) {
    Origins origins(db);
    std::vector<PatternSummary> summaries;
    for (const auto& [id, gathered] : gather(db, filter)) summaries.push_back(summary_of(db, id, gathered, origins));
    std::ranges::stable_sort(summaries, std::greater(), &PatternSummary::observations);
    return summaries;
}

PatternSummary pattern_summary(const Database& db, const std::string& id) {
    Origins origins(db);
    Filter filter;
    filter.pattern = id;
    return summary_of(db, id, gather(db, filter)[id], origins);
}

bool is_part_of_a_device_name(const Database& db, const std::string& text) {
    Statement statement(db.sqlite, "SELECT 1 FROM device WHERE instr(lower(name), ?1)");
    return statement.bind(to_lower(text)).step();
}

std::vector<DriverFact> drivers_of(const Database& db, const std::vector<int64_t>& devices) {
    Statement rows(db.sqlite,
                   fmt::format("SELECT DISTINCT name, info, version FROM driver WHERE id IN (SELECT driver FROM "
                               "observation WHERE device IN ({})) ORDER BY name, info",
                               fmt::join(devices, ",")));
    std::vector<DriverFact> drivers;
    while (rows.step()) drivers.push_back({.name = rows.text(0), .info = rows.text(1), .version = rows.text(2)});
    return drivers;
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
