// SQLite's C API, with owners for its handles and a single kind of error.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace tilewise::db {

struct CloseConnection {
    void operator()(sqlite3* handle) const;
};
struct FinalizeStatement {
    void operator()(sqlite3_stmt* handle) const;
};
using Connection = std::unique_ptr<sqlite3, CloseConnection>;

/// Throws Error "<file>: <what is wrong and what to try>" for the code that SQLite returned last.
[[noreturn]] void throw_sqlite_error(sqlite3* connection, int code);

/// Runs one or more statements that return nothing.
void execute(const Connection& connection, const char* sql);

int64_t last_row(const Connection& connection);      ///< the id made by the last INSERT
int64_t changed_rows(const Connection& connection);  ///< by the last INSERT, UPDATE or DELETE

/// A prepared statement. bind(...) binds parameters in order; step() gives the next row and returns false after the
/// last.
class Statement {
public:
    Statement(const Connection& connection, std::string_view sql);

    template <typename... Values>
    Statement& bind(const Values&... values) {
        reset();
        [[maybe_unused]] int index = 0;
        (bind_one(++index, values), ...);
        return *this;
    }
    bool step();
    /// Returns the first column of the first row, if there is one; the statement then holds no lock.
    std::optional<int64_t> only_integer();
    void run();  ///< steps to the end; for statements whose rows, if any, do not matter

    int64_t integer(int column) const;
    double real(int column) const;
    std::string text(int column) const;            ///< "" for NULL
    std::string_view text_view(int column) const;  ///< likewise; invalid after the next step
    bool is_null(int column) const;

    void bind_one(int index, int64_t value);
    void bind_one(int index, uint64_t value);
    void bind_one(int index, int32_t value) { bind_one(index, int64_t{value}); }
    void bind_one(int index, uint32_t value) { bind_one(index, int64_t{value}); }
    void bind_one(int index, double value);
    void bind_one(int index, std::string_view value);
    void bind_one(int index, const std::string& value) { bind_one(index, std::string_view(value)); }
    void bind_one(int index, const char* value) { bind_one(index, std::string_view(value)); }
    template <typename T>
    void bind_one(int index, const std::optional<T>& value) {
        if (value)
            bind_one(index, *value);
        else
            bind_null(index);
    }
    void reset();

private:
    void bind_null(int index);
    sqlite3* connection_;
    std::unique_ptr<sqlite3_stmt, FinalizeStatement> handle_;
};

/// Rolls back unless commit() was reached. Transactions nest: inner ones are savepoints.
class Transaction {
public:
    explicit Transaction(const Connection& connection);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

private:
    const Connection& connection_;
    bool outermost_;
    bool open_ = true;
};

}  // namespace tilewise::db
