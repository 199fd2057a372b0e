// A callback by which long work reports its progress.
#pragma once
#include <cstdint>
#include <functional>

namespace tilewise {

/// Receives how much of the work is done; called on the caller's thread. Empty: nobody listens.
using Advance = std::function<void(uint64_t done, uint64_t total)>;

/// Calls `advance` every `stride` steps and at the last step.
inline void tell(const Advance& advance, uint64_t done, uint64_t total, uint64_t stride = 1) {
    if (advance && (done % stride == 0 || done == total)) advance(done, total);
}

}  // namespace tilewise
