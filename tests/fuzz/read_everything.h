// Every question that can be asked of a database.
#pragma once
#include "db/facts/disagreement.h"
#include "db/facts/figure.h"
#include "db/facts/image_rule.h"
#include "db/facts/json.h"
#include "db/facts/launch_order.h"
#include "db/facts/tuning.h"
#include "db/facts/validation.h"
#include "db/query/check.h"
#include "db/query/query.h"

namespace tilewise::fuzz {

inline void read_everything(const db::Database& database) {
    for (const db::PatternSummary& pattern : db::find_patterns(database, {})) {
        to_json(pattern);
        db::pattern_summary(database, pattern.id);
    }
    for (const db::ObservationRow& row : db::find_observations(database, {})) to_json(row);
    for (const db::LaneOrderRow& row : db::find_facts<db::LaneOrderFact>(database)) {
        to_json(row.fact);
        lane_order_text(row.fact);
    }
    for (const db::LaunchOrderRow& row : db::find_facts<db::LaunchOrderFact>(database)) to_json(row.fact);
    for (const db::ValidationRow& row : db::find_facts<db::ValidationFact>(database)) to_json(row.fact);
    for (const auto& row : db::find_facts<db::TuningFact>(database)) to_json(row.fact);
    for (const auto& row : db::find_facts<db::FigureFact>(database)) {
        to_json(row.fact);
        db::newest_figures(database, row.device, row.driver);
    }
    for (const auto& row : db::find_facts<db::ImageRuleFact>(database)) to_json(row.fact);
    db::find_disagreements(database);
    to_json(db::database_stats(database));
}

}  // namespace tilewise::fuzz
