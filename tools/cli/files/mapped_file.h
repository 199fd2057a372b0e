// Files of any size as memory: only the part that is being worked on is held.
#pragma once
#include "tools/cli/files/temporary_file.h"
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace tilewise {

/// Bytes to read: a mapped file; or all that comes from a pipe, or from standard input for "-". Throws Error that names
/// it.
class InputBytes {
public:
    explicit InputBytes(const std::string& path);
    ~InputBytes();
    InputBytes(const InputBytes&) = delete;
    InputBytes& operator=(const InputBytes&) = delete;

    std::span<const std::byte> bytes() const { return bytes_; }
    const std::string& name() const { return name_; }  ///< for messages

private:
    std::string name_, read_;
    std::span<const std::byte> bytes_;
    bool mapped_ = false;
};

/// Bytes to write, zero at first. They have a temporary name until keep() makes them the file `path`; without keep(),
/// nothing remains. If the output is "-" or no regular file, keep() writes all bytes to it at once. Throws Error that
/// names the file if it cannot be created, or does not fit on the disk.
class OutputBytes {
public:
    OutputBytes(const std::string& path, size_t size);
    ~OutputBytes();
    OutputBytes(const OutputBytes&) = delete;
    OutputBytes& operator=(const OutputBytes&) = delete;

    std::span<std::byte> bytes() { return bytes_; }
    void keep();  ///< afterwards bytes() is no longer valid if it was a file's

private:
    void unmap_now();

    std::string path_;
    std::optional<TemporaryFile> temporary_;
    std::span<std::byte> bytes_;
};

}  // namespace tilewise
