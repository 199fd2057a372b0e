// Compresses bytes, and encodes them as text.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tilewise {

/// A zlib stream (RFC 1950) of the bytes.
std::string zlib_compress(std::string_view bytes);

/// Decompresses such a stream, which must give exactly `bytes` bytes; none if it is anything else, or if more follows.
std::optional<std::string> zlib_decompress(std::string_view stream, size_t bytes);

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

/// Decodes the text; none if base64() would have written it differently.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace tilewise
