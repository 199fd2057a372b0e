#include "system/files.h"
#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewise::system {

int open_to_read(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }

int create_new(const std::string& path) { return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600); }

bool allow_as_for(int file, const std::string& path) {
    struct stat status = {};
    if (stat(path.c_str(), &status) == 0) return fchmod(file, status.st_mode & 0777) == 0;
    const mode_t mask = umask(077);
    umask(mask);
    return fchmod(file, 0666 & ~mask) == 0;
}

void close_file(int file) { ::close(file); }

int64_t read_some(int file, void* to, size_t size) {
    for (;;) {
        const ssize_t got = ::read(file, to, size);
        if (got >= 0 || errno != EINTR) return got;
    }
}

FileKind kind_of(int file) {
    struct stat status = {};
    if (fstat(file, &status) != 0) return {};
    FileKind kind;
    kind.is_regular = S_ISREG(status.st_mode);
    kind.is_device = S_ISCHR(status.st_mode) && isatty(file) == 0;
    if (kind.is_regular) kind.bytes = static_cast<uint64_t>(status.st_size);
    return kind;
}

std::FILE* stream_on(int file) {
    const int again = fcntl(file, F_DUPFD_CLOEXEC, 0);
    return again < 0 ? nullptr : fdopen(again, "wb");
}

std::FILE* open_to_write(const std::string& path) { return std::fopen(path.c_str(), "wbe"); }

bool write_to_disk(std::FILE* stream) { return std::fflush(stream) == 0 && fsync(fileno(stream)) == 0; }

bool is_for_a_file(const std::string& path) {
    struct stat status = {};
    return stat(path.c_str(), &status) == 0 ? S_ISREG(status.st_mode) : errno == ENOENT || errno == ENOTDIR;
}

bool rename_over(const std::string& from, const std::string& to) { return ::rename(from.c_str(), to.c_str()) == 0; }

bool remove_file(const char* path) { return ::unlink(path) == 0; }

bool place_new_file(const std::filesystem::path& path, std::span<const std::span<const std::byte>> parts) {
    const std::filesystem::path folder = path.parent_path().empty() ? "." : path.parent_path();
    // It has no name before it is whole, so that whoever is killed leaves nothing behind.
    const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
    if (file < 0) return false;
    bool whole = true;
    for (std::span<const std::byte> part : parts)
        while (whole && !part.empty()) {
            const ssize_t count = ::write(file, part.data(), part.size());
            whole = count > 0;
            if (whole) part = part.subspan(static_cast<size_t>(count));
        }
    bool placed = false;
    if (whole && fdatasync(file) == 0) {
        const std::string unnamed = "/proc/self/fd/" + std::to_string(file);
        placed = ::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
    }
    ::close(file);
    return placed;
}

namespace {

std::byte* mapped(size_t size, int protection, int flags, int file) {
    void* address = mmap(nullptr, size, protection, flags, file, 0);
    return address == MAP_FAILED ? nullptr : static_cast<std::byte*>(address);
}

}  // namespace

std::byte* map_to_read(int file, size_t size) { return mapped(size, PROT_READ, MAP_PRIVATE, file); }

std::byte* map_to_write(int file, size_t size) {
    errno = posix_fallocate(file, 0, static_cast<off_t>(size));
    return errno != 0 ? nullptr : mapped(size, PROT_READ | PROT_WRITE, MAP_SHARED, file);
}

std::byte* map_memory(size_t size) { return mapped(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1); }

void unmap(const std::byte* data, size_t size) { munmap(const_cast<std::byte*>(data), size); }

}  // namespace tilewise::system
