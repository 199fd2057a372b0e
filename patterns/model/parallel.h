// Work spread over the machine's threads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <system_error>

namespace tilewise {

/// Calls work(i) for each i below `count` on `threads` threads (0: as many as the machine has), and returns when all
/// are done. The first exception ends the work and is rethrown here. `progress(done)` is called on the caller's thread,
/// about fifty times a second.
void parallel_for(size_t count, const std::function<void(size_t)>& work,
                  const std::function<void(size_t)>& progress = {}, size_t threads = 0);

/// Calls work(first, end) for parts of [0, count) of `part` each; a single part runs on the caller's thread.
void for_parts(uint64_t count, uint64_t part, const std::function<void(uint64_t first, uint64_t end)>& work);

/// Calls work(first, end) for as many parts of [0, rows) as the machine has threads, all at once.
void for_rows(uint32_t rows, const std::function<void(uint32_t first, uint32_t end)>& work);

/// Runs work() on a thread of its own or, if the system allows no more threads, on the thread that asks for the result.
template <typename Work>
auto on_another_thread(Work work) {
    try {
        return std::async(std::launch::async, work);
    } catch (const std::system_error&) {
        return std::async(std::launch::deferred, work);
    }
}

}  // namespace tilewise
