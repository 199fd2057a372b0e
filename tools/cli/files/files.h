// Reads and writes whole files, so that nothing half-written remains.
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace tilewise {

constexpr size_t max_text_bytes = size_t{1} << 30;   ///< for a table, a bundle, a layout
constexpr size_t max_piped_bytes = size_t{1} << 32;  ///< for an image that is held in memory: it is no regular file

/// The descriptor of a file that is open for reading. Standard input is not closed.
class OpenFile {
public:
    explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
    ~OpenFile();
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    int descriptor() const { return descriptor_; }

private:
    int descriptor_;
};

/// Opens a file, or standard input for "-". A pipe gives its bytes to the first reader that opens it, so open a file
/// only once. Throws Error that names the file.
OpenFile open_input(const std::string& path);

/// The name for messages.
std::string input_name(const std::string& path);

/// The bytes from the file's current position to its end. Throws Error with `name` if it cannot be read, is a device
/// that never ends, or has more than `max_bytes`.
std::string read_open_file(int file, const std::string& name, size_t max_bytes);

/// The bytes of a file, or of standard input for "-". Throws the same errors, with the file's name.
std::string read_whole_file(const std::string& path, size_t max_bytes = max_text_bytes);

constexpr std::string_view sqlite_head = "SQLite format 3";  ///< from the documentation of SQLite's file format

/// Whether the file exists and begins like an SQLite database.
bool is_sqlite_file(const std::string& path);

/// Writes the pieces that `produce` passes on to a TemporaryFile that becomes `path`; "-" is standard output. Throws
/// Error that names the file, and what `produce` throws; in both cases no file is left behind.
using WriteBytes = std::function<void(std::string_view)>;
void write_file(const std::string& path, const std::function<void(const WriteBytes&)>& produce);

/// Writes bytes that are already complete.
void write_whole_file(const std::string& path, std::string_view bytes);

}  // namespace tilewise
