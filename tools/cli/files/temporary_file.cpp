#include "tools/cli/files/temporary_file.h"
#include "patterns/model/error.h"
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace tilewise {

namespace {

/// What a signal handler can read: names of temporary files, and whose they are. A process that was forked has the
/// names of its parent's.
std::array<std::atomic<const char*>, 16> unfinished = {};
std::atomic<pid_t> owner = 0;
static_assert(std::atomic<const char*>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free,
              "a signal handler reads them");

void remember(const char* name) {
    owner = getpid();
    for (std::atomic<const char*>& slot : unfinished) {
        const char* expected = nullptr;
        if (slot.compare_exchange_strong(expected, name)) return;
    }
}

void forget(const char* name) {
    for (std::atomic<const char*>& slot : unfinished) {
        const char* expected = name;
        if (slot.compare_exchange_strong(expected, nullptr)) return;
    }
}

void remove_unfinished(int signal) {
    if (getpid() == owner)
        for (const std::atomic<const char*>& slot : unfinished)
            if (const char* name = slot.load()) unlink(name);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

[[noreturn]] void fail(const std::string& path, int reason) {
    throw Error(fmt::format("cannot write {}: {}; choose another place", path, std::strerror(reason)));
}

/// Those of the file that is replaced; of a new one, what the umask leaves.
mode_t permissions(const std::string& path) {
    struct stat status = {};
    if (stat(path.c_str(), &status) == 0) return status.st_mode & 0777;
    const mode_t mask = umask(077);
    umask(mask);
    return 0666 & ~mask;
}

std::string unguessable_name(const std::string& path) {
    std::random_device random;
    return fmt::format("{}.{:08x}{:08x}.part", path, random(), random());
}

}  // namespace

TemporaryFile::TemporaryFile(const std::string& path) : path_(path), name_(unguessable_name(path)) {
    std::error_code ignored;
    if (fs::is_symlink(fs::symlink_status(path, ignored)))
        throw Error(fmt::format(
            "cannot write {}: it is a symbolic link; name the file that it stands for, or - for stdout", path));
    const mode_t mode = permissions(path);
    remember(name_.c_str());  // before it is there: a signal may come at once
    file_ = open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file_ >= 0 && fchmod(file_, mode) == 0) return;
    const int reason = errno;
    if (file_ >= 0) {
        close(file_);
        std::remove(name_.c_str());
    }
    forget(name_.c_str());
    fail(path, reason);
}

TemporaryFile::~TemporaryFile() {
    close(file_);
    if (name_.empty()) return;
    std::remove(name_.c_str());
    forget(name_.c_str());
}

void TemporaryFile::keep() {
    if (std::rename(name_.c_str(), path_.c_str()) != 0) fail(path_, errno);
    forget(name_.c_str());
    name_.clear();
}

bool is_written_in_place(const std::string& path) {
    std::error_code ignored;
    const fs::file_type kind = fs::status(path, ignored).type();
    return kind != fs::file_type::regular && kind != fs::file_type::not_found;
}

void remove_temporary_files_on_signals() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction now = {};
        if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) continue;
        now = {};
        now.sa_handler = remove_unfinished;
        sigaction(signal, &now, nullptr);
    }
}

}  // namespace tilewise
