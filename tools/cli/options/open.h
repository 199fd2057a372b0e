// Chooses and opens the database that a command works on.
#pragma once
#include "db/sqlite/open.h"
#include "tools/cli/options/globals.h"
#include <filesystem>

namespace tilewise {

/// The file of --db, or the user's own, whether it exists or not. Throws Error if no environment variable says where
/// that is.
std::filesystem::path chosen_path(const Globals& globals);

/// Throws Error if --db names a file that does not exist: a question about that very file cannot be answered from
/// another one.
void require_named_database(const Globals& globals);

/// Opens the file of --db, or the user's own, which gets the missing parts of the shipped catalog; if there is no such
/// file yet, the catalog alone. A note on stderr says when it is the catalog, and when a file of --db lacks parts of
/// it.
db::Database open_to_read(const Globals& globals);

/// Likewise, but whenever the file is missing, uses the catalog without a note: for commands that are useful without a
/// database.
db::Database open_if_there(const Globals& globals);

/// Opens the file of --db, or the user's own, for writing; creates it if it is missing.
db::Database open_to_write(const Globals& globals);

}  // namespace tilewise
