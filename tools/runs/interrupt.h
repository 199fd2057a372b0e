// Handles Ctrl-C, SIGTERM or a closing terminal during a long command.
#pragma once
#include <atomic>

namespace tilewise {

/// Becomes true at the first signal after stop_on_signals(); the work then ends in good order.
extern std::atomic<bool> interrupted;

/// Makes the first such signal end the run in good order; the second one does what it did before. A signal that is
/// ignored, as under nohup, stays ignored.
void stop_on_signals();

}  // namespace tilewise
