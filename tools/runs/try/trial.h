// Checks and times variants of a shader beside it, in a separate process: a driver may crash at any of them.
#pragma once
#include "kernels/measure/measure.h"
#include "kernels/try/scene.h"
#include <functional>
#include <string>

namespace tilewise {

/// A variant as it is dispatched in one scene.
struct DispatchedVariant {
    std::vector<uint32_t> spirv;
    std::array<uint32_t, 3> groups = {1, 1, 1};
    std::map<uint32_t, std::pair<uint32_t, uint64_t>> constants = {};
};

struct TrialVariant {
    std::string name;
    /// One for each scene.
    std::vector<DispatchedVariant> in_scenes;
};

struct Trial {
    /// The first scene is timed; all are checked.
    std::vector<kernels::Scene> scenes;
    /// The size of the other scenes, in words.
    std::string odd_size;
    size_t varied_pass = 0;
    /// The first is the shader as it is.
    std::vector<TrialVariant> variants;
    /// The device's number and name: if the name has changed, it is another device.
    uint32_t device = 0;
    std::string device_name;
    double seconds = 10, timeout_seconds = 10;
    /// The time is shared out for this many variants; 0: for those that there are.
    size_t planned = 0;
    /// How far float sums by atomics may differ from the original's, relative to their size.
    double float_sums_within = 1e-4;
};

struct TriedVariant {
    /// Empty: it is right. Else it was not timed.
    std::string failure;
    std::vector<double> ms;
    uint32_t discarded = 0;
    kernels::Estimate time;
    /// Compared with the shader as it is.
    kernels::Estimate speedup;
    /// "faster", "slower", "no difference", "too few samples"; empty if it was not timed.
    std::string verdict;
    /// It was timed again with the fastest variants: the earlier samples had chosen it.
    bool is_finalist = false;
};

struct TrialResult {
    /// One for each variant.
    std::vector<TriedVariant> variants;
    /// Why the whole trial failed: then nothing was timed. Empty if it did not.
    std::string failure;
    bool is_interrupted = false;
    /// What else happened on the device, one line each: processes that ended.
    std::vector<std::string> notes;
};

/// `phase`: "checked" or "timed".
using OnTrial = std::function<void(size_t done, size_t total, const std::string& phase)>;

/// Returns more variants to try. `over_original`: the time of each variant so far over that of the shader as it is (0:
/// it was not timed). If it returns none, the fastest variants are timed again.
using MoreVariants = std::function<std::vector<TrialVariant>(const std::vector<double>& over_original)>;

/// Runs the trial in separate processes, one after another. Variants that `more` returns are added to the trial;
/// without `more` there are no others.
TrialResult run_trial(Trial& trial, const MoreVariants& more, const OnTrial& on_progress);

/// Like verdict_text(), but needs ten samples or more, and says "faster" or "slower" only if both halves of the samples
/// do, and the fastest quarter and the fastest sample, too. Drift or a disturbance during the timing is thus no
/// difference.
std::string careful_verdict(std::span<const double> baseline, std::span<const double> samples);

}  // namespace tilewise
