// A database file may come from anybody, and others may be writing to it. This keeps SQLite from executing what such a
// file contains, and limits how long it waits.
#pragma once
#include <cstdint>

struct sqlite3;

namespace tilewise::db {

/// The largest text or row that the database may contain.
constexpr int max_text_bytes = 16 << 20;

/// The number of instructions of SQLite's virtual machine that one statement may take: some seconds. A million
/// observations need less.
constexpr uint64_t max_statement_steps = 1'000'000'000;

/// Guards a connection that has read nothing yet. Triggers and views do not run, SQL cannot write the schema table, no
/// other file can be attached, and texts and statements are limited. Locks held by other processes are waited for.
/// `max_steps` must outlive the connection.
void guard(sqlite3* connection, const uint64_t& max_steps = max_statement_steps);

/// Sleeps briefly, for a different time on each call, so that all who wait for a lock get it in turn. `attempt` counts
/// from 0. Returns false if it has taken too long.
bool wait_for_lock(int attempt);

}  // namespace tilewise::db
