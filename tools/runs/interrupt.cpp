#include "tools/runs/interrupt.h"
#include "system/signals.h"

namespace tilewise {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

void stop_on_signals() {
    system::handle_next_interrupt([] { interrupted = true; });
}

}  // namespace tilewise
