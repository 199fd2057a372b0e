// A bundle as text that survives forums, mail and issue trackers (docs/share.md):
//
//   -----BEGIN TILEWISE SHARE-----
//   Version: 1
//   Bytes: 58012                                 of the bundle
//   Hash: 0123456789abcdef0123456789abcdef       of the bundle, as of a fact (db/facts/identity.h)
//
//   eJzsvW1z28iVKPx9fgWKVdk4uZREUqJeXHerLr...   a zlib stream (RFC 1950) of the bundle, in base64 (RFC 4648)
//   -----END TILEWISE SHARE-----
//
// What precedes and follows the text does not matter, nor do spaces and quotation marks before a line, spaces behind
// it, the length of lines, and whether it was saved as UTF-8 or UTF-16.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace tilewise {

/// A shared text is refused if it is larger, or stands for a larger bundle.
constexpr size_t max_shared_text_bytes = size_t{16} << 20, max_shared_bundle_bytes = size_t{16} << 20;

/// The shared text of a bundle, in lines of at most 76 characters.
std::string shared_text(std::string_view bundle);

/// The bundle that `text` is or contains. Throws Error, with `name`, for a damaged text.
std::string bundle_in(std::string text, const std::string& name);

/// "nvidia-geforce-rtx-4090": the letters and digits of a device's name, for file names.
std::string file_name_of(std::string_view device);

}  // namespace tilewise
