#include "db/facts/figure.h"

namespace tilewise::db {

void require_consistent(const FigureFact& fact) {
    if (fact.interval[1] > 0 && (fact.interval[0] > fact.value || fact.interval[1] < fact.value))
        throw Error(fmt::format("interval: must hold its figure, {}", fact.value));
}

}  // namespace tilewise::db
