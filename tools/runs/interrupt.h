// Ctrl-C in a long command.
#pragma once
#include <atomic>

namespace tilewise {

/// Becomes true at the first signal after stop_on_signals(); the work then ends in good order.
extern std::atomic<bool> interrupted;

/// The first Ctrl-C ends the run in good order; the second one ends the program.
void stop_on_signals();

}  // namespace tilewise
