// Which observations are asked for, and that as a condition in SQL.
#pragma once
#include "db/facts/observation.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tilewise::db {

/// What an observation must be to be asked for; an empty member asks for nothing. (The members have initializers so that
/// a caller can name the ones it means.)
struct Filter {
    std::string vendor =
        {};  ///< "NVIDIA", "AMD", "Intel", "ARM", "Qualcomm", "Apple", "Mesa", ..., or an id ("0x10de")
    std::string device = {};  ///< part of the device's name, in any case; whole words go before parts of words
    std::string driver = {};  ///< part of the driver's name, info or version, in any case
    std::string format = {};  ///< e.g. "R8G8B8A8_UNORM", in any case, with or without VK_FORMAT_
    std::string usage = {};   ///< e.g. "storage,sampled": observations of images with at least these usages
    std::optional<std::array<uint32_t, 3>> extent = {};  ///< of level 0
    std::string result = {};                             ///< e.g. "opaque"
    std::string pattern = {};                            ///< a full id
    std::optional<std::vector<int64_t>> devices = {};    ///< rows of the table device
    std::string gpu = {};                                ///< what these are called, for messages
    std::string provenance = {};                         ///< e.g. "hardware"
    std::string mode = {};  ///< part of the mode's name, size or modifier, in any case: "64KB_R_X"
    bool operator==(const Filter&) const = default;
};

/// A filter as SQL over a table, without WHERE, and the values of its parameters in their order.
struct Condition {
    std::string sql;
    std::vector<std::variant<int64_t, std::string>> values;
};
/// The table; pattern_use has no format, extent or result, rule neither these nor a pattern, tuning no result or usage, and
/// figure nothing but a format.
enum class FactTable { observation, pattern_use, rule, tuning, figure };
/// Throws UsageError for an unknown vendor, or an extent that cannot be.
Condition condition_of(const Database& db, const Filter& filter, FactTable table = FactTable::observation);
Statement& bind(Statement& statement, const Condition& condition);

}  // namespace tilewise::db
