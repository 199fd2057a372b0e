// Variants of a shader, checked and timed beside it, in a process of its own: a driver may die of any of them.
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
    /// In each scene.
    std::vector<DispatchedVariant> in_scenes;
};

struct Trial {
    /// The first is timed; all are checked.
    std::vector<kernels::Scene> scenes;
    /// Of the others, in words.
    std::string odd_size;
    size_t varied_pass = 0;
    /// The first is the shader as it is.
    std::vector<TrialVariant> variants;
    /// By its number and its name: a device that has another name now is another one.
    uint32_t device = 0;
    std::string device_name;
    double seconds = 10, timeout_seconds = 10;
    /// So many variants share the time in which all are timed; 0: those that there are.
    size_t planned = 0;
    /// How far sums of floats by atomics may be from the original's, of their size.
    double float_sums_within = 1e-4;
};

struct TriedVariant {
    /// Empty: it is right. Else it was not timed.
    std::string failure;
    std::vector<double> ms;
    uint32_t discarded = 0;
    kernels::Estimate time;
    /// Over the shader as it is.
    kernels::Estimate speedup;
    /// "faster", "slower", "no difference", "too few samples"; empty where it was not timed.
    std::string verdict;
    /// It was timed anew with the fastest ones: what came before had chosen it.
    bool is_finalist = false;
};

struct TrialResult {
    /// By variant.
    std::vector<TriedVariant> variants;
    /// Empty, or why all of it failed: then nothing was timed.
    std::string failure;
    bool is_interrupted = false;
    /// What the device did besides, in a line each: processes that ended.
    std::vector<std::string> notes;
};

/// `phase`: "checked" or "timed".
using OnTrial = std::function<void(size_t done, size_t total, const std::string& phase)>;

/// More variants to try, of how long each of those before took over the shader as it is (0: it was not timed); none:
/// the fastest ones are to be timed anew.
using MoreVariants = std::function<std::vector<TrialVariant>(const std::vector<double>& over_original)>;

/// In processes of their own, one after another. What `more` gives joins the trial's variants; without it there are no
/// others.
TrialResult run_trial(Trial& trial, const MoreVariants& more, const OnTrial& on_progress);

/// As verdict_text(), but of ten samples or more, and "faster" and "slower" only where both halves of them say so, and
/// the fastest quarter and the fastest one, too. What drifts or is disturbed while it is timed is no difference.
std::string careful_verdict(std::span<const double> baseline, std::span<const double> samples);

}  // namespace tilewise
