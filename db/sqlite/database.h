// An open database, and the statements that run on it repeatedly.
#pragma once
#include "db/sqlite/sqlite.h"
#include <map>
#include <string>

namespace tilewise::db {

struct Database {
    Connection sqlite;
    std::string path;                                ///< for messages; "the catalog" for open_catalog()
    std::map<std::string, Statement> prepared = {};  ///< by their SQL
};

/// Returns the statement; it is prepared on the first call, since preparing takes longer than running it.
inline Statement& prepared(Database& db, const std::string& sql) {
    const auto found = db.prepared.find(sql);
    return found != db.prepared.end() ? found->second
                                      : db.prepared.emplace(sql, Statement(db.sqlite, sql)).first->second;
}

}  // namespace tilewise::db
