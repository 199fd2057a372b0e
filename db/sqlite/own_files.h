// SQLite creates, reads and deletes files next to a database by itself: a rollback journal, a write-ahead log and the
// log's shared memory. Whoever sends a database may send these as well, crafted to do harm.
#pragma once
#include <filesystem>
#include <string>

namespace tilewise::db {

/// Throws Error naming a file beside the database that is not its own: one that also exists elsewhere (writing to it
/// would damage another file) or is not a plain file (reading it might never end); or a journal that no version of
/// Tilewise writes, because it names a file to delete or enlarges the database.
void require_own_files(const std::filesystem::path& database);

/// Returns whether the database has a non-empty write-ahead log.
bool has_log(const std::filesystem::path& database);

/// Returns the name of a VFS that acts like SQLite's default one, but opens and deletes only databases, plain files
/// with the names that go with them, and SQLite's own temporary files, which have no names.
std::string own_files_vfs();

}  // namespace tilewise::db
