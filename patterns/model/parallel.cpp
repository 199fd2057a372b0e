#include "patterns/model/parallel.h"
#include "patterns/model/bits.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#ifndef _WIN32
#include <pthread.h>
#endif

namespace tilewise {

namespace {

size_t thread_count() { return std::max(std::thread::hardware_concurrency(), 1u); }

/// Work that several threads do at once.
struct Task {
    const std::function<void()>& body;
    size_t threads = 0;  ///< that have not finished it
};

/// Threads that wait for the next task: starting a thread takes longer than many tasks do.
class Threads {
public:
    /// Makes up to `count` threads call task.body(), and returns at once. Call finish() before the task is destroyed.
    void start(Task& task, size_t count) {
        const std::lock_guard lock(mutex_);
        // There are never fewer threads than waiting tasks: otherwise a task started by another one would wait for that
        // one, which waits for it.
        try {
            for (; idle_ < waiting_.size() + count; ++idle_) std::thread([this] { live(); }).detach();
        } catch (const std::system_error&) {
            count = idle_ - waiting_.size();  // those that the system allows
        }
        task.threads = count;
        waiting_.insert(waiting_.end(), count, &task);
        changed_.notify_all();
    }

    /// Waits until every thread has finished the task, but no longer than that. Returns whether they have.
    bool finish(const Task& task, std::chrono::milliseconds at_most) {
        std::unique_lock lock(mutex_);
        return ended_.wait_for(lock, at_most, [&] { return task.threads == 0; });
    }

private:
    void live() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return !waiting_.empty(); });
            Task& task = *waiting_.front();
            waiting_.pop_front();
            --idle_;
            lock.unlock();
            task.body();
            lock.lock();
            if (--task.threads == 0) ended_.notify_all();
            if (idle_ >= thread_count()) return;
            ++idle_;
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_, ended_;
    std::deque<Task*> waiting_;  ///< each once for every thread that it waits for
    size_t idle_ = 0;
};

/// Never freed: its threads may outlive main().
Threads* threads = new Threads;

#ifndef _WIN32
/// A child of fork() has none of its parent's threads.
[[maybe_unused]] const int at_fork = pthread_atfork(nullptr, nullptr, [] { threads = new Threads; });
#endif

}  // namespace

void parallel_for(size_t count, const std::function<void(size_t)>& work, const std::function<void(size_t)>& progress,
                  size_t threads_wanted) {
    std::atomic<size_t> next = 0, done = 0;
    std::atomic_flag failed;
    std::exception_ptr failure;
    const auto attempt = [&](const auto& act) {
        try {
            act();
        } catch (...) {
            if (!failed.test_and_set()) failure = std::current_exception();
            next = count;
        }
    };
    const std::function<void()> body = [&] {
        attempt([&] {
            for (size_t i = next++; i < count; i = next++, ++done) work(i);
        });
    };
    Task task = {body};
    const size_t wanted = std::min(threads_wanted == 0 ? thread_count() : threads_wanted, count);
    constexpr auto turn = std::chrono::milliseconds(20);
    if (progress) {
        threads->start(task, wanted);
        attempt([&] {
            do progress(done);
            while (!threads->finish(task, turn));
        });
    } else if (wanted > 1) {
        threads->start(task, wanted - 1);
    }
    body();
    while (!threads->finish(task, turn)) {
    }
    if (failure) std::rethrow_exception(failure);
}

void for_parts(uint64_t count, uint64_t part, const std::function<void(uint64_t, uint64_t)>& work) {
    if (count <= part) return work(0, count);
    parallel_for(ceil_div(count, part), [&](size_t i) { work(i * part, std::min(count, (i + 1) * part)); });
}

void for_rows(uint32_t rows, const std::function<void(uint32_t, uint32_t)>& work) {
    const size_t parts = std::min<size_t>(thread_count(), rows);
    const auto start = [&](size_t part) { return static_cast<uint32_t>(uint64_t{rows} * part / parts); };
    parallel_for(parts, [&](size_t part) { work(start(part), start(part + 1)); });
}

}  // namespace tilewise
