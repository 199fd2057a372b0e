#include "kernels/measure/measure.h"
#include "kernels/measure/gpu_timer.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

namespace tilewise::kernels {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double submission_ms = 20;       // long enough to hide the gap between two submissions
constexpr double max_warm_up_run_ms = 2;   // up to this, a submission begins with an untimed run of its first job
constexpr double min_sample_ms = 0.05;     // shorter jobs are repeated within a sample
constexpr double min_sample_ticks = 1000;  // likewise, on coarse clocks
constexpr uint32_t max_repeats = 1000;
constexpr double window_ms = 50;  // of warming up
constexpr size_t window_samples = 5;
constexpr double growth_of_rounds = 1.2;  // from one check of the intervals to the next

struct Run {
    Context& context;
    std::span<const Job> jobs;
    const Limits& limits;
    const MeasureProgress& progress;
    GpuTimer timer = {};
    Clock::time_point start = {};
    std::vector<size_t> right = {};  // the jobs that are timed
    std::vector<double> estimated_ms = {};
    std::vector<std::vector<Sample>> series = {};
    uint32_t group = 0;
    Measurements measured = {};

    double seconds() const { return std::chrono::duration<double>(Clock::now() - start).count(); }
    bool interrupted() const { return limits.interrupted && *limits.interrupted; }
    void show(const char* phase, double done, double total) const {
        if (progress) progress(phase, done, total);
    }
};

/// The first texel that differs, or another fault of this job alone; throws if the device has failed.
std::string check_job(const Context& context, const Job& job) {
    try {
        return job.check();
    } catch (const vulkan::VulkanError& error) {
        throw run_failed(context, error, "was checked", job);
    } catch (const Error& error) {
        return error.what();
    }
}

void check_jobs(Run& run) {
    for (Measurement& job : run.measured.jobs) job.failure = not_run;
    for (size_t i = 0; i < run.jobs.size() && !run.interrupted(); ++i) {
        if (!run.jobs[i].skipped.empty()) continue;
        if (run.limits.check) {
            run.show("check", static_cast<double>(i), static_cast<double>(run.jobs.size()));
            run.measured.jobs[i].failure = check_job(run.context, run.jobs[i]);
        } else {
            run.measured.jobs[i].failure.clear();
        }
        if (run.measured.jobs[i].failure.empty()) run.right.push_back(i);
    }
}

std::vector<double> timed(Run& run, std::span<const Slot> slots, bool warm_up_run) {
    run.measured.submissions++;
    return time_slots(run.context, run.timer, slots, warm_up_run);
}

/// Runs the first job until its times no longer fall and the device has worked long enough. The submissions are as long as
/// those that are timed later: a GPU that pauses between short ones keeps the low clocks that it fell to while the host
/// compiled shaders.
void warm_up(Run& run) {
    const Job& job = run.jobs[run.right.front()];
    const double share = run.limits.seconds / 4, max_seconds = std::max(share, run.limits.most_warm_up_seconds);
    std::vector<WarmUpWindow> windows;
    std::vector<double> samples;
    double in_window = 0;
    size_t slots = 1;
    uint32_t repeats = 1;
    while (!run.interrupted()) {
        for (const double ms : timed(run, std::vector<Slot>(slots, {&job, repeats}), false)) {
            samples.push_back(ms / repeats);
            in_window += ms;
            run.measured.warm_up_ms += ms;
        }
        const double runs = std::max(submission_ms / samples.back(), 1.0);
        slots = static_cast<size_t>(std::min(runs, static_cast<double>(job.prepare ? max_slots : window_samples)));
        if (!job.prepare)
            repeats = static_cast<uint32_t>(std::min(runs / static_cast<double>(slots), double{max_repeats}));
        run.show("warm up", run.measured.warm_up_ms, run.limits.warm_up_seconds * 1e3);
        if (samples.size() >= window_samples && in_window >= window_ms) {
            windows.push_back({run.seconds(), median(samples)});
            run.measured.steady = is_steady(windows);
            samples.clear();
            in_window = 0;
        }
        const bool long_enough = run.measured.warm_up_ms >= run.limits.warm_up_seconds * 1e3;
        if ((run.measured.steady && long_enough) || run.seconds() >= max_seconds) break;
    }
    const double beyond_share = std::max(0.0, run.seconds() - share);
    run.start += std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(beyond_share));
}

/// Finds roughly how long each job takes, and how often it must run within a sample.
void calibrate(Run& run) {
    const double min_ms = std::max(min_sample_ms, min_sample_ticks * run.context.timestamp_ns * 1e-6);
    for (const size_t i : run.right) {
        if (run.interrupted()) return;
        const Slot once = {&run.jobs[i], 1};
        run.estimated_ms[i] = std::max(timed(run, {&once, 1}, false)[0], run.context.timestamp_ns * 1e-6);
        if (run.jobs[i].prepare) continue;
        run.measured.jobs[i].repeats =
            static_cast<uint32_t>(std::clamp(std::ceil(min_ms / run.estimated_ms[i]), 1.0, double{max_repeats}));
    }
}

/// Slots that wait for their submission.
struct Batch {
    std::vector<Slot> slots;
    std::vector<size_t> jobs;
    std::vector<uint32_t> groups;
    double expected_ms = 0;
};

void add(Run& run, Batch& batch, size_t job) {
    const uint32_t repeats = run.measured.jobs[job].repeats;
    batch.slots.push_back({&run.jobs[job], repeats});
    batch.jobs.push_back(job);
    batch.groups.push_back(run.group);
    batch.expected_ms += run.estimated_ms[job] * repeats;
}

bool is_full(const Batch& batch) { return batch.expected_ms >= submission_ms || batch.slots.size() >= max_slots; }

void submit(Run& run, Batch& batch) {
    if (batch.slots.empty()) return;
    const bool warm_up_run = run.estimated_ms[batch.jobs.front()] <= max_warm_up_run_ms;
    const std::vector<double> times = timed(run, batch.slots, warm_up_run);
    for (size_t i = 0; i < times.size(); ++i)
        run.series[batch.jobs[i]].push_back({times[i] / batch.slots[i].repeats, batch.groups[i]});
    batch = {};
    run.group++;
    run.show("measure", run.seconds(), run.limits.seconds);
}

void summarise(Run& run) {
    const std::vector<CleanSeries> cleaned = without_disturbed(run.series);
    for (const size_t i : run.right) {
        Measurement& job = run.measured.jobs[i];
        job.ms = cleaned[i].ms;
        job.discarded = cleaned[i].discarded;
        job.time = median_estimate(job.ms, run.limits.seed);
        job.converged =
            job.ms.size() >= run.limits.min_samples && relative_half_width(job.time) <= run.limits.relative_error;
    }
}

bool all_converged(Run& run) {
    summarise(run);
    return std::ranges::all_of(run.right, [&](size_t i) { return run.measured.jobs[i].converged; });
}

/// In each round, every job runs once, in a new random order.
void run_rounds(Run& run) {
    std::mt19937_64 random(run.limits.seed);
    std::vector<size_t> order = run.right;
    Batch batch;
    double next_look = run.limits.min_samples;
    for (uint32_t round = 1; round <= run.limits.max_samples; ++round) {
        for (size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[(random() >> 32) * (i + 1) >> 32]);
        for (const size_t job : order) {
            add(run, batch, job);
            if (!is_full(batch)) continue;
            submit(run, batch);
            if (run.interrupted() || (round > 1 && run.seconds() >= run.limits.seconds)) return;
        }
        run.group++;
        if (round < next_look) continue;
        submit(run, batch);
        if (all_converged(run)) return;
        next_look *= growth_of_rounds;
    }
    submit(run, batch);
}

}  // namespace

void require_timestamps(const Context& context) {
    if (context.timestamp_bits == 0)
        throw Error(
            fmt::format("{} has no timestamps on its compute queue, and without them nothing can be timed; "
                        "choose another --device",
                        context.device.traits.properties.deviceName));
}

Measurements measure(Context& context, std::span<const Job> jobs, const Limits& limits,
                     const MeasureProgress& progress) {
    require_timestamps(context);
    context.commands.timeout_ns = static_cast<uint64_t>(limits.timeout_seconds * 1e9);
    Run run = {context, jobs, limits, progress};
    create_gpu_timer(context, run.timer);
    run.measured.jobs.resize(jobs.size());
    for (Measurement& job : run.measured.jobs) job.time = median_estimate({});
    run.estimated_ms.resize(jobs.size());
    run.series.resize(jobs.size());
    try {
        check_jobs(run);
        run.start = Clock::now();
        if (!run.right.empty()) {
            warm_up(run);
            calibrate(run);
            if (!run.interrupted()) run_rounds(run);
        }
    } catch (const RunFailed& failed) {
        run.measured.failure = failed.what();
        run.measured.hung = failed.hung;
        // Objects that a device still works with are never freed.
        if (failed.hung) new GpuTimer(std::move(run.timer));
    }
    summarise(run);
    return std::move(run.measured);
}

}  // namespace tilewise::kernels
