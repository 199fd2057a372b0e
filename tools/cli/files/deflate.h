// Bytes made smaller, and as text.
#pragma once
#include <string>
#include <string_view>

namespace tilewise {

/// A zlib stream (RFC 1950) of the bytes.
std::string zlib_compress(std::string_view bytes);

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace tilewise
