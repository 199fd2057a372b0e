// How to run a kernel on a GPU: which method, workgroup and order, what they gain, and how that is known.
#pragma once
#include "patterns/remap/workgroup.h"
#include "tools/answers/advice/measured.h"
#include <nlohmann/json.hpp>

namespace tilewise {

enum class AdviceSource { measured, measured_elsewhere, predicted, unknown };

/// What was measured of one way to run the kernel, and what it gains.
struct TimedWay {
    db::ValidationFact fact;                                 ///< of a tune result what both have
    std::optional<kernels::Estimate> over_row, over_morton;  ///< times as fast as these orders in 16x16
    std::optional<db::TuningFact> tuned = {};                ///< where tune found it
};

struct Advice {
    KernelQuestion question;
    AdviceSource source = AdviceSource::unknown;
    std::string device;  ///< the one that was measured, or whose pattern predicts; else the one that was asked for
    std::string driver;
    std::string pattern;               ///< id; empty where none is known
    std::vector<std::string> assumed;  ///< one line each
    db::DeviceFact measured_device;    ///< measured: on which
    db::DriverFact measured_driver;
    std::optional<TimedWay> way;        ///< measured: the fastest of all
    std::optional<TimedWay> direct;     ///< measured: the fastest where each invocation reads its own texels
    std::optional<TimedWay> rounded;    ///< measured, and faster than `way`: its results are rounded otherwise
    std::optional<Derivation> derived;  ///< predicted
    /// The one of `direct` or `derived`; row order in 16x16 where images are linear; none: unknown.
    std::optional<Remap> remap;
    GroupOrder groups = {};  ///< of `direct`
    bool is_linear = false;  ///< predicted: rows are memory order
    std::string why_unknown;
};

/// By these rows, of the question or of one like it, which it then assumes. What tune found on a device and driver
/// comes beside what validate measured there: it is taken for its method unless it is slower, or as fast but without an
/// interval where validate's has one. Where they are of two drivers or extents, what fits the question better answers,
/// else the newer. None: nobody measured the kernel and format.
std::optional<Advice> measured_advice(const db::Database& database, std::vector<db::ValidationRow> validations,
                                      const std::vector<db::TuningRow>& tunings, const KernelQuestion& question);

/// In which order workgroups take the image, and how that is known or had.
std::string groups_text(const Advice& advice);

/// How a way of this advice is known, where, since when.
std::string known_text(const Advice& advice, const TimedWay& way);

/// The choice, or row order where it touches as few segments.
const Remap& predicted_remap(const Derivation& derivation);

/// Nothing is faster than, or touches fewer segments than, row order in 16x16.
bool gains_nothing(const Advice& advice);

/// The command that measures the very question.
std::string validate_command(const KernelQuestion& question);

/// A few lines, as `advise` prints them.
std::string advice_text(const Advice& advice);

nlohmann::ordered_json to_json(const Advice& advice);

}  // namespace tilewise
