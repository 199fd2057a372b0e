// What the process of a trial does: it says what comes of it line by line.
#pragma once
#include "tools/runs/try/trial.h"
#include <nlohmann/json.hpp>

namespace tilewise {

struct TrialState {
    /// Variants that are not to be run any more, and why.
    std::vector<std::string> failures;
    /// Those that were found right already.
    std::vector<bool> is_right;
    /// How long each took over the shader as it is, where all were timed; 0: not yet.
    std::vector<double> over_original;
    /// No others will come: the fastest ones are timed anew.
    bool is_last = true;
};

using SayLine = std::function<void(const nlohmann::json&)>;

/// Says {"at": variant} before each thing that may end the process, {"right": variant}, {"wrong": variant, "why": ..},
/// {"refused": why}, {"lost": variant, "why": ..}, {"timed": [..]} and {"done": true}.
void work_on_trial(const Trial& trial, const TrialState& state, const SayLine& say);

}  // namespace tilewise
