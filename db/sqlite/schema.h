// The tables, and how a file of an older schema becomes one of this.
#pragma once
#include "db/sqlite/sqlite.h"
#include <span>
#include <string>

namespace tilewise::db {

/// Marks a SQLite file as ours ("TwDb").
constexpr int64_t application_id = 0x54774462;

/// schema_steps()[n] leads from schema n to schema n + 1; schema 0 is an empty file. A step that has been released is
/// never changed again.
std::span<const char* const> schema_steps();

/// PRAGMA user_version: the number of steps that were applied.
int64_t schema_version(const Connection& connection);

/// All tables, indexes, views and triggers as one text.
std::string schema_text(const Connection& connection);

/// Throws Error naming the table, index, view or trigger by which the file differs from what the first `version` steps
/// make. `name` is the file's in messages.
void require_own_schema(const Connection& connection, int64_t version, const std::string& name);

/// Applies the steps that are missing, all in one transaction. Throws Error if the file is of a newer schema.
void migrate(const Connection& connection, std::span<const char* const> steps);

}  // namespace tilewise::db
