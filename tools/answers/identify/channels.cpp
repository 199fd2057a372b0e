#include "tools/answers/identify/channels.h"
#include <Imath/half.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

namespace tilewise {

namespace {

/// The channel's bits, 64 at most; they may cross byte borders.
uint64_t raw_value(const Channel& channel, const std::byte* element, size_t element_bytes) {
    const size_t first = channel.bit / 8, last = (channel.bit + channel.bits + 7) / 8;
    uint64_t value = 0;
    const size_t bytes = std::min({last, element_bytes, first + sizeof value}) - first;
    for (size_t i = 0; i < bytes; i++) value |= std::to_integer<uint64_t>(element[first + i]) << (8 * i);
    value >>= channel.bit % 8;
    return channel.bits == 64 ? value : value & ((uint64_t{1} << channel.bits) - 1);
}

double largest(unsigned bits) { return static_cast<double>(~uint64_t{0} >> (64 - bits)); }

/// A floating-point number of any size that formats have. Numbers of 10 and 11 bits are halves without the sign and the
/// last bits.
double real_value(uint64_t raw, unsigned bits, bool has_sign) {
    if (bits == 64) return std::bit_cast<double>(raw);
    if (bits == 32) return std::bit_cast<float>(static_cast<uint32_t>(raw));
    const unsigned half_bits = 16 - (has_sign ? 0 : 1);
    return imath_half_to_float(static_cast<uint16_t>(raw << (half_bits - bits)));
}

ChannelKind kind_of(std::string_view numeric) {
    if (numeric == "UFLOAT") return ChannelKind::positive_real;
    if (numeric == "SFLOAT") return ChannelKind::real;
    return numeric == "SNORM" || numeric == "SSCALED" || numeric == "SINT" ? ChannelKind::signed_number
                                                                           : ChannelKind::unsigned_number;
}

/// The end points of BC1 to BC5, two for each color: 5:6:5 bits, or one byte.
std::vector<Channel> end_points(std::string_view name) {
    std::vector<Channel> channels;
    const auto add_565 = [&](unsigned bit) {
        for (const unsigned at : {bit, bit + 16}) {
            channels.push_back({at + 11, 5, ChannelKind::unsigned_number, 'R', true});
            channels.push_back({at + 5, 6, ChannelKind::unsigned_number, 'G', true});
            channels.push_back({at, 5, ChannelKind::unsigned_number, 'B', true});
        }
    };
    const auto add_bytes = [&](unsigned bit, ChannelKind kind, char color) {
        for (const unsigned at : {bit, bit + 8}) channels.push_back({at, 8, kind, color, true});
    };
    const ChannelKind kind =
        name.find("SNORM") != name.npos ? ChannelKind::signed_number : ChannelKind::unsigned_number;
    if (name.starts_with("BC1_")) add_565(0);
    if (name.starts_with("BC2_") || name.starts_with("BC3_")) add_565(64);
    if (name.starts_with("BC4_") || name.starts_with("BC5_")) add_bytes(0, kind, 'R');
    if (name.starts_with("BC5_")) add_bytes(64, kind, 'G');
    return channels;
}

}  // namespace

std::vector<Channel> channels_of(const probe::Format& format) {
    const std::string_view name = format.name;
    if (format.kind == probe::FormatKind::compressed) {
        std::vector<Channel> channels = end_points(name);
        return channels.empty() ? byte_channels(format.element.bytes) : channels;
    }
    std::vector<Channel> channels;
    for (const probe::Component& component : probe::components_of(format)) {
        const bool scaled = component.numeric.ends_with("NORM") || component.numeric == "SRGB";
        channels.push_back({component.bit, component.bits, kind_of(component.numeric), component.name, scaled});
    }
    if (name.starts_with("E5B9G9R9")) {
        // The shared exponent says more than the mantissas, which are no floating-point numbers of their own.
        for (Channel& channel : channels) channel.kind = ChannelKind::unsigned_number;
        channels.insert(channels.begin(), {27, 5, ChannelKind::unsigned_number, 'E', false});
    }
    return channels;
}

std::vector<Channel> byte_channels(uint32_t element_bytes) {
    std::vector<Channel> channels;
    for (uint32_t byte = 0; byte < element_bytes; byte++)
        channels.push_back({byte * 8, 8, ChannelKind::unsigned_number, '#', true});
    return channels;
}

float ordered_value(const Channel& channel, const std::byte* element, size_t element_bytes) {
    uint64_t raw = raw_value(channel, element, element_bytes);
    const uint64_t sign = uint64_t{1} << (channel.bits - 1);
    if (channel.kind == ChannelKind::signed_number) raw ^= sign;
    // Negative floating-point numbers grow as their bits, read as an integer, decrease.
    if (channel.kind == ChannelKind::real) raw = (raw & sign) != 0 ? ~raw & (sign | (sign - 1)) : raw | sign;
    return static_cast<float>(static_cast<double>(raw) / largest(channel.bits));
}

double shown_value(const Channel& channel, const std::byte* element, size_t element_bytes) {
    const uint64_t raw = raw_value(channel, element, element_bytes);
    if (channel.kind == ChannelKind::real) return real_value(raw, channel.bits, true);
    if (channel.kind == ChannelKind::positive_real) return real_value(raw, channel.bits, false);
    auto value = static_cast<double>(raw);
    double max = largest(channel.bits);
    if (channel.kind == ChannelKind::signed_number) {
        max = largest(channel.bits - 1);
        if (raw >> (channel.bits - 1) & 1) value -= std::ldexp(1.0, static_cast<int>(channel.bits));
    }
    return channel.scaled ? std::max(value / max, -1.0) : value;
}

}  // namespace tilewise
