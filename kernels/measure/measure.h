// Times jobs against one another: by the GPU's own clock, interleaved, until the figures are good enough.
#pragma once
#include "kernels/job.h"
#include "kernels/measure/statistics.h"
#include <atomic>

namespace tilewise::kernels {

/// When to stop; the first of these that is reached ends the run. (docs/measuring.md says how it goes.)
struct Limits {
    double seconds = 10;            ///< for timing and warming up; each job that is right gets one sample at least
    double relative_error = 0.005;  ///< of each job: half its interval over its median, with `min_samples` or more
    uint32_t min_samples = 10;
    uint32_t max_samples = 100000;
    double warm_up_seconds = 1;   ///< of the GPU's work, at least; never more than a quarter of `seconds`
    double timeout_seconds = 60;  ///< one submission that takes longer counts as a hung device
    bool check = true;            ///< call each job's check() first; false: the caller has done so
    uint64_t seed = 1;            ///< of the order of jobs and of the bootstrap
    const std::atomic<bool>* interrupted = nullptr;  ///< ends the run in good order when it becomes true
};

/// Measurement::failure of a job that the run did not come to (interrupted, or the device failed), or that is skipped.
constexpr const char* not_run = "not run";

struct Measurement {
    std::string failure;     ///< empty: the job was right. Else what was wrong, and it was not timed
    std::vector<double> ms;  ///< of one run of the job each, in the order of time, without the disturbed ones
    uint32_t discarded = 0;  ///< samples that were disturbed or throttled
    uint32_t repeats = 1;    ///< runs of the job in one sample
    Estimate time;           ///< median of `ms`; NaN where there are none
    bool converged = false;  ///< its interval is as small as was asked for
};

struct Measured {
    std::vector<Measurement> jobs;  ///< one for each job, in their order, whatever happened
    /// Empty, or why the run ended early: the device was lost or hung, and in which job. Nothing more can run on it then;
    /// what was measured before is in `jobs`.
    std::string failure;
    bool hung = false;         ///< the device is still at work: nothing of it can be freed
    bool steady = false;       ///< the clocks were, after warming up
    double warm_up_ms = 0;     ///< of the GPU's work
    uint32_t submissions = 0;  ///< each a group of jobs that saw the same clocks
};

/// `phase` is "check", "warm up" or "measure"; `done` of `total` (jobs, ms or s).
using MeasureProgress = std::function<void(const char* phase, double done, double total)>;

/// Throws Error where the queue has no timestamps; does nothing of the kind once the first job has run.
Measured measure(Context& context, std::span<const Job> jobs, const Limits& limits,
                 const MeasureProgress& progress = {});

/// Throws Error where the queue has no timestamps.
void require_timestamps(const Context& context);

}  // namespace tilewise::kernels
