// The work of a trial's process: it reports its results line by line.
#pragma once
#include "tools/runs/try/trial.h"
#include <nlohmann/json.hpp>

namespace tilewise {

struct TrialState {
    /// For each variant that must not run any more: why; else empty.
    std::vector<std::string> failures;
    /// Whether each variant was already found to be right.
    std::vector<bool> is_right;
    /// The time of each variant over that of the shader as it is, when all were timed; 0: not yet.
    std::vector<double> over_original;
    /// No more variants will come: the fastest ones are timed again.
    bool is_last = true;
};

using SayLine = std::function<void(const nlohmann::json&)>;

/// Sends {"at": variant} before each step that may end the process; and {"right": variant}, {"wrong": variant, "why":
/// ..}, {"refused": why}, {"lost": variant, "why": ..}, {"timed": [..]} and {"done": true}.
void work_on_trial(const Trial& trial, const TrialState& state, const SayLine& say);

}  // namespace tilewise
