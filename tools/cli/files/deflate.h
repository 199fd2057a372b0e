// Bytes made smaller, and as text.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tilewise {

/// A zlib stream (RFC 1950) of the bytes.
std::string zlib_compress(std::string_view bytes);

/// What such a stream of these bytes, and nothing behind it, makes of so many bytes; none where it is no such stream.
std::optional<std::string> zlib_decompress(std::string_view stream, size_t bytes);

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

/// What the text stands for; none where base64() would write it otherwise.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace tilewise
