// What a stranger shared (docs/share.md), checked before it becomes a file of db/catalog/shared.
#pragma once
#include "db/catalog.h"
#include "db/sqlite/database.h"
#include <span>
#include <string>
#include <vector>

namespace tilewise {

/// A text that passed.
struct Intake {
    std::string file;                  ///< its name in db/catalog/shared: "nvidia-geforce-rtx-4090.json"
    std::string bundle;                ///< its facts, with the provenance `shared`, and rules that were learned
    std::vector<std::string> remarks;  ///< lines: what agrees with the catalog, and what contradicts it
};

/// The catalog of the source tree, which may be newer than this program's.
db::Database catalog_of_folder(const std::string& folder);

/// Checks the text of a file, which is a shared text or a bundle of one device, by itself, and compares it with the
/// catalog. With `learn`, rules that its images suffice for join it. Throws Error, naming the file, where it is damaged,
/// where facts in it are not as a device's owner finds them, where two elements would share a byte, or where its
/// readings contradict one another.
Intake checked_intake(const std::string& text, const std::string& name, const db::Database& catalog, bool learn);

}  // namespace tilewise
