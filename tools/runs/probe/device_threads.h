// Lets several devices work side by side: each has a thread, and worker processes that only this thread uses.
#pragma once
#include "probe/probe.h"
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace tilewise {

/// Runs the tasks that it is given, one after another.
class TaskThread {
public:
    TaskThread() : thread_([this] { work(); }) {}
    ~TaskThread();  ///< waits until all tasks are done
    TaskThread(const TaskThread&) = delete;
    TaskThread& operator=(const TaskThread&) = delete;

    template <typename Task, typename Result = std::invoke_result_t<Task>>
    std::future<Result> post(Task task) {
        const auto packaged = std::make_shared<std::packaged_task<Result()>>(std::move(task));
        enqueue([packaged] { (*packaged)(); });
        return packaged->get_future();
    }

private:
    void enqueue(std::function<void()>&& task);
    void work();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> tasks_;
    bool ended_ = false;
    std::thread thread_;
};

/// A device keeps its thread from its first task to its last, because a worker dies with the thread that started it.
class DeviceThreads {
public:
    /// Takes all devices here that match `wanted` (see choose_devices), each with `jobs` workers. The workers are
    /// started at once, so that they get ready side by side.
    DeviceThreads(const std::string& wanted, unsigned jobs, std::chrono::milliseconds timeout);
    ~DeviceThreads();
    DeviceThreads(const DeviceThreads&) = delete;
    DeviceThreads& operator=(const DeviceThreads&) = delete;

    const std::vector<probe::DeviceInfo>& devices() const { return devices_; }

    /// Runs work(i, workers) for each of these positions in devices(), all at once. Returns when all are done: the
    /// results, if there are any, in the order of `which`. Throws the first exception in that order.
    template <typename Work>
    auto run(const std::vector<size_t>& which, const Work& work) {
        using Result = std::invoke_result_t<Work, size_t, probe::Workers&>;
        std::vector<std::future<Result>> futures;
        futures.reserve(which.size());
        for (const size_t i : which)
            futures.push_back(threads_[i].post([&work, i, this] { return work(i, *workers_[i]); }));
        for (const std::future<Result>& future : futures) future.wait();
        if constexpr (std::is_void_v<Result>) {
            for (std::future<Result>& future : futures) future.get();
        } else {
            std::vector<Result> results;
            results.reserve(futures.size());
            for (std::future<Result>& future : futures) results.push_back(future.get());
            return results;
        }
    }
    template <typename Work>
    auto run_all(const Work& work) {
        return run(all_, work);
    }

    /// Call this after the last work: the workers exit, and drivers clean up, while the caller goes on.
    void dismiss_workers();

private:
    std::vector<probe::DeviceInfo> devices_;
    std::vector<size_t> all_;  ///< 0, 1, ..
    std::vector<std::unique_ptr<probe::Workers>> workers_;
    std::deque<TaskThread> threads_;
};

/// Positions in `devices`, in waves: all devices of a wave can be timed at once, because no two of them share hardware.
/// That is only known of discrete GPUs at different addresses; all others (two drivers of one CPU or GPU, a CPU and a
/// GPU that share memory and power) have a wave of their own.
std::vector<std::vector<size_t>> timing_waves(const std::vector<probe::DeviceInfo>& devices);

}  // namespace tilewise
