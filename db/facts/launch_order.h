// A launch order: the order in which the workgroups of a dispatch start. The table and the bundle's list keep the name
// that they were released with, start_order.
#pragma once
#include "db/facts/stored.h"
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace tilewise::db {

struct LaunchOrderFact {
    std::array<uint32_t, 2> grid = {1, 1};  ///< workgroups
    std::string visit = "not visible";      ///< row, column, morton: the nearest; mixed: none is near; not visible
    std::string note = {};                  ///< e.g. why it is not visible
    std::string time = {};                  ///< UTC, as utc_now() writes it
    std::string tool_version = {};
    nlohmann::json statistics = nlohmann::json::object();  ///< see docs/lanes.md

    static constexpr const char* table = "start_order";
    static constexpr const char* title = "launch order";
    static constexpr const char* bundle_list = "start_orders";
    static constexpr const char* row_order = "time DESC, visit, statistics, note, start_order.id";
    static constexpr auto members() {
        using enum Presence;
        using F = LaunchOrderFact;
        constexpr std::array<std::string_view, 5> visits = {"row", "column", "morton", "mixed", "not visible"};
        return std::tuple(member("grid", &F::grid, required, rule::positive_integer, "width,height"),
                          member("visit", &F::visit, required, rule::one_of(visits)),
                          member("note", &F::note, optional, rule::line),
                          member("time", &F::time, required, rule::utc_time),
                          member("tool_version", &F::tool_version, optional, rule::line),
                          member("statistics", &F::statistics, required, rule::json_object));
    }
};
static_assert(members_are_complete<LaunchOrderFact>());

/// Throws Error if a statistic is not listed in docs/lanes.md, or is of the wrong type or out of range; all are
/// optional.
void require_consistent(const LaunchOrderFact& fact);

/// The newest come first.
using LaunchOrderRow = Stored<LaunchOrderFact>;

}  // namespace tilewise::db
