// What `try` found about a user's own shader. It stays in this file: no bundle contains it.
#pragma once
#include "db/sqlite/database.h"
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilewise::db {

struct Trial {
    std::string shader;             ///< hash of its SPIR-V: neither its text nor its code is kept
    std::string device, driver;     ///< by name
    nlohmann::ordered_json result;  ///< as `try --json` prints it; of the scene, its size
    std::string time, tool_version;
};

/// Stores the trial, replacing an earlier one of that shader on that device with that driver.
void keep_trial(Database& db, const Trial& trial);

/// Returns the trials on all devices, the newest first. Throws Error for one that is damaged.
std::vector<Trial> find_trials(const Database& db, const std::string& shader);

}  // namespace tilewise::db
