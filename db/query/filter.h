// A filter says which observations are asked for, and becomes a condition in SQL.
#pragma once
#include "db/facts/observation.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tilewise::db {

/// A filter says what an observation must be to be asked for; an empty member asks for nothing. (The members have
/// initializers so that a caller can name the ones it means.)
struct Filter {
    /// The vendor is "NVIDIA", "AMD", "Intel", "ARM", "Qualcomm", "Apple", "Mesa", ..., or an id ("0x10de").
    std::string vendor = {};
    /// This is part of the device's name, in any case; whole words go before parts of words.
    std::string device = {};
    /// This is part of the driver's name, info or version, in any case.
    std::string driver = {};
    /// The format is in any case, with or without VK_FORMAT_: "R8G8B8A8_UNORM".
    std::string format = {};
    /// The images have at least these usages: "storage,sampled".
    std::string usage = {};
    /// The extent is that of level 0.
    std::optional<std::array<uint32_t, 3>> extent = {};
    std::string result = {};  ///< e.g. "opaque"
    /// The pattern is a full id.
    std::string pattern = {};
    /// The devices are rows of the table device; `gpu` is what they are called, for messages.
    std::optional<std::vector<int64_t>> devices = {};
    std::string gpu = {};
    std::string provenance = {};  ///< e.g. "hardware"
    /// This is part of the mode's name, size or modifier, in any case: "64KB_R_X".
    std::string mode = {};
    bool operator==(const Filter&) const = default;
};

/// A condition is a filter as SQL over a table, without WHERE, and the values of its parameters in their order.
struct Condition {
    std::string sql;
    std::vector<std::variant<int64_t, std::string>> values;
};
/// A filter's condition is over one of these tables. Not all have all of a filter's members: pattern_use has no format,
/// extent or result, rule neither these nor a pattern, tuning no result or usage, and figure nothing but a format.
enum class FactTable { observation, pattern_use, rule, tuning, figure };
/// Throws UsageError for an unknown vendor, or an extent that cannot be.
Condition condition_of(const Database& db, const Filter& filter, FactTable table = FactTable::observation);
Statement& bind(Statement& statement, const Condition& condition);

}  // namespace tilewise::db
