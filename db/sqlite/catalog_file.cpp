#include "db/catalog.h"

asm(".pushsection .rodata\n"
    ".balign 16\n"
    ".global tilewise_catalog_file_begin, tilewise_catalog_file_end\n"
    "tilewise_catalog_file_begin:\n"
    ".incbin \"" TILEWISE_CATALOG_FILE
    "\"\n"
    "tilewise_catalog_file_end:\n"
    ".popsection\n");

extern "C" const std::byte tilewise_catalog_file_begin[], tilewise_catalog_file_end[];

namespace tilewise::db {

std::span<const std::byte> embedded_catalog_file() { return {tilewise_catalog_file_begin, tilewise_catalog_file_end}; }

}  // namespace tilewise::db
