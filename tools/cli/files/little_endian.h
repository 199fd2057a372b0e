// Numbers in the headers of files, lowest byte first.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tilewise {

template <std::unsigned_integral Number>
void append(std::string& bytes, Number value) {
    for (size_t i = 0; i < sizeof value; i++) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}

/// The caller makes sure that the number lies within the file.
template <std::unsigned_integral Number>
Number number_at(std::span<const std::byte> bytes, size_t at) {
    Number value = 0;
    for (size_t i = 0; i < sizeof value; i++)
        value |= static_cast<Number>(static_cast<Number>(bytes[at + i]) << (8 * i));
    return value;
}

}  // namespace tilewise
