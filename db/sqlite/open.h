// Opens the database file: finds where it is, checks that it is ours, and brings its schema and its catalog up to date.
//
// Every function of db/ throws tilewise::Error with one line that names the file. A write that fails or is interrupted
// leaves the file as it was before that call.
#pragma once
#include "db/catalog.h"
#include "db/sqlite/database.h"
#include "db/sqlite/schema.h"
#include <filesystem>
#include <optional>
#include <span>

namespace tilewise::db {

enum class Access {
    /// The file must exist; no fact is added. (A file with an older schema is brought up to date.)
    read_only,
    /// The file and its folders are created if they are missing; missing parts of the catalog are added.
    read_write,
};

/// Returns $TILEWISE_DB, else $XDG_DATA_HOME/tilewise/tilewise.db, else ~/.local/share/tilewise/tilewise.db; none if no
/// variable gives a path. Creates nothing.
std::optional<std::filesystem::path> default_path();

/// Throws Error if the file is missing (read_only), unreadable, damaged, not a database of Tilewise, or has a schema
/// newer than the steps or older than the first step makes; such a file stays unchanged. With read_write, a catalog
/// that the file does not have yet (all of it for a new file) is imported.
Database open_database(const std::filesystem::path& path, Access access,
                       std::span<const CatalogFile> catalog = embedded_catalog(),
                       std::span<const char* const> steps = schema_steps());

/// Returns whether the database contains this catalog, as read_write leaves it.
bool has_catalog(const Database& db, std::span<const CatalogFile> catalog = embedded_catalog());

/// Returns another connection to the same file, for reading on another thread; none for a database in memory, or if no
/// connection can be opened.
std::optional<Database> open_again(const Database& db);

/// Returns the shipped catalog alone, in memory, for queries on a machine without a database. It cannot be written; a
/// database of another catalog can, but the writes are not kept.
Database open_catalog(std::span<const CatalogFile> catalog = embedded_catalog());

}  // namespace tilewise::db
