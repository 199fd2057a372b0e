// Checks what a stranger shared (docs/share.md) before it becomes a file of db/catalog/shared.
#pragma once
#include "db/catalog.h"
#include "db/sqlite/database.h"
#include <span>
#include <string>
#include <vector>

namespace tilewise {

/// A text that passed the checks.
struct Intake {
    std::string file;                  ///< its name in db/catalog/shared: "nvidia-geforce-rtx-4090.json"
    std::string bundle;                ///< its facts, with the provenance `shared`, and rules learned from them
    std::vector<std::string> remarks;  ///< lines: what agrees with the catalog, and what contradicts it
};

/// The catalog in the source tree, which may be newer than this program's.
db::Database catalog_of_folder(const std::string& folder);

/// Checks the text of a file, a shared text or a bundle of one device, by itself, and compares it with the catalog.
/// With `learn`, rules for which its images suffice are added. Throws Error that names the file if it is damaged, if it
/// has facts that a device's owner would not find like that, if two elements would share a byte, or if its readings
/// contradict one another.
Intake checked_intake(const std::string& text, const std::string& name, const db::Database& catalog, bool learn);

}  // namespace tilewise
