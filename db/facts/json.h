// A fact's members as JSON, as commands print them.
#pragma once
#include "db/facts/members.h"
#include "db/facts/rules.h"
#include "db/facts/shared_json.h"
#include "patterns/model/error.h"
#include "patterns/model/sparse_blocks.h"
#include "patterns/remap/lane_matrix.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tilewise::db {

template <typename T>
nlohmann::ordered_json value_json(const T& value) {
    return value;
}
template <typename T>
nlohmann::ordered_json value_json(const std::optional<T>& value) {
    return value ? nlohmann::ordered_json(*value) : nullptr;
}
inline nlohmann::ordered_json value_json(const SharedJson& object) { return object.value(); }
inline nlohmann::ordered_json value_json(const std::optional<LaneMatrix>& matrix) {
    return matrix ? nlohmann::ordered_json(lane_names(*matrix)) : nullptr;
}
inline nlohmann::ordered_json value_json(const std::optional<SparseBlocks>& blocks) {
    return blocks ? tilewise::to_json(*blocks) : nullptr;
}

/// Reads a matrix that value_json() wrote. Throws Error.
inline LaneMatrix lanes_from_json(const nlohmann::json& names) {
    const auto is_text = [](const nlohmann::json& name) { return name.is_string(); };
    if (!names.is_array() || !std::ranges::all_of(names, is_text))
        throw Error("must be a list such as [\"i0\",\"i1\"]");
    return lanes_from_names(names.get<std::vector<std::string>>());
}

template <typename Fact, typename T, typename Rule>
nlohmann::ordered_json member_json(const Fact& fact, const Member<Fact, T, Rule>& member) {
    if constexpr (WritesHex<Rule>)
        return fmt::format("{:#06x}", fact.*member.pointer);
    else
        return value_json(fact.*member.pointer);
}

template <ListsMembers Fact>
nlohmann::ordered_json members_json(const Fact& fact) {
    nlohmann::ordered_json json;
    each_member<Fact>([&](const auto& member) {
        const bool is_unknown = member.presence == Presence::unknown && has_default(fact, member);
        json[member.name] = is_unknown ? nlohmann::ordered_json(nullptr) : member_json(fact, member);
    });
    return json;
}

/// Facts that print more than their members have a function of their own next to their struct.
template <ListsMembers Fact>
nlohmann::ordered_json to_json(const Fact& fact) {
    return members_json(fact);
}

}  // namespace tilewise::db
