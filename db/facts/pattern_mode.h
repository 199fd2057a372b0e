// The mode of a stored pattern: its established name (patterns/model/names.h). It is stored next to the pattern, since
// otherwise a question by mode would have to read every equation. The names are this program's own: names stored by
// another version do not count, and are found anew.
#pragma once
#include "db/sqlite/database.h"
#include "patterns/model/names.h"
#include <string>
#include <utility>
#include <vector>

namespace tilewise::db {

/// Stores the mode within the caller's transaction; `id` is that of a stored pattern.
void store_mode(Database& db, const std::string& id, const Mode& mode);

/// Stores the modes of all patterns that have none, or one from another version.
void refresh_modes(Database& db);

/// The two are a pattern's id and its mode.
using PatternMode = std::pair<std::string, Mode>;

/// Returns the stored modes of this version, by id.
std::vector<PatternMode> stored_modes(const Database& db);

/// Returns the mode of every pattern, whether or not it is stored. Throws Error if a pattern without a stored mode
/// cannot be read.
std::vector<PatternMode> modes_of_patterns(const Database& db);

}  // namespace tilewise::db
