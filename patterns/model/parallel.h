// Work spread over the threads of the machine.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <system_error>

namespace tilewise {

/// Calls work(i) for each i below `count`, on so many threads (0: as the machine has), and returns when all are done.
/// The first exception ends it, and is thrown here. `progress(done)` is called on the caller's thread, some fifty times
/// a second.
void parallel_for(size_t count, const std::function<void(size_t)>& work,
                  const std::function<void(size_t)>& progress = {}, size_t threads = 0);

/// Calls work(first, end) for parts of [0, count) of `part` each: on the caller's thread where there is one part.
void for_parts(uint64_t count, uint64_t part, const std::function<void(uint64_t first, uint64_t end)>& work);

/// Calls work(first, end) for as many parts of [0, rows) as the machine has threads, at once.
void for_rows(uint32_t rows, const std::function<void(uint32_t first, uint32_t end)>& work);

/// work() on a thread of its own; where the system allows no more of them, on that of who asks for the result.
template <typename Work>
auto on_another_thread(Work work) {
    try {
        return std::async(std::launch::async, work);
    } catch (const std::system_error&) {
        return std::async(std::launch::deferred, work);
    }
}

}  // namespace tilewise
