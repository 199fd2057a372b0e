// Times jobs against one another: by the GPU's own clock, interleaved, until the figures are good enough.
#pragma once
#include "kernels/job.h"
#include "kernels/measure/statistics.h"
#include <atomic>

namespace tilewise::kernels {

/// When to stop; the first of these that is reached ends the run. (docs/measuring.md says how it goes.)
struct Limits {
    /// Timing and warming up take so long; each job that is right gets one sample at least.
    double seconds = 10;
    /// Each job reaches it, half its interval over its median, with `min_samples` or more.
    double relative_error = 0.005;
    uint32_t min_samples = 10;
    uint32_t max_samples = 100000;
    /// The GPU works for at least `warm_up_seconds` before anything is timed. Warming up ends after a quarter of
    /// `seconds`, or after `most_warm_up_seconds` if that is longer; time beyond that quarter is not taken from `seconds`.
    double warm_up_seconds = 1, most_warm_up_seconds = 0;
    /// One submission that takes longer counts as a hung device.
    double timeout_seconds = 60;
    /// Each job's check() is called first; else the caller has done so.
    bool check = true;
    /// The order of jobs and the bootstrap follow from it.
    uint64_t seed = 1;
    /// The run ends in good order when it becomes true.
    const std::atomic<bool>* interrupted = nullptr;
};

/// Measurement::failure of a job that the run did not come to (interrupted, or the device failed), or that is skipped.
constexpr const char* not_run = "not run";

struct Measurement {
    /// Empty where the job was right; else it says what was wrong, and the job was not timed.
    std::string failure;
    /// Each is that of one run of the job; they stand in the order of time, without the disturbed ones.
    std::vector<double> ms;
    /// So many samples were disturbed or throttled.
    uint32_t discarded = 0;
    /// One sample has so many runs of the job.
    uint32_t repeats = 1;
    /// This is the median of `ms`; NaN where there are none.
    Estimate time;
    /// The interval is as small as was asked for.
    bool converged = false;
};

struct Measurements {
    /// There is one for each job, in their order, whatever happened.
    std::vector<Measurement> jobs;
    /// Empty, or why the run ended early: the device was lost or hung, and in which job. Nothing more can run on it
    /// then; what was measured before is in `jobs`.
    std::string failure;
    /// The device is still at work, so that nothing of it can be freed.
    bool hung = false;
    /// The clocks were steady after warming up.
    bool steady = false;
    /// The GPU worked so long.
    double warm_up_ms = 0;
    /// Each is a group of jobs that saw the same clocks.
    uint32_t submissions = 0;
};

/// `phase` is "check", "warm up" or "measure"; `done` of `total` (jobs, ms or s).
using MeasureProgress = std::function<void(const char* phase, double done, double total)>;

/// Throws Error where the queue has no timestamps; does nothing of the kind once the first job has run.
Measurements measure(Context& context, std::span<const Job> jobs, const Limits& limits,
                     const MeasureProgress& progress = {});

/// Throws Error where the queue has no timestamps.
void require_timestamps(const Context& context);

}  // namespace tilewise::kernels
