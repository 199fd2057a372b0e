#include "tools/cli/files/deflate.h"
#include "patterns/model/error.h"
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>

// stb_image_write.h, which png.cpp holds, has it for PNG.
extern "C" unsigned char* stbi_zlib_compress(unsigned char* data, int data_len, int* out_len, int quality);

namespace tilewise {

std::string zlib_compress(std::string_view bytes) {
    constexpr int quality = 8;
    // In the worst case the stream is longer than the bytes.
    if (bytes.size() > std::numeric_limits<int>::max() / 2) throw Error("there is too much to compress at once");
    std::string copy(bytes);
    int size = 0;
    const std::unique_ptr<unsigned char, decltype(&std::free)> stream(
        stbi_zlib_compress(reinterpret_cast<unsigned char*>(copy.data()), static_cast<int>(copy.size()), &size,
                           quality),
        &std::free);
    if (!stream) throw Error("there is no memory left to compress with");
    return {reinterpret_cast<const char*>(stream.get()), static_cast<size_t>(size)};
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
