// The shipped catalog: the bundles of db/catalog/ (see db/bundle.h), compiled into the program.
#pragma once
#include <span>
#include <string_view>

namespace tilewise::db {

struct CatalogFile {
    std::string_view name;  ///< e.g. "nvidia.json"
    std::string_view text;
};

std::span<const CatalogFile> embedded_catalog();

}  // namespace tilewise::db
