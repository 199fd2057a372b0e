// A lane order: which invocation (gl_LocalInvocationIndex) of a workgroup runs in which lane of which subgroup.
#pragma once
#include "db/facts/stored.h"
#include "patterns/remap/lane_matrix.h"
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tilewise::db {

struct LaneOrderFact {
    std::array<uint32_t, 3> shape = {1, 1, 1};  ///< of the workgroup
    std::string built_in = "index";             ///< how the shader finds its texel: "index" (of the invocation) or "id"
    uint32_t subgroup_size = 0;                 ///< as observed; 0 if it could not be
    std::string note = {};
    std::string time = {};  ///< UTC, as utc_now() writes it: when it was first observed
    std::string tool_version = {};
    /// The matrix leads to the place, subgroup * size + lane. There is no matrix if the order is not linear, or if
    /// there is no order at all; the note says which.
    std::optional<LaneMatrix> matrix = {};

    static constexpr const char* table = "lane_order";
    static constexpr const char* title = "lane order";
    static constexpr const char* bundle_list = "lane_orders";
    static constexpr const char* row_order =
        "built_in DESC, width * height * depth, width, height, subgroup_size, matrix, note, lane_order.id";
    static constexpr auto members() {
        using enum Presence;
        using F = LaneOrderFact;
        constexpr std::array<std::string_view, 2> built_ins = {"index", "id"};
        return std::tuple(member("shape", &F::shape, required, rule::positive_integer, "width,height,depth"),
                          member("built_in", &F::built_in, optional, rule::one_of(built_ins)),
                          member("subgroup_size", &F::subgroup_size, optional, rule::anything),
                          member("note", &F::note, optional, rule::line),
                          member("time", &F::time, required, rule::utc_time),
                          member("tool_version", &F::tool_version, optional, rule::line),
                          member("matrix", &F::matrix, unknown, rule::anything));
    }
};
static_assert(members_are_complete<LaneOrderFact>());

void require_consistent(const LaneOrderFact& fact);

using LaneOrderRow = Stored<LaneOrderFact>;

/// Returns "identity", "i1 i0 i2^i3 ..", or the note.
std::string lane_order_text(const LaneOrderFact& fact);

/// The object also says whether invocation i runs in place i, for which the text is "identity".
nlohmann::ordered_json to_json(const LaneOrderFact& fact);

}  // namespace tilewise::db
