#include "db/sqlite/open.h"
#include "db/bundle/bundle.h"
#include "db/facts/pattern_mode.h"
#include "db/sqlite/guard.h"
#include "db/sqlite/own_files.h"
#include "db/sqlite/schema.h"
#include "patterns/model/error.h"
#include "system/files.h"
#include "system/folders.h"
#include <array>
#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <sqlite3.h>
#include <xxhash.h>

namespace fs = std::filesystem;

namespace tilewise::db {

namespace {

void write_log_on_close(const Connection& connection, bool on) {
    const int code = sqlite3_db_config(connection.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on ? 0 : 1, nullptr);
    if (code != SQLITE_OK) throw_sqlite_error(connection.get(), code);
}

Connection open_file(const std::string& name, int flags) {
    sqlite3* handle = nullptr;
    // A Database, with its prepared statements, is used by one thread at a time, so SQLite need not lock.
    const int code = sqlite3_open_v2(name.c_str(), &handle, flags | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX,
                                     own_files_vfs().c_str());
    Connection connection(handle);
    // SQLite does not report which file it is.
    if ((code & 0xff) == SQLITE_CANTOPEN)
        throw Error(fmt::format(
            "{}: cannot be opened: make it and its folder readable and writable, or use another --db", name));
    if (code != SQLITE_OK) throw_sqlite_error(handle, code);
    guard(handle);
    // If the file is refused, it and its log must stay as they are, but closing the database would write the log into
    // it.
    if (has_log(name)) write_log_on_close(connection, false);
    return connection;
}

// Next to a file in WAL mode, SQLite wants to create two more. If the folder's permissions or a full disk prevent that,
// and no other process is writing, the file can still be read if SQLite is told that nobody changes it.
Connection open_unchanging_file(const fs::path& path) {
    std::string uri = "file:";
    for (const char c : system::text_of(path)) {
        if (c == '%' || c == '?' || c == '#')
            uri += fmt::format("%{:02x}", static_cast<unsigned>(c));
        else
            uri += c;
    }
    return open_file(uri + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
}

enum class Content { empty, ours, foreign };

Content content_of(const Connection& connection) {
    Statement id(connection, "PRAGMA application_id");
    const int64_t found = id.step() ? id.integer(0) : 0;
    if (found == application_id) return Content::ours;
    Statement tables(connection, "SELECT count(*) FROM sqlite_schema");
    const bool has_tables = tables.step() && tables.integer(0) != 0;
    return found == 0 && !has_tables && schema_version(connection) == 0 ? Content::empty : Content::foreign;
}

/// Returns whether the file has any content. It is read in the state of one moment: another process may be creating or
/// migrating the file.
bool require_ours(const Connection& connection, std::span<const char* const> steps, const std::string& name) {
    execute(connection, "BEGIN");
    const Content content = content_of(connection);
    if (content == Content::foreign)
        throw Error(name + ": is a database of another program: name another file with --db");
    if (content == Content::ours) {
        require_known_schema(schema_version(connection), steps, name);
        require_own_schema(connection, steps, name);
    }
    execute(connection, "COMMIT");
    return content == Content::ours;
}

// Two processes that create the same file at the same time collide here, and SQLite does not wait for this lock by
// itself.
void use_write_ahead_log(const Connection& connection) {
    for (int attempt = 0;; ++attempt) {
        const int code = sqlite3_exec(connection.get(), "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
        if (code == SQLITE_OK) return;
        if ((code & 0xff) != SQLITE_BUSY || !wait_for_lock(attempt)) throw_sqlite_error(connection.get(), code);
    }
}

std::string hash_of(std::span<const CatalogFile> catalog) {
    // A hash over the hashes of all texts: the catalog has megabytes, and copying it would take longer than hashing.
    std::string hashes;
    for (const CatalogFile& file : catalog) {
        const XXH128_hash_t hash = XXH3_128bits(file.text.data(), file.text.size());
        hashes += fmt::format("{}\n{:016x}{:016x}\n", file.name, hash.high64, hash.low64);
    }
    const XXH128_hash_t hash = XXH3_128bits(hashes.data(), hashes.size());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

bool has_catalog_of(const Database& db, const std::string& hash) {
    Statement known(db.sqlite, "SELECT value FROM meta WHERE key = 'catalog'");
    return known.step() && known.text(0) == hash;
}

void bring_catalog(Database& db, std::span<const CatalogFile> catalog) {
    const std::string hash = hash_of(catalog);
    if (has_catalog_of(db, hash)) return;
    Transaction transaction(db.sqlite);
    if (has_catalog_of(db, hash)) return;  // another process imported it while this one waited
    load_catalog(db, catalog);
    Statement(db.sqlite, "INSERT OR REPLACE INTO meta VALUES ('catalog', ?)").bind(hash).run();
    transaction.commit();
}

/// Makes the embedded catalog file the content of a database in memory, and returns whether there is one. A copy of it
/// would take half the time of a short command, so SQLite reads it in place and must not write.
bool use_catalog_file(const Connection& connection) {
    const std::span<const std::byte> file = embedded_catalog_file();
    if (file.empty()) return false;
    auto* bytes = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(file.data()));
    const auto size = static_cast<sqlite3_int64>(file.size());
    const int code = sqlite3_deserialize(connection.get(), "main", bytes, size, size, SQLITE_DESERIALIZE_READONLY);
    if (code != SQLITE_OK) throw_sqlite_error(connection.get(), code);
    return true;
}

bool is_embedded(std::span<const CatalogFile> catalog) { return catalog.data() == embedded_catalog().data(); }

/// Creates a new file with the embedded catalog, completely or not at all. If that fails, or if another process was
/// quicker, nothing happens: SQLite creates the file, and the catalog is imported. The same applies if the log of a
/// deleted file is still there: SQLite drops such a log for an empty file, but would apply it to this one.
void place_catalog_file(const fs::path& path) {
    const std::span<const std::byte> file = embedded_catalog_file();
    std::error_code ignored;
    const auto is_there = [&](const char* ending) { return fs::exists(fs::path(path) += ending, ignored); };
    const bool has_rest = is_there("-wal") || is_there("-journal");
    if (file.empty() || has_rest) return;
    // These two bytes of SQLite's header say that there is a write-ahead log.
    constexpr std::array write_ahead = {std::byte{2}, std::byte{2}};
    constexpr size_t at = 18;
    const std::array parts = {file.first(at), std::span<const std::byte>(write_ahead),
                              file.subspan(at + write_ahead.size())};
    system::place_new_file(path, parts);
}

Database open_for_reading(const fs::path& path) {
    const std::string name = system::text_of(path);
    // Not SQLITE_OPEN_READONLY: such a connection leaves its WAL files behind. SQLite itself opens a file read-only if
    // it cannot be written.
    Database db{open_file(name, SQLITE_OPEN_READWRITE), name};
    Statement probe(db.sqlite, "PRAGMA schema_version");
    try {
        probe.step();
    } catch (const Error&) {
        const int code = sqlite3_extended_errcode(db.sqlite.get());
        const bool cannot_add_files = (code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY ||
                                      (code & 0xff) == SQLITE_FULL || code == SQLITE_IOERR_SHMSIZE ||
                                      code == SQLITE_IOERR_SHMOPEN || code == SQLITE_IOERR_SHMMAP;
        if (!cannot_add_files || has_log(path)) throw;
        db.sqlite = open_unchanging_file(path);
    }
    return db;
}

void require_file(const fs::path& path, Access access) {
    const std::string name = system::text_of(path);
    if (name.empty() || name.front() == ':' || name.starts_with("file:"))
        throw Error(fmt::format("\"{}\" is not the name of a file to SQLite: write it with --db as ./{}", name,
                                name.empty() ? "tilewise.db" : name));
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status))
        throw Error(fmt::format("{}: is a folder: name a file with --db", system::text_of(path)));
    if (status.type() == fs::file_type::not_found) {
        if (access == Access::read_only)
            throw Error(fmt::format("no database at {}: run `tilewise probe`, or name another with --db",
                                    system::text_of(path)));
        fs::create_directories(path.parent_path().empty() ? fs::path(".") : path.parent_path(), error);
        if (error)
            throw Error(fmt::format("{}: its folder cannot be created: {}", system::text_of(path), error.message()));
    } else if (!fs::is_regular_file(status)) {
        throw Error(fmt::format("{}: is not a file that can be read: name another with --db", system::text_of(path)));
    }
}

}  // namespace

std::optional<fs::path> default_path() {
    if (const std::string file = system::environment("TILEWISE_DB"); !file.empty()) return system::path_of(file);
    if (const auto folder = system::data_folder()) return *folder / "tilewise.db";
    return {};
}

Database open_database(const fs::path& path, Access access, std::span<const CatalogFile> catalog,
                       std::span<const char* const> steps) {
    require_file(path, access);
    require_own_files(path);
    std::error_code unknown;
    if (access == Access::read_write && is_embedded(catalog) && !fs::exists(path, unknown) && !unknown)
        place_catalog_file(path);
    const std::string name = system::text_of(path);
    Database db = access == Access::read_only
                      ? open_for_reading(path)
                      : Database{open_file(name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE), name};

    if (!require_ours(db.sqlite, steps, name) && access == Access::read_only)
        throw Error(name + ": is empty: run `tilewise probe`, or name another file with --db");
    write_log_on_close(db.sqlite, true);

    const bool read_only_file = sqlite3_db_readonly(db.sqlite.get(), "main") == 1;
    const bool is_older = schema_version(db.sqlite) < schema_after(steps);
    if (read_only_file && (access == Access::read_write || is_older))
        throw_sqlite_error(db.sqlite.get(), SQLITE_READONLY);

    execute(db.sqlite, "PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY");
    // A writer caches the pages of a large database: up to 128 MiB. For a reader, fresh memory costs more than the
    // system's copy.
    execute(db.sqlite, access == Access::read_write ? "PRAGMA cache_size = -131072" : "PRAGMA cache_size = -8192");
    if (!read_only_file && is_older) {
        use_write_ahead_log(db.sqlite);
        migrate(db.sqlite, steps);
        refresh_modes(db);
    }
    if (access == Access::read_write) {
        refresh_modes(db);
        bring_catalog(db, catalog);
    } else
        execute(db.sqlite, "PRAGMA query_only = ON");
    return db;
}

bool has_catalog(const Database& db, std::span<const CatalogFile> catalog) {
    return has_catalog_of(db, hash_of(catalog));
}

std::optional<Database> open_again(const Database& db) {
    const char* file = sqlite3_db_filename(db.sqlite.get(), "main");
    if (!file || !*file) return {};
    try {
        return open_database(file, Access::read_only, {});
    } catch (const Error&) {
        return {};
    }
}

Database open_catalog(std::span<const CatalogFile> catalog) {
    Database db{open_file(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE), "the catalog"};
    execute(db.sqlite, "PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY");
    // The build made that file with this schema and this catalog.
    if (is_embedded(catalog) && use_catalog_file(db.sqlite)) return db;
    migrate(db.sqlite, schema_steps());
    bring_catalog(db, catalog);
    return db;
}

}  // namespace tilewise::db
