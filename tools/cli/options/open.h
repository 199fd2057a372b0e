// Which database a command works on.
#pragma once
#include "db/sqlite/open.h"
#include "tools/cli/options/globals.h"
#include <filesystem>

namespace tilewise {

/// The file of --db, or the user's own, whether it is there or not. Throws Error where no variable says which that is.
std::filesystem::path chosen_path(const Globals& globals);

/// Throws Error where --db names a file that is not there: what is about that very file has no other to answer by.
void require_named_database(const Globals& globals);

/// The file of --db, or the user's own, which gets what it lacks of the shipped catalog; where there is no such file
/// yet, the catalog alone. stderr says when it is that, and when a file of --db lacks some of the catalog.
db::Database open_to_read(const Globals& globals);

/// The same, but the catalog without a word wherever the file is missing: for what is of use without a database.
db::Database open_if_there(const Globals& globals);

/// The file of --db, or the user's own; made where it is missing.
db::Database open_to_write(const Globals& globals);

}  // namespace tilewise
