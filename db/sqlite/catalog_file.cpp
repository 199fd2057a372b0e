#include "db/catalog.h"

#ifdef _WIN32
#define READ_ONLY_SECTION ".section .rdata, \"dr\"\n"
#define SECTION_BEFORE ".text\n"
#else
#define READ_ONLY_SECTION ".pushsection .rodata\n"
#define SECTION_BEFORE ".popsection\n"
#endif

asm(READ_ONLY_SECTION
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
    "tilewise_schema_end:\n" SECTION_BEFORE);

extern "C" const std::byte tilewise_catalog_file_begin[], tilewise_catalog_file_end[];
extern "C" const char tilewise_schema_begin[], tilewise_schema_end[];

namespace tilewise::db {

std::span<const std::byte> embedded_catalog_file() { return {tilewise_catalog_file_begin, tilewise_catalog_file_end}; }

std::string_view embedded_schema() { return {tilewise_schema_begin, tilewise_schema_end}; }

}  // namespace tilewise::db
