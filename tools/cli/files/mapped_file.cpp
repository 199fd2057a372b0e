#include "tools/cli/files/mapped_file.h"
#include "patterns/model/error.h"
#include "tools/cli/files/files.h"
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>

namespace tilewise {

namespace {

[[noreturn]] void fail(const char* what, const std::string& path, int reason, const char* advice) {
    throw Error(fmt::format("cannot {} {}: {}; {}", what, path, std::strerror(reason), advice));
}

}  // namespace

InputBytes::InputBytes(const std::string& path) : name_(input_name(path)) {
    const OpenFile file = open_input(path);
    struct stat status = {};
    if (path != "-" && fstat(file.descriptor(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        const auto size = static_cast<size_t>(status.st_size);
        void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
        mapped_ = address != MAP_FAILED;
        if (mapped_) bytes_ = {static_cast<const std::byte*>(address), size};
    }
    if (mapped_) return;
    read_ = read_open_file(file.descriptor(), name_, max_piped_bytes);
    bytes_ = std::as_bytes(std::span(read_));
}

InputBytes::~InputBytes() {
    if (mapped_) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

OutputBytes::OutputBytes(const std::string& path, size_t size) : path_(path) {
    void* address = MAP_FAILED;
    if (path != "-" && !is_written_in_place(path)) {
        temporary_.emplace(path);
        const int file = temporary_->descriptor();
        // Room on the disk is taken now: a mapping that finds none would end the program.
        const int full = size == 0 ? 0 : posix_fallocate(file, 0, static_cast<off_t>(size));
        if (full == 0 && size != 0) address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (size != 0 && address == MAP_FAILED)
            fail("write", path, full != 0 ? full : errno, "free some space or choose another place");
    } else if (size != 0) {
        address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (address == MAP_FAILED) fail("hold what goes to", path, errno, "write to a file instead");
    }
    if (size != 0) bytes_ = {static_cast<std::byte*>(address), size};
}

OutputBytes::~OutputBytes() {
    if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

void OutputBytes::keep() {
    if (temporary_) return temporary_->keep();
    write_whole_file(path_, std::string_view(reinterpret_cast<const char*>(bytes_.data()), bytes_.size()));
}

}  // namespace tilewise
