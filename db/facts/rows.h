// Observations as they come out of SQLite, and the filter as SQL.
#pragma once
#include "db/query/query.h"
#include "patterns/model/text.h"
#include <string>
#include <string_view>

namespace tilewise::db {

/// SELECT and FROM for read_observation(); conditions and an order may follow.
extern const std::string_view select_observations;
enum class Layouts { read, skip };  ///< skip: leaves fact.layout empty, which saves most of the time
ObservationRow read_observation(const Statement& row, Layouts layouts = Layouts::read);
ObservationRow observation_at(const Database& db, int64_t row);

/// A condition over select_observations, without WHERE; its parameters are bound by bind_filter().
extern const std::string_view filter_condition;
/// Throws UsageError for an unknown vendor or a format, an extent or a result that cannot be.
void bind_filter(Statement& statement, const Filter& filter);

/// The rows of a device and a driver (canonical ones), added if they are new. Within the caller's transaction.
struct Origin {
    int64_t device = 0, driver = 0;
    bool new_device = false, new_driver = false;
};
Origin find_or_add_origin(Database& db, const DeviceFact& device, const DriverFact& driver);

/// Columns of select_observations and the like: a device, then a driver; `column` goes on behind them.
DeviceFact read_device(const Statement& row, int& column);
DriverFact read_driver(const Statement& row, int& column);

/// The order of facts by what they say, whenever and wherever they were added.
extern const std::string_view order_by_fact;

/// "256x256", "64x64x32"
std::string extent_text(const std::array<uint32_t, 3>& extent);
/// "NVIDIA H100 (NVIDIA 580.159.04)"
std::string device_text(const DeviceFact& device, const DriverFact& driver);

}  // namespace tilewise::db
