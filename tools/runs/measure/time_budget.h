// Ends a run in time: the work checks a flag that says that the time is over.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace tilewise {

/// The time starts when the object is created. Its own thread sets the flag: any forking must be done before.
class TimeBudget {
public:
    /// `stop` ends the time early.
    TimeBudget(std::chrono::steady_clock::time_point end, const std::atomic<bool>& stop);
    ~TimeBudget();
    TimeBudget(const TimeBudget&) = delete;
    TimeBudget& operator=(const TimeBudget&) = delete;

    double seconds_left() const;
    const std::atomic<bool>& is_over() const { return is_over_; }

private:
    const std::chrono::steady_clock::time_point end_;
    std::atomic<bool> is_over_ = false;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool has_ended_ = false;
    std::thread thread_;
};

}  // namespace tilewise
