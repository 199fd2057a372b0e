// Creates the tables, and upgrades a file with an older schema.
#pragma once
#include "db/sqlite/sqlite.h"
#include <span>
#include <string>

namespace tilewise::db {

/// Marks a SQLite file as ours ("TwDb").
constexpr int64_t application_id = 0x54774462;

/// The schema that the first step makes from an empty file, which is schema 0. The schemas in between belonged to
/// versions that were never released: their files are not opened, but the bundles that they exported can be read.
constexpr int64_t base_schema = 15;

/// The first step makes the base schema; each further one leads from one schema to the next. A released step is never
/// changed again.
std::span<const char* const> schema_steps();

/// Returns the schema of a file to which all of these steps were applied.
int64_t schema_after(std::span<const char* const> steps);

/// Returns PRAGMA user_version: the schema of the file, 0 for an empty file.
int64_t schema_version(const Connection& connection);

/// Returns all tables, indexes, views and triggers as one text.
std::string schema_text(const Connection& connection);

/// Throws Error, with the way out, if files of that schema cannot be opened because it is older than the base or newer
/// than the steps. `name` is the file's name in messages.
void require_known_schema(int64_t version, std::span<const char* const> steps, const std::string& name);

/// Throws Error naming the table, index, view or trigger in which the file differs from what the steps up to its schema
/// make; that schema must be a known one.
void require_own_schema(const Connection& connection, std::span<const char* const> steps, const std::string& name);

/// Applies the missing steps, all in one transaction. Throws Error if the file's schema is not a known one.
void migrate(const Connection& connection, std::span<const char* const> steps);

}  // namespace tilewise::db
