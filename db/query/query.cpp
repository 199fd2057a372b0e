#include "db/query/query.h"
#include "db/facts/json.h"
#include "db/facts/pattern.h"
#include "db/facts/pattern_use.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace tilewise::db {

namespace {

/// Finds devices and drivers by their rows, reading each once.
class Origins {
public:
    explicit Origins(const Database& db)
        : devices_(db.sqlite, select<DeviceFact>()), drivers_(db.sqlite, select<DriverFact>()) {}
    std::shared_ptr<const DeviceFact> device(int64_t row) { return read(devices_, known_devices_, row); }
    std::shared_ptr<const DriverFact> driver(int64_t row) { return read(drivers_, known_drivers_, row); }

private:
    template <typename Fact>
    using FactsByRow = std::map<int64_t, std::shared_ptr<const Fact>>;
    template <typename Fact>
    static std::string select() {
        return fmt::format("SELECT {} FROM {} WHERE id = ?", qualified_columns<Fact>(), Fact::table);
    }
    template <typename Fact>
    static std::shared_ptr<const Fact> read(Statement& statement, FactsByRow<Fact>& known, int64_t row) {
        const auto found = known.find(row);
        if (found != known.end()) return found->second;
        if (!statement.bind(row).step()) throw Error(fmt::format("{} {} is not there", Fact::table, row));
        int column = 0;
        return known.emplace(row, std::make_shared<const Fact>(read_fact<Fact>(statement, column))).first->second;
    }

    Statement devices_, drivers_;
    FactsByRow<DeviceFact> known_devices_;
    FactsByRow<DriverFact> known_drivers_;
};

/// How one device with one driver uses a pattern.
struct Use {
    uint64_t observations = 0;
    Sighting first;
    std::vector<std::pair<std::string, Sighting>> provenance;  ///< each once
};

bool is_before(std::string_view time, int64_t row, const Sighting& other) {
    return std::pair(time, row) < std::pair<std::string_view, int64_t>(other.first, other.second);
}

/// All uses of a pattern, by the rows of device and driver.
struct Uses {
    std::map<std::pair<int64_t, int64_t>, Use> by_origin;

    void add(const Statement& row, int column) {
        Use& use = of({row.integer(column), row.integer(column + 1)});
        const std::string_view provenance = row.text_view(column + 2), time = row.text_view(column + 4);
        const int64_t id = row.integer(column + 5);
        if (use.observations == 0 || is_before(time, id, use.first)) use.first = Sighting(time, id);
        use.observations += static_cast<uint64_t>(row.integer(column + 3));
        const auto known = std::ranges::find(use.provenance, provenance, &std::pair<std::string, Sighting>::first);
        if (known == use.provenance.end())
            use.provenance.emplace_back(provenance, Sighting{time, id});
        else if (is_before(time, id, known->second))
            known->second = Sighting(time, id);
    }
    static constexpr std::string_view columns =
        "device, driver, provenance, observations, first_time, first_observation";
    static constexpr int column_count = 6;

private:
    /// Most rows come in this order.
    Use& of(const std::pair<int64_t, int64_t>& origin) {
        if (!by_origin.empty() && by_origin.rbegin()->first == origin) return by_origin.rbegin()->second;
        return by_origin.try_emplace(by_origin.end(), origin)->second;
    }
};

/// Oldest first.
std::vector<DeviceUse> listed(const Uses& uses, Origins& origins) {
    std::vector<const std::pair<const std::pair<int64_t, int64_t>, Use>*> ordered;
    ordered.reserve(uses.by_origin.size());
    for (const auto& use : uses.by_origin) ordered.push_back(&use);
    std::ranges::stable_sort(ordered, {}, [](const auto* use) -> const Sighting& { return use->second.first; });
    std::vector<DeviceUse> list;
    list.reserve(ordered.size());
    for (const auto* use : ordered) {
        std::vector<std::pair<Sighting, std::string>> provenance;
        for (const auto& [name, first] : use->second.provenance) provenance.emplace_back(first, name);
        std::ranges::sort(provenance);
        DeviceUse& listed = list.emplace_back(DeviceUse{
            origins.device(use->first.first), origins.driver(use->first.second), {}, use->second.observations});
        for (auto& [first, name] : provenance) listed.provenance.push_back(std::move(name));
    }
    return list;
}

using Names = std::set<std::string, std::less<>>;

void add_name(Names& names, std::string_view name) {
    if (!names.contains(name)) names.emplace(name);
}

/// The evidence for one pattern from the matching observations.
struct PatternEvidence {
    uint64_t observations = 0;
    Uses uses;
    Names formats, usages, routes;
    std::vector<std::array<uint32_t, 3>> extents;  ///< with repetitions
    std::string first_time, last_time;
};

using EvidenceByPattern = std::map<std::string, PatternEvidence, std::less<>>;

/// Returns whether the stored summary is enough, which it is unless the filter asks for a format or an extent;
/// otherwise observations are read, each as if it were a summary.
bool is_summed_up(const Filter& filter) { return filter.format.empty() && !filter.extent && filter.result.empty(); }

std::string rows_to_gather(const Filter& filter, const Condition& condition) {
    constexpr std::string_view of_observations =
        "device, driver, provenance, 1, time, id, time, format, width || 'x' || height || 'x' || depth";
    return is_summed_up(filter)
               ? fmt::format("SELECT pattern, usage, route, {}, last_time, formats, extents FROM pattern_use WHERE {}",
                             Uses::columns, condition.sql)
               : fmt::format("SELECT pattern, usage, route, {} FROM observation WHERE {} AND pattern IS NOT NULL",
                             of_observations, condition.sql);
}

/// Gathers the evidence by pattern id.
EvidenceByPattern gather(const Database& db, const Filter& filter) {
    const Condition condition =
        condition_of(db, filter, is_summed_up(filter) ? FactTable::pattern_use : FactTable::observation);
    Statement rows(db.sqlite, rows_to_gather(filter, condition));
    bind(rows, condition);
    EvidenceByPattern found;
    auto place = found.end();
    while (rows.step()) {
        const std::string_view pattern = rows.text_view(0);
        if (place == found.end() || place->first != pattern) place = found.find(pattern);
        if (place == found.end()) place = found.emplace(pattern, PatternEvidence{}).first;
        PatternEvidence& gathered = place->second;
        add_name(gathered.usages, rows.text_view(1));
        add_name(gathered.routes, rows.text_view(2));
        constexpr int uses = 3, others = uses + Uses::column_count;
        gathered.uses.add(rows, uses);
        gathered.observations += static_cast<uint64_t>(rows.integer(uses + 3));
        if (const std::string_view first = rows.text_view(uses + 4);
            gathered.first_time.empty() || first < gathered.first_time)
            gathered.first_time = first;
        if (const std::string_view last = rows.text_view(others); last > gathered.last_time) gathered.last_time = last;
        each_format(rows.text_view(others + 1), [&](std::string_view format) { add_name(gathered.formats, format); });
        try {
            const std::vector<std::array<uint32_t, 3>> extents = extents_of(rows.text_view(others + 2));
            gathered.extents.insert(gathered.extents.end(), extents.begin(), extents.end());
        } catch (const Error& error) {
            throw Error(fmt::format("an {} cannot be read: {}", ObservationFact::title, error.what()));
        }
    }
    return found;
}

/// Turns the gathered evidence into summaries.
class Summaries {
public:
    explicit Summaries(const Database& db)
        : path_(db.path),
          origins_(db),
          pattern_(db.sqlite, "SELECT title, layout FROM pattern WHERE id = ?"),
          uses_(db.sqlite, fmt::format("SELECT {} FROM pattern_use WHERE pattern = ?", Uses::columns)) {}

    PatternSummary of(const std::string& id, PatternEvidence gathered) {
        if (!pattern_.bind(id).step()) throw Error(fmt::format("{}: has no pattern {}", path_, id));
        PatternSummary summary;
        summary.id = id;
        summary.title = pattern_.text(0);
        summary.layout = layout_from_text(pattern_.text(1), "pattern " + id);
        summary.observations = gathered.observations;
        summary.formats = {gathered.formats.begin(), gathered.formats.end()};
        summary.usages = {gathered.usages.begin(), gathered.usages.end()};
        summary.routes = {gathered.routes.begin(), gathered.routes.end()};
        summary.extents = std::move(gathered.extents);
        std::ranges::sort(summary.extents);
        summary.extents.erase(std::unique(summary.extents.begin(), summary.extents.end()), summary.extents.end());
        summary.first_time = gathered.first_time;
        summary.last_time = gathered.last_time;
        summary.devices = listed(gathered.uses, origins_);

        uses_.bind(id);
        Uses others;
        while (uses_.step())
            if (!gathered.uses.by_origin.contains({uses_.integer(0), uses_.integer(1)})) others.add(uses_, 0);
        summary.also_devices = listed(others, origins_);
        return summary;
    }

private:
    std::string path_;
    Origins origins_;
    Statement pattern_, uses_;
};

}  // namespace

uint64_t observation_count(const Database& db) {
    Statement count(db.sqlite, "SELECT count(*) FROM observation");
    return count.step() ? static_cast<uint64_t>(count.integer(0)) : 0;
}

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
    Summaries summaries_of(db);
    std::vector<PatternSummary> summaries;
    for (auto& [id, gathered] : gather(db, filter)) summaries.push_back(summaries_of.of(id, std::move(gathered)));
    std::ranges::stable_sort(summaries, std::greater(), &PatternSummary::observations);
    return summaries;
}

PatternSummary pattern_summary(const Database& db, const std::string& id) {
    Filter filter;
    filter.pattern = id;
    return Summaries(db).of(id, gather(db, filter)[id]);
}

bool is_part_of_a_device_name(const Database& db, const std::string& text) {
    Statement statement(db.sqlite, "SELECT 1 FROM device WHERE instr(lower(name), ?1)");
    return statement.bind(to_lower(text)).step();
}

std::vector<std::pair<DeviceFact, DriverFact>> origins_of(const Database& db, const Filter& filter) {
    Origins origins(db);
    std::vector<std::pair<DeviceFact, DriverFact>> found;
    std::set<std::pair<int64_t, int64_t>> seen;
    const auto add_from = [&](FactTable fact_table, const char* table) {
        const Condition condition = condition_of(db, filter, fact_table);
        Statement rows(db.sqlite, fmt::format("SELECT device, driver, min(time || printf(' %019d', id)) FROM {} "
                                              "WHERE {} GROUP BY device, driver ORDER BY 3",
                                              table, condition.sql));
        bind(rows, condition);
        while (rows.step())
            if (const std::pair row(rows.integer(0), rows.integer(1)); seen.insert(row).second)
                found.emplace_back(*origins.device(row.first), *origins.driver(row.second));
    };
    add_from(FactTable::observation, "observation");
    const bool asks_for_images = !filter.format.empty() || !filter.usage.empty() || filter.extent ||
                                 !filter.result.empty() || !filter.pattern.empty() || !filter.mode.empty();
    if (!asks_for_images) add_from(FactTable::rule, "rule");
    return found;
}

std::vector<ListedDevice> list_devices(const Database& db) {
    // A single row of the summary, which is small, shows for nearly every device that it has another provenance.
    constexpr std::string_view only_provenance =
        "CASE WHEN (SELECT provenance FROM pattern_use WHERE device = device.id LIMIT 1) NOT IN "
        "('published table', 'documented') THEN '' ELSE (SELECT CASE WHEN min(provenance) = max(provenance) THEN "
        "min(provenance) ELSE '' END FROM observation WHERE device = device.id) END";
    Statement rows(db.sqlite, fmt::format("SELECT id, {}, {} FROM device ORDER BY name, id",
                                          qualified_columns<DeviceFact>(), only_provenance));
    std::vector<ListedDevice> devices;
    while (rows.step()) {
        int column = 0;
        ListedDevice& device = devices.emplace_back();
        device.row = rows.integer(column++);
        device.fact = read_fact<DeviceFact>(rows, column);
        const std::string_view only = rows.text_view(column);
        device.published_only = only == "published table";
        device.documented_only = only == "documented";
    }
    return devices;
}

std::vector<DriverFact> drivers_of(const Database& db, const std::vector<int64_t>& devices) {
    Statement rows(db.sqlite,
                   fmt::format("SELECT DISTINCT name, info, version FROM driver WHERE id IN (SELECT driver FROM "
                               "observation WHERE device IN ({0}) UNION SELECT driver FROM rule WHERE device IN ({0})) "
                               "ORDER BY name, info",
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
            array.push_back({{"device", to_json(*use.device)},
                             {"driver", to_json(*use.driver)},
                             {"provenance", use.provenance},
                             {"observations", use.observations}});
        return array;
    };
    std::vector<std::string> extents;
    extents.reserve(summary.extents.size());
    for (const auto& extent : summary.extents) extents.push_back(extent_text(extent));
    return {{"id", summary.id},
            {"title", summary.title},
            {"observations", summary.observations},
            {"formats", summary.formats},
            {"usages", summary.usages},
            {"extents", extents},
            {"routes", summary.routes},
            {"first_time", summary.first_time},
            {"last_time", summary.last_time},
            {"devices", uses(summary.devices)},
            {"also_devices", uses(summary.also_devices)},
            {"layout", tilewise::to_json(summary.layout)}};
}

}  // namespace tilewise::db
