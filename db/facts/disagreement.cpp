#include "db/facts/disagreement.h"

namespace tilewise::db {

void require_consistent(const DisagreementFact& fact) {
    if (fact.first == fact.second) throw Error("second: must be another observation than \"first\"");
    if (fact.differing == 0) throw Error("differing: must be positive");
}

bool add_disagreement(Database& db, const DisagreementFact& fact) {
    static const std::string insert =
        insert_sql<DisagreementFact>({"first", "second"}) + " ON CONFLICT (first, second) DO NOTHING";
    Transaction transaction(db.sqlite);
    bind_fact(prepared(db, insert), canonical(fact), fact.first, fact.second).run();
    const bool is_new = changed_rows(db.sqlite) != 0;
    transaction.commit();
    return is_new;
}

std::vector<DisagreementRow> find_disagreements(const Database& db) {
    Statement rows(db.sqlite, fmt::format("SELECT id, first, second, {} FROM disagreement ORDER BY id",
                                          fmt::join(columns_of<DisagreementFact>(), ", ")));
    ObservationReader observations(db);
    std::vector<DisagreementRow> list;
    while (rows.step()) {
        int column = 3;
        try {
            DisagreementRow row{.fact = read_fact<DisagreementFact>(rows, column),
                                .first = observations.at(rows.integer(1)),
                                .second = observations.at(rows.integer(2))};
            row.fact.first = row.first.row;
            row.fact.second = row.second.row;
            list.push_back(std::move(row));
        } catch (const Error& error) {
            throw Error(fmt::format("disagreement {} cannot be read: {}", rows.integer(0), error.what()));
        }
    }
    return list;
}

}  // namespace tilewise::db
