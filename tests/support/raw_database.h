// A database file changed as anybody could change it: without Tilewise's checks.
#pragma once
#include "db/sqlite/sqlite.h"
#include <filesystem>
#include <sqlite3.h>
#include <stdexcept>
#include <string>

namespace tilewise {

inline db::Connection raw_database(const std::filesystem::path& path) {
    sqlite3* handle = nullptr;
    const int code = sqlite3_open(path.c_str(), &handle);
    db::Connection connection(handle);
    if (code != SQLITE_OK) throw std::runtime_error("cannot open " + path.string());
    return connection;
}

inline void damage(const std::filesystem::path& path, const std::string& sql) {
    db::execute(raw_database(path), ("PRAGMA ignore_check_constraints = ON; " + sql).c_str());
}

}  // namespace tilewise
