#include "db/bundle/bundle.h"
#include "db/query/check.h"
#include "db/sqlite/open.h"
#include "tests/fuzz/read_everything.h"
#include "tests/fuzz/targets.h"
#include "tests/support/db_sample.h"
#include <algorithm>
#include <sqlite3.h>

namespace tilewise::fuzz {

namespace {

namespace fs = std::filesystem;

/// Two of the catalog's smallest files: every question is asked of them several times an input.
const std::vector<db::CatalogFile>& small_catalog() {
    static const std::vector<db::CatalogFile> files = [] {
        std::vector<db::CatalogFile> some;
        std::ranges::copy_if(db::embedded_catalog(), std::back_inserter(some), [](const db::CatalogFile& file) {
            return file.name == "arm-panvk.json" || file.name == "published-tables.json";
        });
        return some;
    }();
    return files;
}

/// As bytes.
std::string sound_database() {
    const sample::Folder folder;
    db::open_database(folder / "sound.db", db::Access::read_write, small_catalog());
    return sample::file_bytes(folder / "sound.db");
}

/// Whatever SQL does to a file, but for other files and for work without end.
void change(const fs::path& path, const std::string& sql) {
    sqlite3* handle = nullptr;
    sqlite3_open(path.c_str(), &handle);
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_progress_handler(
        handle, 100'000, [](void*) { return 1; }, nullptr);
    sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr);
    sqlite3_close(handle);
}

/// Whether check finds nothing wrong.
bool is_sound(const fs::path& path) {
    bool sound = false;
    accepted([&] { sound = db::check_database(db::open_database(path, db::Access::read_only)).faults.empty(); });
    return sound;
}

}  // namespace

void databases(Input input) {
    static const std::string original = sound_database();
    static const sample::Folder folder;
    const fs::path path = folder / "fuzzed.db";
    for (const auto& entry : fs::directory_iterator(folder.path)) fs::remove(entry);
    const std::string text(text_of(input));
    if (text.starts_with("SQLite format 3")) {
        sample::write_file(path, text);
    } else {
        sample::write_file(path, original);
        change(path, text);
    }
    const bool sound = is_sound(path);
    std::string exported;
    const bool read = accepted([&] {
        const db::Database database = db::open_database(path, db::Access::read_only);
        read_everything(database);
        exported = db::export_bundle(database);
    });
    if (sound) {
        require(read, "what check finds sound can be read");
        db::Database other = db::open_catalog({});
        require(accepted([&] { db::import_bundle(other, exported, "exported"); }), "and be imported elsewhere");
    }
    accepted([&] {
        db::Database database = db::open_database(path, db::Access::read_write, small_catalog());
        db::add_observation(database, sample::h100(), sample::nvidia_580(),
                            sample::observed(sample::gob_of_16(), "2026-01-01T00:00:00.000Z"));
    });
    is_sound(path);
}

}  // namespace tilewise::fuzz
