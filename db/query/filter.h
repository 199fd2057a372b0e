// A filter selects observations; it is turned into an SQL condition.
#pragma once
#include "db/facts/observation.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tilewise::db {

/// The properties that an observation must have to be selected; an empty member selects everything. (The members have
/// initializers so that a caller can name only those that it needs.)
struct Filter {
    /// "NVIDIA", "AMD", "Intel", "ARM", "Qualcomm", "Apple", "Mesa", ..., or an id ("0x10de").
    std::string vendor = {};
    /// Part of the device's name, in any case; matches of whole words have precedence over parts of words.
    std::string device = {};
    /// Part of the driver's name, info or version, in any case.
    std::string driver = {};
    /// In any case, with or without VK_FORMAT_: "R8G8B8A8_UNORM".
    std::string format = {};
    /// Usages that the images have at least: "storage,sampled".
    std::string usage = {};
    /// The extent of level 0.
    std::optional<std::array<uint32_t, 3>> extent = {};
    std::string result = {};  ///< e.g. "opaque"
    /// A full id.
    std::string pattern = {};
    /// Rows of the table device; `gpu` is the name for them in messages.
    std::optional<std::vector<int64_t>> devices = {};
    std::string gpu = {};
    std::string provenance = {};  ///< e.g. "hardware"
    /// Part of the mode's name, size or modifier, in any case: "64KB_R_X".
    std::string mode = {};
    bool operator==(const Filter&) const = default;
};

/// A filter as an SQL condition over a table, without WHERE, and the values of its parameters in order.
struct Condition {
    std::string sql;
    std::vector<std::variant<int64_t, std::string>> values;
};
/// The tables that a filter's condition can be about. Not all have all of a filter's members: pattern_use has no
/// format, extent or result; rule has none of these and no pattern; tuning has no result or usage; figure has only a
/// format.
enum class FactTable { observation, pattern_use, rule, tuning, figure };
/// Throws UsageError for an unknown vendor, or an impossible extent.
Condition condition_of(const Database& db, const Filter& filter, FactTable table = FactTable::observation);
Statement& bind(Statement& statement, const Condition& condition);

}  // namespace tilewise::db
