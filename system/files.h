// Files as the operating system has them, by number: what differs between systems, and no policy. Names are UTF-8. Where
// something cannot be, errno says why.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>

namespace tilewise::system {

/// A name as it is printed and typed, in UTF-8, and as the standard library takes it: on Windows that is not the same.
std::filesystem::path path_of(const std::string& name);
std::string text_of(const std::filesystem::path& path);

constexpr int standard_input = 0;

/// -1 where it cannot be. A process that is started does not get it.
int open_to_read(const std::string& path);
/// A file that was not there, for reading and writing, which its owner alone may open; -1 where it cannot be.
int create_new(const std::string& path);
/// Who else may open it: who may open `path`; where there is none, whom the system lets open a new file.
bool allow_as_for(int file, const std::string& path);
void close_file(int file);
/// As many as are there; 0 at its end, -1 where it cannot be read.
int64_t read_some(int file, void* to, size_t size);

struct FileKind {
    bool is_regular = false;
    bool is_device = false;  ///< and no terminal: it may never end
    uint64_t bytes = 0;      ///< of a regular one
};
FileKind kind_of(int file);

/// To write to: the same file once more, and a file by its name, emptied. Null where it cannot be.
std::FILE* stream_on(int file);
std::FILE* open_to_write(const std::string& path);
/// What was written is on the disk then.
bool write_to_disk(std::FILE* stream);

/// Whether the name is a file's or free for one. To a device (/dev/null, NUL), a pipe or the like bytes go as they come:
/// a file that is renamed to it would replace it.
bool is_for_a_file(const std::string& path);

/// At once: whoever looks finds the old file or the new one.
bool rename_over(const std::string& from, const std::string& to);
bool remove_file(const char* path);
/// Beside `path`, with a name that nobody can guess.
std::string unguessable_name(const std::string& path);

/// Makes a file of these parts, whole or not at all, unless there is one of that name. Whether it did.
bool place_new_file(const std::filesystem::path& path, std::span<const std::span<const std::byte>> parts);

/// Null where it cannot be. For unmap().
std::byte* map_to_read(int file, size_t size);
/// The file gets that size, of zeros, and its room on the disk: a mapping that finds none would end the program.
std::byte* map_to_write(int file, size_t size);
/// Memory of zeros that is no file's.
std::byte* map_memory(size_t size);
void unmap(const std::byte* data, size_t size);

}  // namespace tilewise::system
