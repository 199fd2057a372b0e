#include "tools/runs/measure/time_budget.h"
#include <algorithm>

namespace tilewise {

TimeBudget::TimeBudget(std::chrono::steady_clock::time_point end, const std::atomic<bool>& stop)
    : end_(end), thread_([this, &stop] {
          constexpr std::chrono::milliseconds heartbeat(20);
          std::unique_lock lock(mutex_);
          while (!has_ended_ && !is_over_) {
              ended_.wait_for(lock, heartbeat);
              is_over_ = stop || std::chrono::steady_clock::now() >= end_;
          }
      }) {}

TimeBudget::~TimeBudget() {
    {
        const std::lock_guard lock(mutex_);
        has_ended_ = true;
    }
    ended_.notify_all();
    thread_.join();
}

double TimeBudget::seconds_left() const {
    return std::max(0.0, std::chrono::duration<double>(end_ - std::chrono::steady_clock::now()).count());
}

}  // namespace tilewise
