// Whole files, read and written so that nothing half-written stays.
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace tilewise {

constexpr size_t max_text_bytes = size_t{1} << 30;   ///< of a table, a bundle, a layout
constexpr size_t max_piped_bytes = size_t{1} << 32;  ///< of an image that is no regular file, and so held in memory

/// The bytes of a file, or of standard input for "-". Throws Error naming the file: where it cannot be read, is a
/// device that never ends, or has more than `max_bytes`.
std::string read_whole_file(const std::string& path, size_t max_bytes = max_text_bytes);

/// Writes what `produce` gives, piece by piece, to a temporary name beside `path` and renames it; "-" is standard
/// output. Throws Error naming the file, and what `produce` throws; either way no file is left.
using WriteBytes = std::function<void(std::string_view)>;
void write_file(const std::string& path, const std::function<void(const WriteBytes&)>& produce);

/// Writes to a temporary name beside `path` and renames it; "-" is standard output. Throws Error naming the file.
void write_whole_file(const std::string& path, std::string_view bytes);

}  // namespace tilewise
