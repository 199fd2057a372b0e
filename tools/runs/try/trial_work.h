// What the process of a trial does: it says what comes of it line by line.
#pragma once
#include "tools/runs/try/trial.h"
#include <nlohmann/json.hpp>

namespace tilewise {

/// Variants that are not to be run any more, and why; others that were found right already.
struct TrialState {
    std::vector<std::string> failures;
    std::vector<bool> is_right;
};

using SayLine = std::function<void(const nlohmann::json&)>;

/// Says {"at": variant} before each thing that may end the process, {"right": variant}, {"wrong": variant, "why": ..},
/// {"refused": why}, {"lost": variant, "why": ..}, {"timed": [..]} and {"done": true}.
void work_on_trial(const Trial& trial, const TrialState& state, const SayLine& say);

}  // namespace tilewise
