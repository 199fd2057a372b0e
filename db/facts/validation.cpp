#include "db/facts/validation.h"

namespace tilewise::db {

void require_consistent(const ValidationFact& fact) {
    const auto [low, high] = fact.interval_ms;
    if (high > 0 && (low > fact.median_ms || high < fact.median_ms)) throw Error("interval_ms: must hold the median");
}

}  // namespace tilewise::db
