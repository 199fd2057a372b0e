#include "db/facts/trial.h"
#include "patterns/model/error.h"
#include "patterns/model/json_limits.h"
#include <fmt/format.h>

namespace tilewise::db {

void keep_trial(Database& db, const Trial& trial) {
    Transaction transaction(db.sqlite);
    prepared(db,
             "INSERT OR REPLACE INTO trial (shader, device, driver, result, time, tool_version) VALUES (?, ?, ?, ?, ?, "
             "?)")
        .bind(trial.shader, trial.device, trial.driver, trial.result.dump(), trial.time, trial.tool_version)
        .run();
    transaction.commit();
}

std::vector<Trial> find_trials(const Database& db, const std::string& shader) {
    Statement rows(db.sqlite,
                   "SELECT shader, device, driver, result, time, tool_version FROM trial WHERE shader = ? ORDER BY "
                   "time DESC, device, driver");
    rows.bind(shader);
    std::vector<Trial> trials;
    while (rows.step()) {
        Trial trial = {rows.text(0), rows.text(1), rows.text(2), {}, rows.text(4), rows.text(5)};
        const std::string result = rows.text(3);
        require_json_limits(result, fmt::format("{}: what is kept of the shader {}", db.path, shader));
        trial.result = nlohmann::ordered_json::parse(result, nullptr, false);
        if (!trial.result.is_object())
            throw Error("the database's entry for that shader is damaged: run tilewise try again");
        trials.push_back(std::move(trial));
    }
    return trials;
}

}  // namespace tilewise::db
