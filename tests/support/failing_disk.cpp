#include "tests/support/failing_disk.h"
#include <sqlite3.h>
#include <stdexcept>

namespace tilewise {

namespace {

// SQLite calls plain functions, so the state is global.
struct State {
    sqlite3_vfs* real = nullptr;
    uint64_t count = 0, fail_at = 0;
    int error = SQLITE_OK;
    bool lasts = false, failed = false;
} state;

/// SQLITE_OK, or the error for this change.
int next_change() {
    ++state.count;
    const bool fails =
        state.fail_at != 0 && (state.lasts ? state.count >= state.fail_at : state.count == state.fail_at);
    if (!fails) return SQLITE_OK;
    state.failed = true;
    return state.error;
}

struct File {
    sqlite3_file base;
    sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};
sqlite3_file* real(sqlite3_file* file) { return reinterpret_cast<File*>(file)->real(); }

template <typename Change>
int change(const Change& apply) {
    const int error = next_change();
    return error == SQLITE_OK ? apply() : error;
}

// Version 2: without memory-mapped reads.
constexpr sqlite3_io_methods methods = {
    2,
    [](sqlite3_file* f) { return real(f)->pMethods->xClose(real(f)); },
    [](sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
        return real(f)->pMethods->xRead(real(f), to, size, at);
    },
    [](sqlite3_file* f, const void* from, int size, sqlite3_int64 at) {
        return change([&] { return real(f)->pMethods->xWrite(real(f), from, size, at); });
    },
    [](sqlite3_file* f, sqlite3_int64 size) {
        return change([&] { return real(f)->pMethods->xTruncate(real(f), size); });
    },
    [](sqlite3_file* f, int flags) { return change([&] { return real(f)->pMethods->xSync(real(f), flags); }); },
    [](sqlite3_file* f, sqlite3_int64* size) { return real(f)->pMethods->xFileSize(real(f), size); },
    [](sqlite3_file* f, int kind) { return real(f)->pMethods->xLock(real(f), kind); },
    [](sqlite3_file* f, int kind) { return real(f)->pMethods->xUnlock(real(f), kind); },
    [](sqlite3_file* f, int* held) { return real(f)->pMethods->xCheckReservedLock(real(f), held); },
    [](sqlite3_file* f, int op, void* argument) { return real(f)->pMethods->xFileControl(real(f), op, argument); },
    [](sqlite3_file* f) { return real(f)->pMethods->xSectorSize(real(f)); },
    [](sqlite3_file* f) { return real(f)->pMethods->xDeviceCharacteristics(real(f)); },
    [](sqlite3_file* f, int page, int size, int extend, void volatile** memory) {
        // SQLite gives SQLITE_READONLY another meaning here: memory that others write.
        if (extend != 0 && next_change() != SQLITE_OK) return SQLITE_IOERR_SHMSIZE;
        return real(f)->pMethods->xShmMap(real(f), page, size, extend, memory);
    },
    [](sqlite3_file* f, int at, int count, int flags) {
        return real(f)->pMethods->xShmLock(real(f), at, count, flags);
    },
    [](sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); },
    [](sqlite3_file* f, int remove) { return real(f)->pMethods->xShmUnmap(real(f), remove); },
    nullptr,
    nullptr,
};

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
    file->pMethods = nullptr;
    int exists = 1;
    if (name != nullptr && (flags & SQLITE_OPEN_CREATE) != 0)
        state.real->xAccess(state.real, name, SQLITE_ACCESS_EXISTS, &exists);
    // A file that cannot be created cannot be opened, whatever the cause.
    if (exists == 0 && next_change() != SQLITE_OK) return SQLITE_CANTOPEN;
    const int code = state.real->xOpen(state.real, name, real(file), flags, out_flags);
    if (real(file)->pMethods != nullptr) file->pMethods = &methods;
    return code;
}

sqlite3_vfs failing;

}  // namespace

FailingDisk::FailingDisk() {
    if (state.real != nullptr) throw std::logic_error("two failing disks at a time");
    state = {};
    state.real = sqlite3_vfs_find(nullptr);
    failing = *state.real;
    failing.zName = "failing";
    failing.szOsFile += static_cast<int>(sizeof(File));
    failing.xOpen = open_file;
    failing.xDelete = [](sqlite3_vfs*, const char* name, int sync) {
        return change([&] { return state.real->xDelete(state.real, name, sync); });
    };
    sqlite3_vfs_register(&failing, 1);
}

FailingDisk::~FailingDisk() {
    sqlite3_vfs_unregister(&failing);
    sqlite3_vfs_register(state.real, 1);
    state.real = nullptr;
}

void FailingDisk::fail_at(uint64_t n, int error, Lasting lasting) {
    state.count = 0;
    state.fail_at = n;
    state.error = error;
    state.lasts = lasting == Lasting::from_then_on;
    state.failed = false;
}

bool FailingDisk::has_failed() const { return state.failed; }

}  // namespace tilewise
