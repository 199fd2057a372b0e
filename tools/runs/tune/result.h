// What a search found: the fastest candidate, the one worth keeping, and how the derived order compares.
#pragma once
#include "db/facts/tuning.h"
#include "tools/runs/tune/search.h"
#include <nlohmann/json.hpp>

namespace tilewise {

/// The last round that timed a derived order, and what it showed. Places are indices into the round.
struct Ranking {
    const Round* round = nullptr;  ///< none: the run ended before that
    std::vector<size_t> places;    ///< the fastest first
    size_t derived = 0;            ///< the derived order of the fastest one's method
    kernels::Estimate to_derived;  ///< derived over best: how many times faster the best one is
    /// The simplest candidate that cannot be told apart from the fastest: workgroups in launch order, row, Morton,
    /// memory order, other permutations, matrices; the usual shape first.
    size_t kept = 0;
};

Ranking rank(const Search& search);

/// The fact of the kept candidate. None if the search did not finish.
std::optional<db::TuningFact> fact_of(const Search& search, const Ranking& ranking);

/// The candidate at that place of the round.
const OrderCandidate& candidate_at(const Search& search, const Round& round, size_t place);

/// The name that facts use for an order: row order is called that, whatever it was found as.
std::string stored_name(const kernels::Order& order);

nlohmann::ordered_json to_json(const Search& search, const Ranking& ranking);

}  // namespace tilewise
