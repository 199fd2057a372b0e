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

std::optional<std::string> zlib_decompress(std::string_view stream, size_t bytes) {
    const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor(
        libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
    if (!decompressor) throw std::bad_alloc();
    std::string text(bytes, '\0');
    size_t read = 0, written = 0;
    const libdeflate_result result = libdeflate_zlib_decompress_ex(decompressor.get(), stream.data(), stream.size(),
                                                                   text.data(), text.size(), &read, &written);
    if (result != LIBDEFLATE_SUCCESS || read != stream.size() || written != bytes) return {};
    return text;
}

namespace {

constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    uint32_t bits = 0, count = 0;
    for (const char byte : bytes) {
        bits = (bits << 8 | static_cast<unsigned char>(byte)) & 0xffff;
        for (count += 8; count >= 6; count -= 6) text += base64_digits[bits >> (count - 6) & 63];
    }
    if (count > 0) text += base64_digits[bits << (6 - count) & 63];
    while (text.size() % 4 != 0) text += '=';
    return text;
}

std::optional<std::string> from_base64(std::string_view text) {
    std::string_view coded = text;
    for (int i = 0; i < 2 && coded.ends_with('='); i++) coded.remove_suffix(1);
    std::string bytes;
    bytes.reserve(coded.size() / 4 * 3 + 2);
    uint32_t bits = 0, count = 0;
    for (const char c : coded) {
        const size_t digit = base64_digits.find(c);
        if (digit == base64_digits.npos) return {};
        bits = (bits << 6 | static_cast<uint32_t>(digit)) & 0xffff;
        if ((count += 6) < 8) continue;
        count -= 8;
        bytes += static_cast<char>(bits >> count & 0xff);
    }
    if (base64(bytes) != text) return {};
    return bytes;
}

}  // namespace tilewise
