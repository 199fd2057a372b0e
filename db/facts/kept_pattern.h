// A pattern that the user keeps under a name: solved from a table of his own, or an equation that he typed. It is no
// observation of any device.
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
    std::array<uint64_t, 3> extent_el = {};  ///< of the image that the table was of; 0 of an equation
    std::string origin;                      ///< the table's file, or the equation as it was typed
    std::string time, tool_version;
};

/// Throws UsageError for a name that could be taken for a pattern's id or for an option's value.
void require_name(const std::string& name);

/// Stores it, in place of one that was kept under that name.
void keep_pattern(Database& db, const KeptPattern& kept);

std::optional<KeptPattern> find_kept_pattern(const Database& db, const std::string& name);

/// By name.
std::vector<KeptPattern> kept_patterns(const Database& db);

}  // namespace tilewise::db
