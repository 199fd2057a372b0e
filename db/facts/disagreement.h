// A disagreement: two observations of one image, in one run, that give different places to the same elements. It is
// kept, never averaged away. (Facts that differ from run to run are contradictions: db/query/contradiction.h.)
#pragma once
#include "db/facts/observation.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewise::db {

struct DisagreementFact {
    int64_t first = 0, second = 0;                        ///< rows of observations (Added::observation)
    uint64_t differing = 0;                               ///< elements
    Coord element = {};                                   ///< the first that differs
    std::optional<uint64_t> first_offset, second_offset;  ///< bytes; none where that observation did not find it
    std::string text;                                     ///< one line for people

    static constexpr const char* table = "disagreement";
    /// The list has everything but the two observations, which bundles name by their positions.
    static constexpr auto members() {
        using enum Presence;
        using F = DisagreementFact;
        return std::tuple(member("differing", &F::differing, required, rule::anything),
                          member("element", &F::element, required, rule::anything, "x,y,z,s"),
                          member("first_offset", &F::first_offset, required, rule::anything),
                          member("second_offset", &F::second_offset, required, rule::anything),
                          member("text", &F::text, required, rule::line));
    }
};
static_assert(members_are_complete<DisagreementFact, int64_t, int64_t>());

void require_consistent(const DisagreementFact& fact);

struct DisagreementRow {
    DisagreementFact fact;
    ObservationRow first, second;
};

/// Returns false if it was there already.
bool add_disagreement(Database& db, const DisagreementFact& fact);

/// Returns all of them, in the order in which they were found.
std::vector<DisagreementRow> find_disagreements(const Database& db);

}  // namespace tilewise::db
