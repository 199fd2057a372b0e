// The advice that timings of a device give.
#pragma once
#include "tools/answers/advice/advice.h"

namespace tilewise {

/// The best of all that these rows say of the kernel, radius and format: of the question, or of one like it, which it
/// then assumes. Each method counts by its timing at the nearest extent, scaled where that is another one, and no
/// timing of one method hides another method. Where two methods were timed over the same images, that comparison ranks
/// them, else what each takes beside `direct`; but no method is chosen where one that was timed at the very extent is
/// faster by more than 10% than the scaled time of the choice. What tune found is taken for its method unless it is
/// slower than what validate measured over such images, or as fast but without an interval where validate's has one.
/// The families are ranked by how long each takes as compared with the advised method, over the nearest images of which
/// both were timed. None: nobody measured the kernel and format.
std::optional<Advice> measured_advice(const db::Database& database, const std::vector<db::ValidationRow>& validations,
                                      const std::vector<db::TuningRow>& tunings, const KernelQuestion& question);

}  // namespace tilewise
