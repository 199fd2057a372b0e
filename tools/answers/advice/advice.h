// How to run a kernel on a GPU: which method, workgroup and order, what they gain, and how that is known.
#pragma once
#include "patterns/remap/workgroup.h"
#include "tools/answers/advice/measured.h"
#include <nlohmann/json.hpp>

namespace tilewise {

enum class AdviceSource { measured, measured_elsewhere, predicted, unknown };

/// What was measured of one way to run the kernel, and what it gains.
struct TimedWay {
    /// Of a result of tune it has what both have.
    db::ValidationFact fact;
    /// It is so many times as fast as these orders in 16x16, over images of the extent that was measured.
    std::optional<kernels::Estimate> over_row, over_morton;
    /// It is there where tune found the way.
    std::optional<db::TuningFact> tuned = {};
    db::DriverFact driver = {};
    /// Images of the extent that is asked for have so many times as many texels as those that were measured.
    double scale = 1;
};

struct Advice {
    KernelQuestion question;
    AdviceSource source = AdviceSource::unknown;
    std::string device;  ///< the one that was measured, or whose pattern predicts; else the one that was asked for
    std::string driver;
    std::string pattern;                ///< id; empty where none is known
    std::vector<std::string> assumed;   ///< one line each
    db::DeviceFact measured_device;     ///< measured: on which
    std::optional<TimedWay> way;        ///< measured: the fastest of all
    std::optional<TimedWay> direct;     ///< measured: the fastest where each invocation reads its own texels
    std::optional<TimedWay> rounded;    ///< measured, and faster than `way`: its results are rounded otherwise
    std::optional<Derivation> derived;  ///< predicted
    /// The one of `direct` or `derived`; row order in 16x16 where images are linear; none: unknown.
    std::optional<Remap> remap;
    GroupOrder groups = {};  ///< of `direct`
    bool is_linear = false;  ///< predicted: rows are memory order
    std::string why_unknown;
    /// Of a workgroup on the device; 0: not known.
    uint32_t max_invocations = 0;
    /// The measurements that a prediction rests on, where it is another order than the pattern's.
    std::string rests_on;
};

/// The best of all that these rows say of the kernel, radius and format: of the question, or of one like it, which it
/// then assumes. Each method counts by its timing at the nearest extent, scaled by pixels where that is another one,
/// and no timing of one method hides another method. Where two methods were timed over the same images, that comparison
/// ranks them; but no method is chosen where one that was timed at the very extent is faster by more than 10% than the
/// scaled time of the choice. What tune found is taken for its method unless it is slower than what validate measured
/// over such images, or as fast but without an interval where validate's has one. None: nobody measured the kernel and
/// format.
std::optional<Advice> measured_advice(const db::Database& database, const std::vector<db::ValidationRow>& validations,
                                      const std::vector<db::TuningRow>& tunings, const KernelQuestion& question);

/// In which order workgroups take the image, and how that is known or had.
std::string groups_text(const Advice& advice);

/// How a way of this advice is known, where, since when.
std::string known_text(const Advice& advice, const TimedWay& way);

/// No order is faster than row order in 16x16; predicted: row, Morton and memory order touch as many segments of 32, 64
/// and 128 bytes, or no order touches fewer than row order.
bool gains_nothing(const Advice& advice);

/// Morton order in 16x16 is as fast as the advised order, or is predicted to touch as few segments as memory order.
bool is_morton_enough(const Advice& advice);

/// The order by a pattern, where nobody timed the kernel: what the advice then holds of it.
void take_prediction(Advice& advice, const Pattern& pattern, const KnownDevice& device);

/// An access is asked about in place of a kernel.
bool is_access_alone(const KernelQuestion& question);

/// The command that measures the very question; none for a gather and a copy, which no command times.
std::optional<std::string> validate_command(const KernelQuestion& question);

/// A few lines, as `advise` prints them.
std::string advice_text(const Advice& advice);

nlohmann::ordered_json to_json(const Advice& advice);

}  // namespace tilewise
