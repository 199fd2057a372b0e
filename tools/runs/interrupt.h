// Ctrl-C, SIGTERM or a terminal that closes, in a long command.
#pragma once
#include <atomic>

namespace tilewise {

/// Becomes true at the first signal after stop_on_signals(); the work then ends in good order.
extern std::atomic<bool> interrupted;

/// The first such signal ends the run in good order; the second one does what it did before. One that is ignored, as
/// under nohup, stays so.
void stop_on_signals();

}  // namespace tilewise
