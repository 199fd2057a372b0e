// A use says how a device and driver use a pattern. It summarizes the observations and is stored beside them, so that a
// question need not count them all. Code that adds observations must update it in the same transaction.
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

/// When something was first seen, and in which row of the table observation; lists are in that order.
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

/// Counts one more observation, which must be new; one without a pattern does not count. `row` is the observation's
/// row.
void count_use(PatternUses& uses, const Origin& origin, const ObservationFact& fact, const std::string& pattern,
               int64_t row);

/// Adds these to the stored uses, within the caller's transaction.
void add_uses(Database& db, const PatternUses& uses);

/// Returns the stored uses. Throws Error naming the row that cannot be read.
PatternUses stored_uses(const Database& db);

/// A row contains lists: names are one per line; extents are separated by commas ("300x200x1,64x64x1"). An entry may
/// occur more than once, in any order.
template <typename Add>
void each_format(std::string_view list, Add add) {
    while (!list.empty()) {
        const size_t end = std::min(list.find('\n'), list.size());
        add(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
}
/// Throws Error if the text is not such a list.
std::vector<std::array<uint32_t, 3>> extents_of(std::string_view list);

}  // namespace tilewise::db
