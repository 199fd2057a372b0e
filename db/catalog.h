// The shipped catalog: the bundles of db/catalog/ (see db/bundle/bundle.h), compiled into the program.
#pragma once
#include <cstddef>
#include <span>
#include <string_view>

namespace tilewise::db {

struct CatalogFile {
    std::string_view name;  ///< e.g. "nvidia.json"
    std::string_view text;
};

std::span<const CatalogFile> embedded_catalog();

/// Returns the catalog as a finished SQLite file of this schema, which the build makes once
/// (sqlite/make_catalog_file.cpp): a new database starts as a copy of it. Empty in the program that makes the file.
std::span<const std::byte> embedded_catalog_file();
/// Returns that file's schema_text(); empty in the same program.
std::string_view embedded_schema();

}  // namespace tilewise::db
