// A database file may come from anybody, and others may be writing to it: what keeps SQLite from doing what such a file
// says, and how long it waits.
#pragma once
#include <cstdint>

struct sqlite3;

namespace tilewise::db {

/// One text, or one row, in the database has no more bytes.
constexpr int max_text_bytes = 16 << 20;

/// One statement may take so many instructions of SQLite's virtual machine: some seconds. A million observations need
/// less.
constexpr uint64_t max_statement_steps = 1'000'000'000;

/// Guards a connection that has read nothing yet. Triggers and views do not run, SQL cannot write the schema's table,
/// no other file can be attached, and texts and statements have limits. Locks of other processes are waited for.
/// `max_steps` must outlive the connection.
void guard(sqlite3* connection, const uint64_t& max_steps = max_statement_steps);

/// Sleeps a little, each time another while, so that of many who wait for a lock each gets it in turn. `attempt` counts
/// from 0; false: it has taken too long.
bool wait_for_lock(int attempt);

}  // namespace tilewise::db
