// A mode is what the field calls a stored pattern (patterns/model/names.h). It is kept beside the pattern: a question
// by mode would else read every equation. The names are this program's: those that another version of it stored do not
// count, and are found anew.
#pragma once
#include "db/sqlite/database.h"
#include "patterns/model/names.h"
#include <string>
#include <utility>
#include <vector>

namespace tilewise::db {

/// Stores the mode within the caller's transaction; `id` is the pattern's, which is stored.
void store_mode(Database& db, const std::string& id, const Mode& mode);

/// Stores the modes of all patterns of which none is, or another version's.
void refresh_modes(Database& db);

/// The two are a pattern's id and its mode.
using PatternMode = std::pair<std::string, Mode>;

/// Returns the modes that are stored, and this version's, by id.
std::vector<PatternMode> stored_modes(const Database& db);

/// Returns the mode of every pattern, whether the database holds it or not. Throws Error where a pattern without a
/// stored mode cannot be read.
std::vector<PatternMode> modes_of_patterns(const Database& db);

}  // namespace tilewise::db
