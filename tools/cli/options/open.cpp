#include "tools/cli/options/open.h"
#include "db/query/query.h"
#include "patterns/model/error.h"
#include "system/files.h"
#include "system/folders.h"
#include "tools/cli/terminal/print.h"
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace tilewise {

namespace {

std::optional<std::filesystem::path> path_if_any(const Globals& globals) {
    return globals.database.empty() ? db::default_path() : system::path_of(globals.database);
}

}  // namespace

std::filesystem::path chosen_path(const Globals& globals) {
    if (const auto path = path_if_any(globals)) return *path;
    throw Error(fmt::format("no place for the database: {} is not set; name a file with --db", system::data_variable));
}

namespace {

void print_once(const std::string& note) {
    static bool is_told = false;
    if (!std::exchange(is_told, true)) print_note(note);
}

/// Adds this version's catalog if possible; returns whether the file has it then.
bool bring_catalog(const std::filesystem::path& path) {
    try {
        return db::has_catalog(db::open_database(path, db::Access::read_write));
    } catch (const Error&) {
        return false;  // it cannot be written
    }
}

/// Another version's catalog must not answer for this version's. The user's own file gets this version's catalog; a
/// file given by --db is left unchanged, and a note on stderr says so.
db::Database open_with_catalog(const std::filesystem::path& path, bool is_own) {
    db::Database database = db::open_database(path, db::Access::read_only);
    if (db::has_catalog(database)) return database;
    if (is_own && bring_catalog(path)) return db::open_database(path, db::Access::read_only);
    if (is_own && db::observation_count(database) == 0) {
        print_once(
            fmt::format("{} is unfinished and empty: answering from the shipped catalog.", system::text_of(path)));
        return db::open_catalog();
    }
    print_once(
        fmt::format("{}: has the catalog of another version of tilewise, without this version's corrections: any "
                    "command that writes to it (tilewise probe, tilewise db merge) adds them.",
                    system::text_of(path)));
    return database;
}

}  // namespace

void require_named_database(const Globals& globals) {
    if (!globals.database.empty()) db::open_database(chosen_path(globals), db::Access::read_only);
}

db::Database open_to_read(const Globals& globals) {
    const std::optional<std::filesystem::path> path = path_if_any(globals);
    std::error_code unreadable;
    if (path && (std::filesystem::exists(*path, unreadable) || unreadable))
        return open_with_catalog(*path, globals.database.empty());
    print_once(
        path ? fmt::format("There is no database {} yet: answering from the shipped catalog.", system::text_of(*path))
             : fmt::format("{} is not set, so there is no database: answering from the shipped catalog.",
                           system::data_variable));
    return db::open_catalog();
}

db::Database open_if_there(const Globals& globals) {
    const std::optional<std::filesystem::path> path = path_if_any(globals);
    std::error_code unreadable;
    if (path && (std::filesystem::exists(*path, unreadable) || unreadable))
        return db::open_database(*path, db::Access::read_only);
    return db::open_catalog();
}

db::Database open_to_write(const Globals& globals) {
    return db::open_database(chosen_path(globals), db::Access::read_write);
}

}  // namespace tilewise
