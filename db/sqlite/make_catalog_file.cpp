// tilewise_make_catalog_file FILE SCHEMA: the embedded catalog as a SQLite file, and its schema as text, for the build.
#include "db/sqlite/open.h"
#include "db/sqlite/schema.h"
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <sqlite3.h>

namespace tilewise::db {

std::span<const std::byte> embedded_catalog_file() { return {}; }

std::string_view embedded_schema() { return {}; }

}  // namespace tilewise::db

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("usage: tilewise_make_catalog_file FILE SCHEMA\n", stderr);
        return 2;
    }
    try {
        const tilewise::db::Database catalog = tilewise::db::open_catalog();
        sqlite3_int64 size = 0;
        const std::unique_ptr<unsigned char, void (*)(void*)> bytes(
            sqlite3_serialize(catalog.sqlite.get(), "main", &size, 0), sqlite3_free);
        std::ofstream file(argv[1], std::ios::binary);
        if (bytes) file.write(reinterpret_cast<const char*>(bytes.get()), size);
        std::ofstream schema(argv[2], std::ios::binary);
        schema << tilewise::db::schema_text(catalog.sqlite);
        if (bytes && file.flush() && schema.flush()) return 0;
        std::fprintf(stderr, "tilewise_make_catalog_file: %s cannot be written\n", argv[1]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tilewise_make_catalog_file: %s\n", error.what());
    }
    return 1;
}
