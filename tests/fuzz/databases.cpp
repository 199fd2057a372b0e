#include "db/sqlite/open.h"
#include "tests/fuzz/targets.h"
#include "tests/support/db_sample.h"
#include "tools/commands/commands.h"
#include "tools/terminal/print.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <sqlite3.h>

namespace tilewise::fuzz {

namespace {

namespace fs = std::filesystem;

/// A sound database of two of the catalog's files, as bytes.
std::string sound_database() {
    const sample::Folder folder;
    std::vector<db::CatalogFile> files;
    std::ranges::copy_if(db::embedded_catalog(), std::back_inserter(files), [](const db::CatalogFile& file) {
        return file.name == "mesa-lavapipe.json" || file.name == "intel-anv.json";
    });
    db::open_database(folder / "sound.db", db::Access::read_write, files);
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

void command(const fs::path& path, const char* text) {
    CLI::App app;
    Globals globals = {path.string(), false};
    app.fallthrough();
    app.add_flag("--json", globals.json);
    add_query_command(app, globals);
    add_show_command(app, globals);
    add_snippet_command(app, globals);
    add_db_commands(app, globals);
    accepted([&] { app.parse(text); });
}

}  // namespace

void databases(Input input) {
    static const std::string sound = sound_database();
    static const sample::Folder folder;
    const fs::path path = folder / "fuzzed.db";
    for (const auto& entry : fs::directory_iterator(folder.path)) fs::remove(entry);
    const std::string text(text_of(input));
    if (text.starts_with("SQLite format 3")) {
        sample::write_file(path, text);
    } else {
        sample::write_file(path, sound);
        change(path, text);
    }
    for (const char* line :
         {"db check", "db stats", "query", "query --json", "show --device llvmpipe --format R8G8B8A8_UNORM",
          "snippet --lang glsl --kind address --format R8G8B8A8_UNORM --gpu llvmpipe"})
        command(path, line);
    command(path, "db export -");
    accepted([&] {
        db::Database database = db::open_database(path, db::Access::read_write);
        db::add_observation(database, sample::h100(), sample::nvidia_580(),
                            sample::observed(sample::gob_of_16(), "2026-01-01T00:00:00.000Z"));
    });
    command(path, "db check");
}

}  // namespace tilewise::fuzz
