#include "db/bundle/bundle.h"
#include "db/query/check.h"
#include "db/sqlite/open.h"
#include "tests/fuzz/read_everything.h"
#include "tests/fuzz/targets.h"

namespace tilewise::fuzz {

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
