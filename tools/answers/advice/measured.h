// What validate and tune measured of a kernel: the cell that answers a question, and what was fastest in it.
#pragma once
#include "db/facts/tuning.h"
#include "db/facts/validation.h"
#include "kernels/measure/statistics.h"
#include "patterns/remap/remap.h"
#include <functional>
#include <optional>
#include <string_view>

namespace tilewise {

struct KernelQuestion {
    std::string kernel;  ///< "box", ..., or the name of a user's filter
    std::string format;  ///< without VK_FORMAT_
    uint32_t radius = 0;
    std::optional<std::array<uint32_t, 2>> extent = {};  ///< texels; empty: whatever was measured
};

/// One kernel, format, radius and extent on one device and driver.
struct MeasuredCell {
    db::DeviceFact device;
    db::DriverFact driver;
    std::vector<db::ValidationFact> facts;  ///< of each method, order and shape the newest; at least one

    const db::ValidationFact& any() const { return facts.back(); }
};

/// The cell of the kernel and format among the rows whose radius is nearest (as a ratio), then the one whose extent
/// is, then the newest.
std::optional<MeasuredCell> find_measured(std::vector<db::ValidationRow> rows, const KernelQuestion& question);

/// The result among the rows of the very kernel, format and radius whose extent is nearest, then the newest.
std::optional<db::TuningRow> find_tuned(const std::vector<db::TuningRow>& rows, const KernelQuestion& question);

bool has_interval(const db::ValidationFact& fact);  ///< had enough samples for one

/// How many times as fast as `baseline`. The interval is that of the two medians' ends: at least 95%. From 0 to
/// infinity where one of them has none.
kernels::Estimate times_as_fast(const db::ValidationFact& fact, const db::ValidationFact& baseline);

/// Not slower than `other`, as far as their intervals tell.
bool is_as_fast(const db::ValidationFact& fact, const db::ValidationFact& other);

bool is_as_launched(const db::ValidationFact& fact);  ///< its workgroups are in no other order than the launch order
bool is_direct(const db::ValidationFact& fact);       ///< each invocation reads its own texels

/// Methods whose results are rounded otherwise than the kernel's definition.
bool is_approximate(const db::ValidationFact& fact);

/// The fastest of those that `counts` holds for; where others are as fast, within what can be told, the simplest of
/// them: row order before Morton order before memory order. None where there is none.
const db::ValidationFact* fastest(const MeasuredCell& cell,
                                  const std::function<bool(const db::ValidationFact&)>& counts);

/// What a measured one is compared with: that order in 16x16 of the same method, or of `direct` where the method has no
/// order. None where it was not measured.
const db::ValidationFact* in_16x16(const MeasuredCell& cell, const db::ValidationFact& fact, std::string_view order);

/// What the answer rests on: the fastest of all, of `direct`, of the approximate and of memory order, what is as fast
/// and simpler, and what they are compared with.
std::vector<db::ValidationFact> facts_that_advise(const MeasuredCell& cell);

/// The order of a fact of this device and driver, as it was timed: memory order is derived anew from the pattern, in
/// the shape that was. None for a method with an order of its own, and for memory order within its own squares.
std::optional<Remap> remap_of(const db::Database& database, const db::DeviceFact& device, const db::DriverFact& driver,
                              const db::ValidationFact& fact);

}  // namespace tilewise
