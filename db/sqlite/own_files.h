// A database comes with files beside it, which SQLite makes, reads and deletes by itself: a rollback journal, a
// write-ahead log and the log's shared memory. Whoever sends a database may send these as well, made to harm.
#pragma once
#include <filesystem>
#include <string>

namespace tilewise::db {

/// Throws Error naming the file beside the database that is not its own: one that is also elsewhere or no plain file at
/// all, so that to write it would harm another one, or to read it would have no end; and a journal that no version of
/// Tilewise writes, which names a file to delete or makes the database larger.
void require_own_files(const std::filesystem::path& database);

/// Returns whether the database has a write-ahead log with something in it.
bool has_log(const std::filesystem::path& database);

/// Returns the name of a VFS that does what SQLite's default one does, but opens and deletes nothing except databases,
/// plain files of the names that go with them, and SQLite's own temporary files, which have no names.
std::string own_files_vfs();

}  // namespace tilewise::db
