#include "patterns/model/parallel.h"
#include "patterns/model/bits.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>
#include <vector>

namespace tilewise {

namespace {

size_t thread_count() { return std::max(std::thread::hardware_concurrency(), 1u); }

}  // namespace

void parallel_for(size_t count, const std::function<void(size_t)>& work, const std::function<void(size_t)>& progress,
                  size_t threads_wanted) {
    std::vector<std::exception_ptr> failures(std::min(threads_wanted == 0 ? thread_count() : threads_wanted, count));
    std::atomic<size_t> next = 0, done = 0, running = failures.size();
    {
        std::vector<std::jthread> threads;
        threads.reserve(failures.size());
        for (std::exception_ptr& failure : failures)
            threads.emplace_back([&] {
                try {
                    for (size_t i = next++; i < count; i = next++, ++done) work(i);
                } catch (...) {
                    failure = std::current_exception();
                    next = count;
                }
                --running;
            });
        while (progress && running > 0) {
            progress(done);
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }
    for (const std::exception_ptr& failure : failures)
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
