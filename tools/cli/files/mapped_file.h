// Files of any size as memory: no larger a part of them is held than is being worked on.
#pragma once
#include "tools/cli/files/temporary_file.h"
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace tilewise {

/// Bytes to read: a mapped file; of a pipe, or of standard input for "-", all that comes. Throws Error naming it.
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

/// Bytes to write, zero at first. They become the file `path` by keep(), under another name till then; without it
/// nothing stays. What is no regular file, or "-", gets them all at once from keep(). Throws Error naming the file:
/// where it cannot be, or does not fit on the disk.
class OutputBytes {
public:
    OutputBytes(const std::string& path, size_t size);
    ~OutputBytes();
    OutputBytes(const OutputBytes&) = delete;
    OutputBytes& operator=(const OutputBytes&) = delete;

    std::span<std::byte> bytes() { return bytes_; }
    void keep();  ///< bytes() are gone then, where they are a file's

private:
    void unmap_now();

    std::string path_;
    std::optional<TemporaryFile> temporary_;
    std::span<std::byte> bytes_;
};

}  // namespace tilewise
