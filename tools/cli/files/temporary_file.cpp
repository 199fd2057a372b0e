#include "tools/cli/files/temporary_file.h"
#include "patterns/model/error.h"
#include "system/files.h"
#include "system/signals.h"
#include "tools/cli/files/files.h"
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace fs = std::filesystem;

namespace tilewise {

namespace {

/// Names of temporary files, for the signal handler.
std::array<std::atomic<const char*>, 16> unfinished = {};
static_assert(std::atomic<const char*>::is_always_lock_free, "a signal handler reads them");

void remember(const char* name) {
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

void remove_unfinished() {
    for (const std::atomic<const char*>& slot : unfinished)
        if (const char* name = slot.load()) system::remove_file(name);
}

[[noreturn]] void fail(const std::string& path, int reason) {
    throw Error(fmt::format("cannot write {}: {}; choose another place", path, std::strerror(reason)));
}

}  // namespace

TemporaryFile::TemporaryFile(const std::string& path) : path_(path), name_(system::unguessable_name(path)) {
    std::error_code ignored;
    if (fs::is_symlink(fs::symlink_status(system::path_of(path), ignored)))
        throw Error(fmt::format(
            "cannot write {}: it is a symbolic link; name the file that it stands for, or - for stdout", path));
    // A command never means to replace a database: it may be the very one that the command reads.
    if (is_sqlite_file(path))
        throw Error(fmt::format("cannot write {}: it is a database; choose another name, or remove it first", path));
    remember(name_.c_str());  // before it exists: a signal may come at once
    file_ = system::create_new(name_);
    if (file_ >= 0 && system::allow_as_for(file_, path)) return;
    const int reason = errno;
    if (file_ >= 0) {
        system::close_file(file_);
        system::remove_file(name_.c_str());
    }
    forget(name_.c_str());
    fail(path, reason);
}

TemporaryFile::~TemporaryFile() {
    close_now();
    if (name_.empty()) return;
    system::remove_file(name_.c_str());
    forget(name_.c_str());
}

void TemporaryFile::close_now() {
    if (file_ >= 0) system::close_file(std::exchange(file_, -1));
}

void TemporaryFile::keep() {
    close_now();  // some systems cannot rename an open file
    if (!system::rename_over(name_, path_)) fail(path_, errno);
    forget(name_.c_str());
    name_.clear();
}

void remove_temporary_files_on_signals() { system::handle_end(remove_unfinished); }

}  // namespace tilewise
