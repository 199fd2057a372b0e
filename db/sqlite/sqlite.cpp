#include "db/sqlite/sqlite.h"
#include "patterns/model/error.h"
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <sqlite3.h>

namespace tilewise::db {

void CloseConnection::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

void FinalizeStatement::operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }

void throw_sqlite_error(sqlite3* connection, int code) {
    const char* file = sqlite3_db_filename(connection, "main");
    const std::string name = file && *file ? file : "the database";
    const int system_error = sqlite3_system_errno(connection);
    const std::string cause = system_error != 0 ? std::strerror(system_error) : sqlite3_errmsg(connection);
    switch (code & 0xff) {
        case SQLITE_NOTADB:
            throw Error(name + ": is no database: name another file with --db");
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
        default:
            throw Error(fmt::format("{}: {}", name, sqlite3_errmsg(connection)));
    }
}

void execute(const Connection& connection, const char* sql) {
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
    const int code = sqlite3_step(handle_.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    // The message first: a statement that is not reset keeps its transaction from being rolled back.
    try {
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

void Statement::reset() { sqlite3_reset(handle_.get()); }

int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }

double Statement::real(int column) const { return sqlite3_column_double(handle_.get(), column); }

std::string Statement::text(int column) const {
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

// IMMEDIATE: a transaction that begins by reading and then finds another writer could not wait for it.
Transaction::Transaction(const Connection& connection)
    : connection_(connection), outermost_(sqlite3_get_autocommit(connection.get()) != 0) {
    execute(connection_, outermost_ ? "BEGIN IMMEDIATE" : "SAVEPOINT inner_transaction");
}

Transaction::~Transaction() {
    if (!open_) return;
    // SQLite has rolled back by itself after some errors (a full disk); the failure of these is of no interest then.
    const char* sql = outermost_ ? "ROLLBACK" : "ROLLBACK TO inner_transaction; RELEASE inner_transaction";
    sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr);
}

void Transaction::commit() {
    execute(connection_, outermost_ ? "COMMIT" : "RELEASE inner_transaction");
    open_ = false;
}

}  // namespace tilewise::db
