// A use says how a device and driver use a pattern: it is a summary of the observations, kept in the database beside
// them, so that a question need not count them all. Whoever adds observations adds to it in the same transaction.
#pragma once
#include "db/facts/observation.h"
#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewise::db {

struct PatternUseKey {
    int64_t device = 0, driver = 0;  ///< rows
    std::string pattern, provenance, usage, route;
    auto operator<=>(const PatternUseKey&) const = default;
};

/// A sighting is when something was first seen, and by which row of the table observation: what is listed is in that
/// order.
using Sighting = std::pair<std::string, int64_t>;

struct PatternUse {
    uint64_t observations = 0;
    Sighting first;
    std::string last_time;
    std::set<std::string, std::less<>> formats;
    std::set<std::array<uint32_t, 3>> extents;
    bool operator==(const PatternUse&) const = default;
};

using PatternUses = std::map<PatternUseKey, PatternUse>;

/// Counts one more observation, which is new; one without a pattern does not count. `row` is its own.
void count_use(PatternUses& uses, const Origin& origin, const ObservationFact& fact, const std::string& pattern,
               int64_t row);

/// Adds these to what the database has, within the caller's transaction.
void add_uses(Database& db, const PatternUses& uses);

/// Returns what the database has. Throws Error naming the row that cannot be read.
PatternUses stored_uses(const Database& db);

/// A row has lists: names stand one a line, extents one after the other, with commas ("300x200x1,64x64x1"). Each may be
/// there more than once, in any order.
template <typename Add>
void each_format(std::string_view list, Add add) {
    while (!list.empty()) {
        const size_t end = std::min(list.find('\n'), list.size());
        add(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
}
/// Throws Error where the list is none.
std::vector<std::array<uint32_t, 3>> extents_of(std::string_view list);

}  // namespace tilewise::db
