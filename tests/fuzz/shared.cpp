#include "db/bundle/bundle.h"
#include "db/query/check.h"
#include "db/sqlite/open.h"
#include "tests/fuzz/targets.h"
#include "tools/cli/files/shared_text.h"

namespace tilewise::fuzz {

void shared(Input input) {
    if (!input.empty())
        require(bundle_in(shared_text(text_of(input)), "framed") == text_of(input), "what is framed comes out again");
    std::string bundle;
    if (!accepted([&] { bundle = bundle_in(std::string(text_of(input)), "shared.txt"); })) return;
    if (bundle.empty()) return;  // no bundle, and nothing that a frame takes
    require(bundle_in(shared_text(bundle), "again") == bundle, "a bundle comes out of its frame as it went in");
    db::Database database = db::open_catalog({});
    if (!accepted([&] { db::import_bundle(database, bundle, "shared.txt"); })) return;
    require(db::check_database(database).faults.empty(), "what import takes, check finds sound");
}

}  // namespace tilewise::fuzz
