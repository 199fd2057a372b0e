// Checks whether the database is sound, and counts what is in it.
#pragma once
#include "db/query/contradiction.h"
#include "patterns/model/advance.h"
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tilewise::db {

struct Report {
    /// One line per fault: a damaged page, a row that refers to nothing, a wrong pattern id.
    std::vector<std::string> faults;
    std::vector<Contradiction> contradictions;           ///< facts that cannot both be true; not a fault of the file
    std::vector<LaneContradiction> lane_contradictions;  ///< likewise
};

/// Runs SQLite's own checks; then recomputes every pattern's id, every layout and every identity; then applies the
/// rules by which import refuses facts.
Report check_database(const Database& db, const Advance& advance = {});

struct Stats {
    std::string path;
    uint64_t bytes = 0;  ///< of the file and its write-ahead log
    int64_t schema = 0;
    uint64_t devices = 0, drivers = 0, patterns = 0, observations = 0, disagreements = 0, formats = 0;
    uint64_t lane_orders = 0, launch_orders = 0, rules = 0, validations = 0, tunings = 0, figures = 0, usage_sizes = 0;
    std::vector<std::pair<std::string, uint64_t>> results;     ///< result -> observations
    std::vector<std::pair<std::string, uint64_t>> provenance;  ///< likewise
};

Stats database_stats(const Database& db);
/// "start_orders" are the launch orders.
nlohmann::ordered_json to_json(const Stats& stats);
nlohmann::ordered_json to_json(const Report& report);

}  // namespace tilewise::db
