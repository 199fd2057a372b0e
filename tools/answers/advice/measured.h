// What validate and tune measured for a kernel: the cell that answers a question, and what was fastest in it.
#pragma once
#include "db/facts/tuning.h"
#include "db/facts/validation.h"
#include "kernels/measure/statistics.h"
#include "patterns/remap/access.h"
#include "tools/answers/advice/time_surface.h"
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tilewise {

/// The workgroup shape that others are compared with.
constexpr std::array<uint32_t, 2> usual_shape = {16, 16};

struct KernelQuestion {
    /// "box", ..., or the name of a user's filter; "gather" or "copy" if only the access is asked about.
    std::string kernel;
    std::string format;  ///< without VK_FORMAT_
    uint32_t radius = 0;
    std::optional<std::array<uint32_t, 2>> extent = {};  ///< texels; none: whatever was measured
    ImageAccess access = ImageAccess::box;
    std::string said = {};  ///< the kernel that was asked for, if `kernel` stands for it; else empty

    const std::string& shown_kernel() const { return said.empty() ? kernel : said; }
};

/// One kernel, format, radius and extent on one device and driver: at least one result of validate or tune.
struct MeasuredCell {
    db::DeviceFact device;
    db::DriverFact driver;
    uint32_t radius = 0;
    std::array<uint32_t, 2> extent = {1, 1};
    /// The newest timing for each method, order and shape.
    std::vector<db::ValidationFact> facts;
    /// The newest result of tune for each method.
    std::vector<db::TuningFact> tuned;
};

/// What a time is multiplied by for another radius and other images.
struct TimeScale {
    double factor = 1;
    bool by_texels = false;  ///< the factor is the ratio of the texel counts, because no timings say more
};

/// The cells that can answer the question: with its kernel and format, on one device, with one radius.
struct MeasuredCells {
    std::vector<MeasuredCell> cells;
    /// The extent that is asked for; else that of the newest result.
    std::array<uint32_t, 2> extent = {1, 1};
    uint32_t radius = 0;            ///< the one that is asked for
    TimeSurface times = {};         ///< of the fastest exact method
    TimeSurface direct_times = {};  ///< of the fastest order of `direct`

    /// The scale for that method from the cell to the radius that is asked for, over images of the extent `to`.
    TimeScale scale(const std::string& method, const MeasuredCell& cell, const std::array<uint32_t, 2>& to) const;
};

/// Finds the cells that answer the question. Their radius is that of the question if it was timed over images with a
/// quarter to four times the texels that are asked for; else that of the nearest result, where an octave of the radius
/// counts as much as four octaves of the texels. Their device is that of the result with the nearest extent, then of
/// the newest result. If a method was measured with several drivers over images of one extent, the newest driver
/// counts. Methods that cannot have the question's radius do not count. Neither do cells farther away than the nearest
/// one in which several methods were timed: the best method is among those. None if there is no result.
std::optional<MeasuredCells> find_measured(const std::vector<db::ValidationRow>& validations,
                                           const std::vector<db::TuningRow>& tunings, const KernelQuestion& question);

std::string extent_of(const std::array<uint32_t, 2>& extent);  ///< "1920x1080"

/// The distance of two extents in octaves of their texels, plus one if they are not the same.
double octaves_between(const std::array<uint32_t, 2>& extent, const std::array<uint32_t, 2>& other);

bool has_interval(const db::ValidationFact& fact);  ///< whether it has enough samples for an interval

/// How many times as fast `fact` is as `baseline`. The interval follows from the ends of the two medians' intervals: at
/// least 95%. It is 0 to infinity if one of them has no interval.
kernels::Estimate times_as_fast(const db::ValidationFact& fact, const db::ValidationFact& baseline);

/// Whether it is not slower than `other`, as far as their intervals show.
bool is_as_fast(const db::ValidationFact& fact, const db::ValidationFact& other);

bool is_as_launched(const db::ValidationFact& fact);  ///< its workgroups run in the launch order
bool is_direct(const db::ValidationFact& fact);       ///< each invocation reads its own texels

/// "fused" for "fused, 8 rows, 1 strips, ..": methods of one family differ in numbers, or in how they read.
std::string family_of(const std::string& method);

/// The fastest of the facts that `counts` accepts; if others are as fast, within what can be distinguished, the
/// simplest of them: row order before Morton order before memory order. None if `counts` accepts none.
const db::ValidationFact* fastest(const MeasuredCell& cell,
                                  const std::function<bool(const db::ValidationFact&)>& counts);

/// What a measured fact is compared with: that order in 16x16 for the same method, or for `direct` if the method has no
/// order. None if it was not measured.
const db::ValidationFact* in_16x16(const MeasuredCell& cell, const db::ValidationFact& fact, std::string_view order);

/// The facts that the answer rests on: the fastest of all, of `direct`, of the approximate methods and of memory order;
/// those that are as fast and simpler; and those that they are compared with.
std::vector<db::ValidationFact> facts_that_advise(const MeasuredCell& cell);

/// The order of a fact of this device and driver, as it was timed: memory order is derived again from the pattern, in
/// the timed shape. None for a method with an order of its own, and for memory order within the method's own squares.
std::optional<Remap> remap_of(const db::Database& database, const db::DeviceFact& device, const db::DriverFact& driver,
                              const db::ValidationFact& fact);

}  // namespace tilewise
