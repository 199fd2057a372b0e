#include "db/bundle/bundle.h"
#include "db/facts/disagreement.h"
#include "db/facts/json.h"
#include "db/facts/launch_order.h"
#include "db/facts/validation.h"
#include "db/query/check.h"
#include "db/query/query.h"
#include "db/sqlite/open.h"
#include "tests/fuzz/targets.h"

namespace tilewise::fuzz {

namespace {

void read_everything(const db::Database& database) {
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
    db::find_disagreements(database);
    to_json(db::database_stats(database));
}

}  // namespace

void bundles(Input input) {
    db::Database database = db::open_catalog({});
    if (!accepted([&] { db::import_bundle(database, text_of(input), "bundle"); })) return;
    read_everything(database);
    require(db::check_database(database).faults.empty(), "what import takes, check finds sound");
    const std::string exported = db::export_bundle(database);
    db::Database copy = db::open_catalog({});
    db::import_bundle(copy, exported, "exported");
    require(db::export_bundle(copy) == exported, "an export is imported as it was");
}

void catalogs(Input input) {
    const db::CatalogFile file = {"fuzzed.json", text_of(input)};
    accepted([&] { read_everything(db::open_catalog({&file, 1})); });
}

}  // namespace tilewise::fuzz
