// The advice that follows from timings on a device.
#pragma once
#include "tools/answers/advice/advice.h"

namespace tilewise {

/// The best way to run the kernel according to these rows, for the question's radius and images, or for the nearest
/// that were timed, as an assumption.
///
/// Each method counts with its timing at the nearest extent, scaled if that is another one, and no timing of one method
/// hides another method. Two methods that were timed over the same images are ranked by that comparison, others by how
/// each compares with `direct`. But a method is not chosen if, at the question's own extent, another one was timed more
/// than 10% faster than the scaled time of the choice. A result of tune counts for its method unless it is slower than
/// validate's over such images, or as fast but without an interval where validate's has one.
///
/// The families are ranked by how long each takes compared with the advised method, over the nearest images for which
/// both were timed. None if nobody measured the kernel and format.
std::optional<Advice> measured_advice(const db::Database& database, const std::vector<db::ValidationRow>& validations,
                                      const std::vector<db::TuningRow>& tunings, const KernelQuestion& question);

}  // namespace tilewise
