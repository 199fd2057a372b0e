// The shipped catalog: the bundles of db/catalog/, compiled into the program.
#pragma once
#include "db/bundle.h"
#include <span>
#include <string_view>

namespace tilewise::db {

struct CatalogFile {
    std::string_view name;  ///< e.g. "nvidia.json"
    std::string_view text;
};

std::span<const CatalogFile> embedded_catalog();

/// Imports all files in one transaction; what is there already stays. Returns the sum.
Imported load_catalog(Database& db, std::span<const CatalogFile> files);

}  // namespace tilewise::db
