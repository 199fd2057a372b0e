// A trial on its way to the process that works on it.
#pragma once
#include "probe/worker/process.h"
#include "tools/runs/try/trial_work.h"

namespace tilewise {

/// False where the other end is gone.
bool send_trial(probe::worker::Stream& channel, const Trial& trial, const TrialState& state);

int play_trial(probe::worker::Playing& playing);
/// What works on a trial that comes on its channel, and answers there in lines: main() gives it to play_role.
inline const probe::worker::Role trial_role = {"trial", play_trial};

}  // namespace tilewise
