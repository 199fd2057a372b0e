// A pattern that the user keeps under a name: solved from his own table, or from an equation that he typed. It is not
// an observation of any device.
#pragma once
#include "db/sqlite/database.h"
#include "patterns/model/layout.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewise::db {

struct KeptPattern {
    std::string name;
    Layout layout;
    std::string source;                      ///< "table" or "equation"
    std::array<uint64_t, 3> extent_el = {};  ///< of the table's image; 0 for an equation
    std::string origin;                      ///< the table's file, or the equation as typed
    std::string time, tool_version;
};

/// Throws UsageError for a name that could be mistaken for a pattern's id or for an option's value.
void require_name(const std::string& name);

/// Stores the pattern, replacing one of the same name.
void keep_pattern(Database& db, const KeptPattern& kept);

std::optional<KeptPattern> find_kept_pattern(const Database& db, const std::string& name);

/// Sorted by name.
std::vector<KeptPattern> kept_patterns(const Database& db);

}  // namespace tilewise::db
