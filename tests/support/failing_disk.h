// SQLite on a disk that fails.
#pragma once
#include <cstdint>

namespace tilewise {

/// While an object lives, SQLite's files lie behind a VFS that counts the changes to the disk: each write, sync,
/// truncation, creation and removal of a file, and each growth of the shared memory. Only one may live at a time.
class FailingDisk {
public:
    FailingDisk();
    ~FailingDisk();
    FailingDisk(const FailingDisk&) = delete;
    FailingDisk& operator=(const FailingDisk&) = delete;

    enum class Lasting { once, from_then_on };
    /// Restarts the count, and returns `error` (SQLITE_FULL, ..) at the n-th change, counted from 1. 0: never.
    void fail_at(uint64_t n, int error = 0, Lasting lasting = Lasting::once);
    bool has_failed() const;
};

}  // namespace tilewise
