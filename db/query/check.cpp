#include "db/query/check.h"
#include "db/facts/disagreement.h"
#include "db/facts/figure.h"
#include "db/facts/image_rule.h"
#include "db/facts/json.h"
#include "db/facts/launch_order.h"
#include "db/facts/pattern.h"
#include "db/facts/pattern_mode.h"
#include "db/facts/pattern_use.h"
#include "db/facts/tuning.h"
#include "db/facts/usage_sizes.h"
#include "db/facts/validation.h"
#include "db/query/query.h"
#include "db/sqlite/open.h"
#include "db/sqlite/schema.h"
#include "patterns/model/error.h"
#include "patterns/model/parallel.h"
#include "system/files.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <future>
#include <optional>
#include <set>

namespace tilewise::db {

namespace {

uint64_t count(const Database& db, std::string_view sql) {
    Statement statement(db.sqlite, sql);
    return statement.step() ? static_cast<uint64_t>(statement.integer(0)) : 0;
}

std::vector<std::pair<std::string, uint64_t>> counts(const Database& db, std::string_view sql) {
    std::vector<std::pair<std::string, uint64_t>> list;
    Statement statement(db.sqlite, sql);
    while (statement.step()) list.emplace_back(statement.text(0), static_cast<uint64_t>(statement.integer(1)));
    return list;
}

/// Rephrases a finding of SQLite's own check: for values it names the table; for pages and indexes it says that they
/// are damaged.
std::string integrity_fault(const std::string& line) {
    for (const auto& [begins, says] : {std::pair("CHECK constraint failed in ", "a row breaks the rules of the table "),
                                       {"NULL value in ", "a row lacks "},
                                       {"non-unique entry in index ", "two rows are one by the index "}})
        if (line.starts_with(begins)) return says + line.substr(std::string_view(begins).size());
    return "the file's pages or indexes are damaged: restore a copy, or save what is left with `sqlite3 FILE .recover`";
}

void check_pages(const Database& db, std::vector<std::string>& faults) {
    Statement integrity(db.sqlite, "PRAGMA integrity_check");
    while (integrity.step())
        if (const std::string line = integrity.text(0); line != "ok")
            if (const std::string fault = integrity_fault(line); std::ranges::count(faults, fault) == 0)
                faults.push_back(fault);
    Statement keys(db.sqlite, "PRAGMA foreign_key_check");
    while (keys.step())
        faults.push_back(
            fmt::format("{} {} refers to a {} that is not there", keys.text(0), keys.integer(1), keys.text(2)));
}

/// Anything that work() throws is recorded as a fault.
template <typename Work>
void note_fault(std::vector<std::string>& faults, Work work) {
    try {
        work();
    } catch (const Error& error) {
        faults.emplace_back(error.what());
    }
}

void require_pattern(const Layout& layout, const std::string& id, const std::string& whose) {
    if (const std::string computed = pattern_id(layout.pattern); computed != id)
        throw Error(fmt::format("{}: its layout has the pattern {}, not {}", whose, computed, id));
}

void check_patterns(const Database& db, std::vector<std::string>& faults) {
    const std::vector<PatternMode> modes = stored_modes(db);
    Statement rows(db.sqlite, "SELECT id, layout FROM pattern");
    while (rows.step())
        note_fault(faults, [&] {
            const std::string id = rows.text(0), whose = "pattern " + id;
            const Layout layout = layout_from_text(rows.text(1), whose);
            require_pattern(layout, id, whose);
            const auto mode = std::ranges::lower_bound(modes, id, {}, &PatternMode::first);
            if (mode != modes.end() && mode->first == id && mode->second != mode_of(layout.pattern))
                throw Error(fmt::format("{}: its stored mode was changed, and is not that of its equation", whose));
        });
}

/// Returns the uses of patterns according to the observations.
PatternUses check_observations(const Database& db, std::vector<std::string>& faults, const Advance& advance) {
    // Observations without a device or driver are found by check_pages().
    Statement rows(db.sqlite, select_observations(", identity, observation.device, observation.driver"));
    ObservationReader reader(db);
    PatternUses uses;
    const uint64_t total = advance ? observation_count(db) : 0;
    for (uint64_t done = 1; rows.step(); done++) {
        tell(advance, done, total, observations_between_words);
        note_fault(faults, [&] {
            int column = 0;
            ObservationRow row = reader.read(rows, column);
            const Stored<ObservationFact> stored{row.row, std::move(row.device), std::move(row.driver),
                                                 std::move(row.fact)};
            require_importable(stored);
            if (identity_of(stored.device, stored.driver, stored.fact, row.pattern) != rows.text_view(column))
                throw Error(fmt::format("observation {}: was changed after it was stored", row.row));
            count_use(uses, {rows.integer(column + 1), rows.integer(column + 2)}, stored.fact, row.pattern, row.row);
        });
    }
    return uses;
}

/// `counted` are the uses according to the observations.
void check_uses(const Database& db, const PatternUses& counted) {
    const PatternUses stored = stored_uses(db);
    if (stored == counted) return;
    const auto [differs, other] = std::ranges::mismatch(stored, counted);
    const PatternUseKey& key = differs != stored.end() ? differs->first : other->first;
    throw Error(
        fmt::format("the uses of pattern {} by device {} with driver {}: were changed, and are not those of its "
                    "observations",
                    key.pattern, key.device, key.driver));
}

template <typename Fact>
void check_facts(const Database& db, std::vector<std::string>& faults) {
    Statement rows(db.sqlite, select_sql<Fact>());
    std::vector<Fact> kept;  // content that many facts share is read once, as long as one of them is kept
    while (rows.step())
        note_fault(faults, [&] {
            int column = 0;
            const Stored<Fact> stored = read_stored<Fact>(rows, column);
            kept.push_back(stored.fact);
            require_importable(stored);
        });
}

void check_disagreements(const Database& db, std::vector<std::string>& faults) {
    for (const DisagreementRow& row : find_disagreements(db))
        note_fault(faults, [&] {
            try {
                canonical(row.fact);
            } catch (const Error& error) {
                throw Error(fmt::format("disagreement of observations {} and {}: {}", row.fact.first, row.fact.second,
                                        error.what()));
            }
        });
}

}  // namespace

Report check_database(const Database& db, const Advance& advance) {
    struct Half {
        std::vector<std::string> pages, facts;
        std::vector<Contradiction> contradictions;
        std::vector<LaneContradiction> lane_contradictions;
    };
    // About half of the work: it runs on a separate thread if the file can be opened again.
    const auto check_file = [](const Database& file) {
        Half half;
        note_fault(half.pages, [&] { check_pages(file, half.pages); });
        note_fault(half.facts, [&] {
            check_facts<LaneOrderFact>(file, half.facts);
            check_facts<LaunchOrderFact>(file, half.facts);
            check_facts<ImageRuleFact>(file, half.facts);
            check_facts<ValidationFact>(file, half.facts);
            check_facts<TuningFact>(file, half.facts);
            check_facts<FigureFact>(file, half.facts);
            check_facts<UsageSizesFact>(file, half.facts);
            if (!half.pages.empty() || !half.facts.empty()) return;
            half.contradictions = find_contradictions(file);
            half.lane_contradictions = find_lane_contradictions(file);
        });
        return half;
    };
    const std::optional<Database> again = open_again(db);
    const Database& file = again ? *again : db;
    const auto work = [&] { return check_file(file); };
    std::future<Half> other = again ? on_another_thread(work) : std::async(std::launch::deferred, work);

    std::vector<std::string> rows;
    PatternUses uses;
    note_fault(rows, [&] {
        check_patterns(db, rows);
        uses = check_observations(db, rows, advance);
        check_disagreements(db, rows);  // stops at the first damaged one
    });

    Report report;
    Half half = other.get();
    std::set<std::string_view> told;  // both halves may meet a page so damaged that SQLite reads no further
    const auto tell = [&](const std::vector<std::string>& faults) {
        for (const std::string& fault : faults)
            if (told.insert(fault).second) report.faults.push_back(fault);
    };
    tell(half.pages);
    tell(rows);
    tell(half.facts);
    if (report.faults.empty()) note_fault(report.faults, [&] { check_uses(db, uses); });
    if (!report.faults.empty()) return report;
    report.contradictions = std::move(half.contradictions);
    report.lane_contradictions = std::move(half.lane_contradictions);
    return report;
}

Stats database_stats(const Database& db) {
    Stats stats;
    stats.path = db.path;
    for (const char* suffix : {"", "-wal"}) {
        std::error_code missing;
        const uintmax_t bytes = std::filesystem::file_size(system::path_of(db.path + suffix), missing);
        if (!missing) stats.bytes += bytes;
    }
    stats.schema = schema_version(db.sqlite);
    stats.devices = count(db, "SELECT count(*) FROM device");
    stats.drivers = count(db, "SELECT count(*) FROM driver");
    stats.patterns = count(db, "SELECT count(*) FROM pattern");
    stats.observations = observation_count(db);
    stats.disagreements = count(db, "SELECT count(*) FROM disagreement");
    stats.lane_orders = count(db, "SELECT count(*) FROM lane_order");
    stats.launch_orders = count(db, "SELECT count(*) FROM start_order");
    stats.rules = count(db, "SELECT count(*) FROM rule");
    stats.validations = count(db, "SELECT count(*) FROM validation");
    stats.tunings = count(db, "SELECT count(*) FROM tuning");
    stats.figures = count(db, "SELECT count(*) FROM figure");
    stats.usage_sizes = count(db, "SELECT count(*) FROM usage_sizes");
    stats.formats = count(db, "SELECT count(DISTINCT format) FROM observation");
    stats.results = counts(db, "SELECT result, count(*) FROM observation GROUP BY result ORDER BY 2 DESC, 1");
    stats.provenance =
        counts(db, "SELECT provenance, count(*) FROM observation GROUP BY provenance ORDER BY 2 DESC, 1");
    return stats;
}

nlohmann::ordered_json to_json(const Stats& stats) {
    nlohmann::ordered_json results = nlohmann::ordered_json::object(), provenance = results;
    for (const auto& [name, number] : stats.results) results[name] = number;
    for (const auto& [name, number] : stats.provenance) provenance[name] = number;
    return {{"path", stats.path},
            {"bytes", stats.bytes},
            {"schema", stats.schema},
            {"devices", stats.devices},
            {"drivers", stats.drivers},
            {"patterns", stats.patterns},
            {"formats", stats.formats},
            {"observations", stats.observations},
            {"results", results},
            {"provenance", provenance},
            {"disagreements", stats.disagreements},
            {"lane_orders", stats.lane_orders},
            {"start_orders", stats.launch_orders},
            {"rules", stats.rules},
            {"validations", stats.validations},
            {"tunings", stats.tunings},
            {"figures", stats.figures},
            {"usage_sizes", stats.usage_sizes}};
}

nlohmann::ordered_json to_json(const Report& report) {
    nlohmann::ordered_json contradictions = nlohmann::ordered_json::array();
    for (const Contradiction& contradiction : report.contradictions)
        contradictions.push_back({{"text", contradiction.text},
                                  {"first", to_json(contradiction.first)},
                                  {"second", to_json(contradiction.second)}});
    for (const LaneContradiction& contradiction : report.lane_contradictions)
        contradictions.push_back({{"text", contradiction.text},
                                  {"first", to_json(contradiction.first.fact)},
                                  {"second", to_json(contradiction.second.fact)}});
    return {{"sound", report.faults.empty()}, {"faults", report.faults}, {"contradictions", contradictions}};
}

}  // namespace tilewise::db
