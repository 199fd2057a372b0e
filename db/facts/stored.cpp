#include "db/facts/stored.h"

namespace tilewise::db {

namespace {

struct FactRow {
    int64_t row = 0;
    bool is_new = false;
};

template <typename Fact>
FactRow find_or_add(Database& db, const Fact& fact) {
    static const std::string find = find_sql<Fact>(), insert = insert_sql<Fact>();
    if (const std::optional<int64_t> row = bind_fact(prepared(db, find), fact).only_integer()) return {*row, false};
    bind_fact(prepared(db, insert), fact).run();
    return {last_row(db.sqlite), true};
}

}  // namespace

Origin find_or_add_origin(Database& db, const DeviceFact& device, const DriverFact& driver) {
    const FactRow of = find_or_add(db, device);
    const FactRow with = find_or_add(db, driver);
    return {of.row, with.row, of.is_new, with.is_new};
}

}  // namespace tilewise::db
