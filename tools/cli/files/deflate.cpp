#include "tools/cli/files/deflate.h"
#include <cstddef>
#include <cstdint>
#include <libdeflate.h>
#include <memory>
#include <new>

namespace tilewise {

std::string zlib_compress(std::string_view bytes) {
    constexpr int level = 6;  // libdeflate's own default
    const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
        libdeflate_alloc_compressor(level), &libdeflate_free_compressor);
    if (!compressor) throw std::bad_alloc();
    std::string stream(libdeflate_zlib_compress_bound(compressor.get(), bytes.size()), '\0');
    const size_t size =
        libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), stream.data(), stream.size());
    stream.resize(size);
    return stream;
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    uint32_t bits = 0, count = 0;
    for (const char byte : bytes) {
        bits = (bits << 8 | static_cast<unsigned char>(byte)) & 0xffff;
        for (count += 8; count >= 6; count -= 6) text += digits[bits >> (count - 6) & 63];
    }
    if (count > 0) text += digits[bits << (6 - count) & 63];
    while (text.size() % 4 != 0) text += '=';
    return text;
}

}  // namespace tilewise
