// Sends a trial to the process that works on it.
#pragma once
#include "probe/worker/process.h"
#include "tools/runs/try/trial_work.h"

namespace tilewise {

/// Returns false if the other end is gone.
bool send_trial(probe::worker::Stream& channel, const Trial& trial, const TrialState& state);

int play_trial(probe::worker::Playing& playing);
/// The role of the process that receives a trial on its channel, works on it, and answers there in lines: main() passes
/// it to play_role().
inline const probe::worker::Role trial_role = {"trial", play_trial};

}  // namespace tilewise
