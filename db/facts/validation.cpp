#include "db/facts/validation.h"
#include "patterns/remap/remap.h"

namespace tilewise::db {

void require_consistent(const ValidationFact& fact) {
    const auto [low, high] = fact.interval_ms;
    try {
        group_order_from_text(fact.group_order);
    } catch (const Error& error) {
        throw Error(fmt::format("group_order: {}", error.what()));
    }
    if (high > 0 && (low > fact.median_ms || high < fact.median_ms)) throw Error("interval_ms: must hold the median");
}

}  // namespace tilewise::db
