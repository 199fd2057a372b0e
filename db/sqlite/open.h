// This opens the database file: finds where it is and whether it is ours, and brings its schema and its catalog up to
// date.
//
// Every function of db/ throws tilewise::Error with one line that names the file; a write that fails, or is
// interrupted, leaves the file as it was before that call.
#pragma once
#include "db/catalog.h"
#include "db/sqlite/database.h"
#include "db/sqlite/schema.h"
#include <filesystem>
#include <optional>
#include <span>

namespace tilewise::db {

enum class Access {
    /// The file must exist; no fact is added. (A file of an older schema is brought up to date.)
    read_only,
    /// The file and its folders are created if they are missing; it gets what it lacks of the catalog.
    read_write,
};

/// Returns $TILEWISE_DB, else $XDG_DATA_HOME/tilewise/tilewise.db, else ~/.local/share/tilewise/tilewise.db; none where
/// no variable says where that is. Creates nothing.
std::optional<std::filesystem::path> default_path();

/// Throws where the file is missing (read_only), unreadable, damaged, no database of Tilewise, or of a schema that is
/// newer than the steps or older than the first makes; such a file stays as it is. A catalog that the file has not seen
/// yet (all of it in a new file) is imported by read_write.
Database open_database(const std::filesystem::path& path, Access access,
                       std::span<const CatalogFile> catalog = embedded_catalog(),
                       std::span<const char* const> steps = schema_steps());

/// Returns whether it has what this catalog says, as read_write leaves it.
bool has_catalog(const Database& db, std::span<const CatalogFile> catalog = embedded_catalog());

/// Returns another connection to the same file, to read it on another thread; none to a database in memory, or where it
/// cannot be had.
std::optional<Database> open_again(const Database& db);

/// Returns the shipped catalog alone, in memory: for a query on a machine that has no database yet. It cannot be written;
/// that of another catalog can, and the writes are not kept.
Database open_catalog(std::span<const CatalogFile> catalog = embedded_catalog());

}  // namespace tilewise::db
