// How work that may take long says how far it is, without knowing who listens.
#pragma once
#include <cstdint>
#include <functional>

namespace tilewise {

/// So many of so many are done; called on the caller's thread. Empty: nobody listens.
using Advance = std::function<void(uint64_t done, uint64_t total)>;

/// Every `stride` steps, and at the last one.
inline void tell(const Advance& advance, uint64_t done, uint64_t total, uint64_t stride = 1) {
    if (advance && (done % stride == 0 || done == total)) advance(done, total);
}

}  // namespace tilewise
