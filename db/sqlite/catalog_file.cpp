#include "db/catalog.h"

asm(".pushsection .rodata\n"
    ".balign 16\n"
    ".global tilewise_catalog_file_begin, tilewise_catalog_file_end\n"
    "tilewise_catalog_file_begin:\n"
    ".incbin \"" TILEWISE_CATALOG_FILE
    "\"\n"
    "tilewise_catalog_file_end:\n"
    ".global tilewise_schema_begin, tilewise_schema_end\n"
    "tilewise_schema_begin:\n"
    ".incbin \"" TILEWISE_SCHEMA_FILE
    "\"\n"
    "tilewise_schema_end:\n"
    ".popsection\n");

extern "C" const std::byte tilewise_catalog_file_begin[], tilewise_catalog_file_end[];
extern "C" const char tilewise_schema_begin[], tilewise_schema_end[];

namespace tilewise::db {

std::span<const std::byte> embedded_catalog_file() { return {tilewise_catalog_file_begin, tilewise_catalog_file_end}; }

std::string_view embedded_schema() { return {tilewise_schema_begin, tilewise_schema_end}; }

}  // namespace tilewise::db
