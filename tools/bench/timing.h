// The timing loop of the benchmarks that run on the CPU.
#pragma once
#include <algorithm>
#include <ctime>
#include <functional>
#include <span>
#include <vector>

namespace tilewise {

enum class BenchClock {
    wall,
    thread,  ///< this thread's own time: other programs count only as far as they slow down memory
    process  ///< of all threads
};

template <typename Work>
double seconds_of(BenchClock clock, const Work& work) {
    const auto now = [&] {
        timespec time{};
        clock_gettime(clock == BenchClock::wall     ? CLOCK_MONOTONIC
                      : clock == BenchClock::thread ? CLOCK_THREAD_CPUTIME_ID
                                                    : CLOCK_PROCESS_CPUTIME_ID,
                      &time);
        return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    };
    const double start = now();
    work();
    return now() - start;
}

/// Runs all pieces of work in turn, `repetitions` times. Returns the thread's seconds for each piece, sorted.
inline std::vector<std::vector<double>> sorted_seconds(std::span<const std::function<void()>> work,
                                                       size_t repetitions) {
    std::vector<std::vector<double>> seconds(work.size());
    for (size_t i = 0; i < repetitions; i++)
        for (size_t w = 0; w < work.size(); w++) seconds[w].push_back(seconds_of(BenchClock::thread, work[w]));
    for (std::vector<double>& of_work : seconds) std::ranges::sort(of_work);
    return seconds;
}

/// How much of something was done per second.
struct Rate {
    double median = 0, low = 0, high = 0;
};

/// `low` and `high` are at that rank from either end.
inline Rate rate_of(std::span<const double> sorted_seconds, double amount, size_t rank = 0) {
    return {amount / sorted_seconds[sorted_seconds.size() / 2],
            amount / sorted_seconds[sorted_seconds.size() - 1 - rank], amount / sorted_seconds[rank]};
}

}  // namespace tilewise
