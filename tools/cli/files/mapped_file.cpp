#include "tools/cli/files/mapped_file.h"
#include "patterns/model/error.h"
#include "system/files.h"
#include "tools/cli/files/files.h"
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <string_view>

namespace tilewise {

namespace {

[[noreturn]] void fail(const char* what, const std::string& path, int reason, const char* advice) {
    throw Error(fmt::format("cannot {} {}: {}; {}", what, path, std::strerror(reason), advice));
}

}  // namespace

InputBytes::InputBytes(const std::string& path) : name_(input_name(path)) {
    const OpenFile file = open_input(path);
    const system::FileKind kind = system::kind_of(file.descriptor());
    if (path != "-" && kind.is_regular && kind.bytes > 0) {
        const std::byte* address = system::map_to_read(file.descriptor(), kind.bytes);
        mapped_ = address != nullptr;
        if (mapped_) bytes_ = {address, static_cast<size_t>(kind.bytes)};
    }
    if (mapped_) return;
    read_ = read_open_file(file.descriptor(), name_, max_piped_bytes);
    bytes_ = std::as_bytes(std::span(read_));
}

InputBytes::~InputBytes() {
    if (mapped_) system::unmap(bytes_.data(), bytes_.size());
}

OutputBytes::OutputBytes(const std::string& path, size_t size) : path_(path) {
    const bool is_file = path != "-" && system::is_for_a_file(path);
    if (is_file) temporary_.emplace(path);
    if (size == 0) return;
    std::byte* address = is_file ? system::map_to_write(temporary_->descriptor(), size) : system::map_memory(size);
    if (!address && is_file) fail("write", path, errno, "free some space or choose another place");
    if (!address) fail("hold what goes to", path, errno, "write to a file instead");
    bytes_ = {address, size};
}

OutputBytes::~OutputBytes() { unmap_now(); }

void OutputBytes::unmap_now() {
    if (!bytes_.empty()) system::unmap(bytes_.data(), bytes_.size());
    bytes_ = {};
}

void OutputBytes::keep() {
    if (!temporary_)
        return write_whole_file(path_, std::string_view(reinterpret_cast<const char*>(bytes_.data()), bytes_.size()));
    unmap_now();
    temporary_->keep();
}

}  // namespace tilewise
