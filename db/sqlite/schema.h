// This makes the tables, and makes a file of an older schema one of this.
#pragma once
#include "db/sqlite/sqlite.h"
#include <span>
#include <string>

namespace tilewise::db {

/// This marks a SQLite file as ours ("TwDb").
constexpr int64_t application_id = 0x54774462;

/// The first step makes this schema of an empty file, which is schema 0. What is between them was of versions that
/// nobody released: their files are not opened, but the bundles that they export are read.
constexpr int64_t base_schema = 15;

/// The first step makes the base schema; each further one leads from a schema to the next. A step that has been
/// released is never changed again.
std::span<const char* const> schema_steps();

/// Returns the schema of a file that has all of these steps behind it.
int64_t schema_after(std::span<const char* const> steps);

/// Returns PRAGMA user_version: the schema of the file, 0 of an empty one.
int64_t schema_version(const Connection& connection);

/// Returns all tables, indexes, views and triggers as one text.
std::string schema_text(const Connection& connection);

/// Throws Error, with the way out, if no file of that schema can be opened: it is older than the base, or newer than
/// the steps. `name` is the file's in messages.
void require_known_schema(int64_t version, std::span<const char* const> steps, const std::string& name);

/// Throws Error naming the table, index, view or trigger by which the file differs from what the steps up to its
/// schema, which is a known one, make.
void require_own_schema(const Connection& connection, std::span<const char* const> steps, const std::string& name);

/// Applies the steps that are missing, all in one transaction. Throws Error if the file is of no known schema.
void migrate(const Connection& connection, std::span<const char* const> steps);

}  // namespace tilewise::db
