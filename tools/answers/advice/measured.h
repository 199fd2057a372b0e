// What validate and tune measured of a kernel: the cell that answers a question, and what was fastest in it.
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

/// The shape of workgroups that others are compared with.
constexpr std::array<uint32_t, 2> usual_shape = {16, 16};

struct KernelQuestion {
    /// It is "box", ..., or the name of a user's filter; "gather" or "copy" where the access alone is asked about.
    std::string kernel;
    std::string format;  ///< without VK_FORMAT_
    uint32_t radius = 0;
    std::optional<std::array<uint32_t, 2>> extent = {};  ///< texels; empty: whatever was measured
    ImageAccess access = ImageAccess::box;
    std::string said = {};  ///< the kernel that was asked for, where `kernel` stands for it; else empty

    const std::string& shown_kernel() const { return said.empty() ? kernel : said; }
};

/// One kernel, format, radius and extent on one device and driver: what validate and tune found, at least one result.
struct MeasuredCell {
    db::DeviceFact device;
    db::DriverFact driver;
    uint32_t radius = 0;
    std::array<uint32_t, 2> extent = {1, 1};
    /// Of each method, order and shape it has the newest timing.
    std::vector<db::ValidationFact> facts;
    /// Of each method it has the newest result of tune.
    std::vector<db::TuningFact> tuned;
};

/// What a time is multiplied by for another radius and other images.
struct TimeScale {
    double factor = 1;
    bool by_texels = false;  ///< the ratio of the images' texels, as no timing tells more
};

/// The cells that speak of the question: of the kernel and format, on one device, with one radius.
struct MeasuredCells {
    std::vector<MeasuredCell> cells;
    /// The extent that is asked for; else that of the newest result.
    std::array<uint32_t, 2> extent = {1, 1};
    uint32_t radius = 0;            ///< that is asked for
    TimeSurface times = {};         ///< of the fastest exact method
    TimeSurface direct_times = {};  ///< of the fastest order of `direct`

    /// Of that method, from the cell to the radius that is asked for, over images of the extent.
    TimeScale scale(const std::string& method, const MeasuredCell& cell, const std::array<uint32_t, 2>& to) const;
};

/// The radius is that of the question where it was timed over images of a quarter to four times the texels that are asked
/// for; else the one of the nearest result, where an octave of the radius counts as four of the texels. The device is
/// that of the result whose extent is nearest, then of the newest. Where a method was measured with
/// several drivers over images of one extent, the newest driver counts. Methods that cannot have the radius of the
/// question do not count, nor do cells farther than the nearest one where several methods were timed: the best there is
/// among them. None where there is no result.
std::optional<MeasuredCells> find_measured(const std::vector<db::ValidationRow>& validations,
                                           const std::vector<db::TuningRow>& tunings, const KernelQuestion& question);

std::string extent_of(const std::array<uint32_t, 2>& extent);  ///< "1920x1080"

/// The distance of two extents in octaves of their texels, and one more where they are not the same.
double octaves_between(const std::array<uint32_t, 2>& extent, const std::array<uint32_t, 2>& other);

bool has_interval(const db::ValidationFact& fact);  ///< had enough samples for one

/// How many times as fast as `baseline`. The interval is that of the two medians' ends: at least 95%. From 0 to
/// infinity where one of them has none.
kernels::Estimate times_as_fast(const db::ValidationFact& fact, const db::ValidationFact& baseline);

/// Not slower than `other`, as far as their intervals tell.
bool is_as_fast(const db::ValidationFact& fact, const db::ValidationFact& other);

bool is_as_launched(const db::ValidationFact& fact);  ///< its workgroups are in no other order than the launch order
bool is_direct(const db::ValidationFact& fact);       ///< each invocation reads its own texels

/// "fused" of "fused, 8 rows, 1 strips, ..": methods of one family differ in numbers, or in how they read.
std::string family_of(const std::string& method);

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
