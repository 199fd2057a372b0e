// SQLite on a disk that fails.
#pragma once
#include <cstdint>

namespace tilewise {

/// While it lives, SQLite's files lie behind a VFS that counts what changes the disk: each write, sync, truncation,
/// creation and removal of a file, and each growth of the shared memory. One at a time.
class FailingDisk {
public:
    FailingDisk();
    ~FailingDisk();
    FailingDisk(const FailingDisk&) = delete;
    FailingDisk& operator=(const FailingDisk&) = delete;

    enum class Lasting { once, from_then_on };
    /// Counts anew, and gives `error` (SQLITE_FULL, ..) at the n-th change, from 1 on. 0: never.
    void fail_at(uint64_t n, int error = 0, Lasting lasting = Lasting::once);
    bool has_failed() const;
};

}  // namespace tilewise
