#include "db/facts/lane_order.h"
#include "db/facts/json.h"
#include <algorithm>

namespace tilewise::db {

void require_consistent(const LaneOrderFact& fact) {
    if (!fact.matrix && fact.note.empty()) throw Error("note: must say why there is no matrix");
    constexpr uint32_t max_side = 65'536;
    if (std::ranges::max(fact.shape) > max_side)
        throw Error(fmt::format("shape: {} is more than {}", fmt::join(fact.shape, "x"), max_side));
    const uint64_t invocations = uint64_t{fact.shape[0]} * fact.shape[1] * fact.shape[2];
    if (fact.matrix && uint64_t{1} << fact.matrix->size() != invocations)
        throw Error(fmt::format("matrix: has {} rows for {} invocations", fact.matrix->size(), invocations));
}

std::string lane_order_text(const LaneOrderFact& fact) {
    if (!fact.matrix) return fact.note;
    return is_identity(*fact.matrix) ? "identity" : fmt::format("{}", fmt::join(lane_names(*fact.matrix), " "));
}

nlohmann::ordered_json to_json(const LaneOrderFact& fact) {
    nlohmann::ordered_json json = members_json(fact);
    json["identity"] = fact.matrix && is_identity(*fact.matrix);
    return json;
}

}  // namespace tilewise::db
