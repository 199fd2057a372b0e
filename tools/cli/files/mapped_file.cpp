#include "tools/cli/files/mapped_file.h"
#include "patterns/model/error.h"
#include "tools/cli/files/files.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewise {

namespace {

[[noreturn]] void fail(const char* what, const std::string& path, int reason, const char* advice) {
    throw Error(fmt::format("cannot {} {}: {}; {}", what, path, std::strerror(reason), advice));
}

bool is_regular_or_new(const std::string& path) {
    std::error_code ignored;
    const auto kind = std::filesystem::status(path, ignored).type();
    return kind == std::filesystem::file_type::regular || kind == std::filesystem::file_type::not_found;
}

}  // namespace

InputBytes::InputBytes(const std::string& path) : name_(path == "-" ? "standard input" : path) {
    if (path != "-") {
        const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0) fail("open", path, errno, "check the name");
        struct stat status = {};
        if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
            const auto size = static_cast<size_t>(status.st_size);
            void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
            mapped_ = address != MAP_FAILED;
            if (mapped_) bytes_ = {static_cast<const std::byte*>(address), size};
        }
        close(file);
        if (mapped_) return;
    }
    read_ = read_whole_file(path, max_piped_bytes);
    bytes_ = std::as_bytes(std::span(read_));
}

InputBytes::~InputBytes() {
    if (mapped_) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

OutputBytes::OutputBytes(const std::string& path, size_t size) : path_(path) {
    void* address = MAP_FAILED;
    if (path != "-" && is_regular_or_new(path)) {
        temporary_ = fmt::format("{}.{}.part", path, getpid());
        file_ = open(temporary_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (file_ < 0) fail("write", path, errno, "choose another place");
        // Room on the disk is taken now: a mapping that finds none would end the program.
        const int full = size == 0 ? 0 : posix_fallocate(file_, 0, static_cast<off_t>(size));
        if (full == 0 && size != 0) address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
        if (size != 0 && address == MAP_FAILED) {
            const int reason = full != 0 ? full : errno;
            close(file_);
            std::remove(temporary_.c_str());
            fail("write", path, reason, "free some space or choose another place");
        }
    } else if (size != 0) {
        address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (address == MAP_FAILED) fail("hold what goes to", path, errno, "write to a file instead");
    }
    if (size != 0) bytes_ = {static_cast<std::byte*>(address), size};
}

OutputBytes::~OutputBytes() {
    if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
    if (file_ >= 0) close(file_);
    if (!temporary_.empty()) std::remove(temporary_.c_str());
}

void OutputBytes::keep() {
    if (file_ < 0)
        return write_whole_file(path_, std::string_view(reinterpret_cast<const char*>(bytes_.data()), bytes_.size()));
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail("write", path_, errno, "choose another place");
    temporary_.clear();
}

}  // namespace tilewise
