#include "db/sqlite/sqlite.h"
#include "db/sqlite/guard.h"
#include "patterns/model/error.h"
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <new>
#include <random>
#include <sqlite3.h>
#include <thread>
#include <utility>

namespace tilewise::db {

namespace {

using namespace std::chrono_literals;

constexpr auto lock_timeout = 30s;

constexpr int steps_between_calls = 100'000;

/// The steps that the statement running in this thread has taken since it was reset.
thread_local uint64_t running_steps = 0;

int is_beyond_limit(void* max_steps) {
    running_steps += steps_between_calls;
    return running_steps > *static_cast<const uint64_t*>(max_steps);
}

constexpr const char* way_out =
    "import what a trusted copy exports (`tilewise --db COPY db export FILE`) into a new database";

std::string file_of(sqlite3* connection) {
    const char* file = sqlite3_db_filename(connection, "main");
    return file && *file ? file : "the database";
}

std::string cause_of(sqlite3* connection) {
    const int system_error = sqlite3_system_errno(connection);
    return system_error != 0 ? std::strerror(system_error)
                             : fmt::format("SQLite's error {}", sqlite3_extended_errcode(connection));
}

/// For a statement that was only meant to read.
[[noreturn]] void throw_reading_error(sqlite3* connection, int code) {
    const std::string name = file_of(connection);
    if ((code & 0xff) == SQLITE_FULL || sqlite3_system_errno(connection) == ENOSPC)
        throw Error(
            fmt::format("{0}: the disk is full, and SQLite needs a little of it even to read, for {0}-shm: make "
                        "room, or read a copy elsewhere",
                        name));
    if ((code & 0xff) == SQLITE_IOERR)
        throw Error(fmt::format("{}: cannot be read ({}): check the disk", name, cause_of(connection)));
    throw_sqlite_error(connection, code);
}

}  // namespace

void guard(sqlite3* connection, const uint64_t& max_steps) {
    // SQLITE_DBCONFIG_TRUSTED_SCHEMA is not changed: without trust, SQLite 3.40 refuses json_valid(), which our own
    // schema uses. The schema is known to be ours before anything in it is evaluated: require_own_schema().
    for (const auto& [option, on] : {std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1),
                                     {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                     {SQLITE_DBCONFIG_ENABLE_VIEW, 0}})
        if (const int code = sqlite3_db_config(connection, option, on, nullptr); code != SQLITE_OK)
            throw_sqlite_error(connection, code);
    sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, max_text_bytes);
    sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_progress_handler(connection, steps_between_calls, is_beyond_limit, const_cast<uint64_t*>(&max_steps));
    sqlite3_busy_handler(
        connection, [](void*, int attempt) { return static_cast<int>(wait_for_lock(attempt)); }, nullptr);
}

// SQLite's own waiting sleeps longer and longer, up to 100 ms, so that the latest comer gets the lock first.
bool wait_for_lock(int attempt) {
    using Clock = std::chrono::steady_clock;
    thread_local Clock::time_point since;
    thread_local std::minstd_rand random(std::random_device{}());
    if (attempt == 0) since = Clock::now();
    if (Clock::now() - since > lock_timeout) return false;
    std::this_thread::sleep_for(std::uniform_int_distribution(500, 4000)(random) * 1us);
    return true;
}

void CloseConnection::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

void FinalizeStatement::operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }

void throw_sqlite_error(sqlite3* connection, int code) {
    const std::string name = file_of(connection), cause = cause_of(connection);
    switch (code & 0xff) {
        case SQLITE_NOTADB:
            throw Error(name + ": is not a database: name another file with --db");
        case SQLITE_CORRUPT:
            throw Error(name + ": is damaged: restore a copy, or save what is left with `sqlite3 FILE .recover`");
        case SQLITE_FULL:
            throw Error(name + ": the disk is full, this write was not kept: make room and run it again");
        case SQLITE_READONLY:
            throw Error(name + ": is read-only: make it and its folder writable, or use another --db");
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            throw Error(name + ": another process is writing to it: try again when it is done");
        case SQLITE_CANTOPEN:
            throw Error(fmt::format("{}: cannot be opened ({}): check its permissions", name, cause));
        case SQLITE_IOERR:
            throw Error(fmt::format("{}: cannot be read or written ({}), nothing of this write was kept", name, cause));
        case SQLITE_INTERRUPT:
            throw Error(
                fmt::format("{}: a query did not end within its limit of work, so the file is damaged or made "
                            "to cause that: {}",
                            name, way_out));
        case SQLITE_TOOBIG:
            throw Error(fmt::format("{}: a text in it has more than {} bytes: {}", name, max_text_bytes, way_out));
        case SQLITE_NOMEM:
            throw std::bad_alloc();
        default:
            throw Error(fmt::format("{}: SQLite failed (its error {}): {}", name, sqlite3_extended_errcode(connection),
                                    way_out));
    }
}

void execute(const Connection& connection, const char* sql) {
    running_steps = 0;
    const int code = sqlite3_exec(connection.get(), sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) throw_sqlite_error(connection.get(), code);
}

int64_t last_row(const Connection& connection) { return sqlite3_last_insert_rowid(connection.get()); }

int64_t changed_rows(const Connection& connection) { return sqlite3_changes(connection.get()); }

Statement::Statement(const Connection& connection, std::string_view sql) : connection_(connection.get()) {
    sqlite3_stmt* handle = nullptr;
    const int code = sqlite3_prepare_v2(connection_, sql.data(), static_cast<int>(sql.size()), &handle, nullptr);
    handle_.reset(handle);
    if (code != SQLITE_OK) throw_sqlite_error(connection_, code);
}

bool Statement::step() {
    running_steps = static_cast<uint64_t>(sqlite3_stmt_status(handle_.get(), SQLITE_STMTSTATUS_VM_STEP, 0));
    const int code = sqlite3_step(handle_.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    // Get the message first, then reset: a statement that is not reset prevents its transaction from being rolled back.
    try {
        if (sqlite3_stmt_readonly(handle_.get()) != 0) throw_reading_error(connection_, code);
        throw_sqlite_error(connection_, code);
    } catch (...) {
        reset();
        throw;
    }
}

std::optional<int64_t> Statement::only_integer() {
    std::optional<int64_t> value;
    if (step()) value = integer(0);
    reset();
    return value;
}

void Statement::run() {
    while (step()) {
    }
    reset();
}

void Statement::reset() {
    sqlite3_reset(handle_.get());
    sqlite3_stmt_status(handle_.get(), SQLITE_STMTSTATUS_VM_STEP, 1);  // restarts the count from 0
}

int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }

double Statement::real(int column) const { return sqlite3_column_double(handle_.get(), column); }

std::string Statement::text(int column) const { return std::string(text_view(column)); }

std::string_view Statement::text_view(int column) const {
    const unsigned char* text = sqlite3_column_text(handle_.get(), column);
    if (!text) return {};
    return {reinterpret_cast<const char*>(text), static_cast<size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

bool Statement::is_null(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL; }

void Statement::bind_one(int index, double value) { sqlite3_bind_double(handle_.get(), index, value); }

void Statement::bind_one(int index, int64_t value) {
    const int code = sqlite3_bind_int64(handle_.get(), index, value);
    if (code != SQLITE_OK) throw_sqlite_error(connection_, code);
}

void Statement::bind_one(int index, uint64_t value) {
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
        throw Error(fmt::format("{} is too large for the database: it keeps integers below 2^63", value));
    bind_one(index, static_cast<int64_t>(value));
}

void Statement::bind_one(int index, std::string_view value) {
    const char* data = value.data() ? value.data() : "";  // a null pointer would bind NULL
    const int code = sqlite3_bind_text(handle_.get(), index, data, static_cast<int>(value.size()), SQLITE_TRANSIENT);
    if (code != SQLITE_OK) throw_sqlite_error(connection_, code);
}

void Statement::bind_null(int index) {
    const int code = sqlite3_bind_null(handle_.get(), index);
    if (code != SQLITE_OK) throw_sqlite_error(connection_, code);
}

// IMMEDIATE, because a transaction that begins by reading and then meets another writer could not wait for it.
Transaction::Transaction(const Connection& connection)
    : connection_(connection), outermost_(sqlite3_get_autocommit(connection.get()) != 0) {
    execute(connection_, outermost_ ? "BEGIN IMMEDIATE" : "SAVEPOINT inner_transaction");
}

Transaction::~Transaction() {
    if (!open_) return;
    // After some errors (a full disk), SQLite has rolled back by itself; a failure of these statements is then
    // irrelevant.
    const char* sql = outermost_ ? "ROLLBACK" : "ROLLBACK TO inner_transaction; RELEASE inner_transaction";
    sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr);
}

void Transaction::commit() {
    execute(connection_, outermost_ ? "COMMIT" : "RELEASE inner_transaction");
    open_ = false;
}

}  // namespace tilewise::db
