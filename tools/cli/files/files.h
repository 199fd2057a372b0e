// Whole files, read and written so that nothing half-written stays.
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace tilewise {

constexpr size_t max_text_bytes = size_t{1} << 30;   ///< of a table, a bundle, a layout
constexpr size_t max_piped_bytes = size_t{1} << 32;  ///< of an image that is no regular file, and so held in memory

/// A file that is open to be read, by its number. Standard input is not closed.
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

/// A file, or standard input for "-". A pipe gives its bytes to the first that opens it: open a file once. Throws Error
/// naming the file.
OpenFile open_input(const std::string& path);

/// What messages call it.
std::string input_name(const std::string& path);

/// The bytes from where the file stands to its end. Throws Error with `name`: where it cannot be read, is a device that
/// never ends, or has more than `max_bytes`.
std::string read_open_file(int file, const std::string& name, size_t max_bytes);

/// The bytes of a file, or of standard input for "-". Throws Error naming the file as those above do.
std::string read_whole_file(const std::string& path, size_t max_bytes = max_text_bytes);

constexpr std::string_view sqlite_head = "SQLite format 3";  ///< by the documentation of SQLite's file format

/// Whether the file is there and begins as SQLite's databases do.
bool is_sqlite_file(const std::string& path);

/// Writes what `produce` gives, piece by piece, to a TemporaryFile that becomes `path`; "-" is standard output. Throws
/// Error naming the file, and what `produce` throws; either way no file is left.
using WriteBytes = std::function<void(std::string_view)>;
void write_file(const std::string& path, const std::function<void(const WriteBytes&)>& produce);

/// The same of bytes that are all there.
void write_whole_file(const std::string& path, std::string_view bytes);

}  // namespace tilewise
