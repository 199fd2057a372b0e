// Times jobs against one another: with the GPU's own clock, interleaved, until the figures are good enough.
#pragma once
#include "kernels/job.h"
#include "kernels/measure/statistics.h"
#include <atomic>

namespace tilewise::kernels {

/// When to stop; the first limit that is reached ends the run. (docs/measuring.md explains the procedure.)
struct Limits {
    /// Time for warming up and timing; each job that is right gets at least one sample.
    double seconds = 10;
    /// Every job has reached this ratio of half its interval to its median, with `min_samples` or more.
    double relative_error = 0.005;
    uint32_t min_samples = 10;
    uint32_t max_samples = 100000;
    /// The GPU works for at least `warm_up_seconds` before anything is timed. Warming up ends after a quarter of
    /// `seconds`, or after `most_warm_up_seconds` if that is longer; time beyond that quarter is not taken from `seconds`.
    double warm_up_seconds = 1, most_warm_up_seconds = 0;
    /// A submission that takes longer counts as a hung device.
    double timeout_seconds = 60;
    /// Call each job's check() first; otherwise the caller has done so.
    bool check = true;
    /// Determines the order of jobs and the bootstrap.
    uint64_t seed = 1;
    /// The run ends in good order when this becomes true.
    const std::atomic<bool>* interrupted = nullptr;
};

/// Measurement::failure of a job that the run did not reach (interrupted, or the device failed), or that was skipped.
constexpr const char* not_run = "not run";

struct Measurement {
    /// Empty if the job was right; otherwise says what was wrong, and the job was not timed.
    std::string failure;
    /// The times of single runs of the job, in the order of measurement, without the disturbed ones.
    std::vector<double> ms;
    /// Number of samples that were disturbed or throttled.
    uint32_t discarded = 0;
    /// Runs of the job in one sample.
    uint32_t repeats = 1;
    /// The median of `ms`; NaN if there are no samples.
    Estimate time;
    /// The interval is as small as requested.
    bool converged = false;
};

struct Measurements {
    /// One per job, in the order of the jobs, whatever happened.
    std::vector<Measurement> jobs;
    /// Empty, or why the run ended early: the device was lost or hung, and during which job. Nothing more can run on
    /// the device then; what was measured before is in `jobs`.
    std::string failure;
    /// The device is still working, so none of its objects can be freed.
    bool hung = false;
    /// The device no longer got faster when warming up ended.
    bool steady = false;
    /// How long the GPU worked for warming up.
    double warm_up_ms = 0;
    /// Each submission is a group of jobs that ran at the same clocks.
    uint32_t submissions = 0;
};

/// `phase` is "check", "warm up" or "measure"; `done` of `total` (jobs, ms or s).
using MeasureProgress = std::function<void(const char* phase, double done, double total)>;

/// Throws Error if the queue has no timestamps; throws no such error once the first job has run.
Measurements measure(Context& context, std::span<const Job> jobs, const Limits& limits,
                     const MeasureProgress& progress = {});

/// Throws Error if the queue has no timestamps.
void require_timestamps(const Context& context);

}  // namespace tilewise::kernels
