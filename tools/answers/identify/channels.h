// What the bits of an element mean, as far as drawing a picture needs it.
#pragma once
#include "probe/formats/formats.h"
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tilewise {

enum class ChannelKind { unsigned_number, signed_number, real, positive_real };

struct Channel {
    unsigned bit = 0, bits = 0;  ///< counted from the element's lowest bit, in little-endian order
    ChannelKind kind = ChannelKind::unsigned_number;
    char name = ' ';     ///< R G B A D S, E for a shared exponent, or # if it is not known
    bool scaled = true;  ///< an integer that stands for 0 to 1 (-1 to 1); false: it stands for itself
};

/// The channels of a color or depth format. For BC1 to BC5: the two end points that every block begins with. For other
/// compressed formats, whose bits have no meaning on their own, and for elements without a format: each byte.
std::vector<Channel> channels_of(const probe::Format& format);
std::vector<Channel> byte_channels(uint32_t element_bytes);

/// The channel's value as 0 to 1, larger for larger values, for comparisons. For floating-point numbers it follows
/// their order, not their distance.
float ordered_value(const Channel& channel, const std::byte* element, size_t element_bytes);

/// The value itself, also for floating-point numbers; scaled integers are 0 (or -1) to 1.
double shown_value(const Channel& channel, const std::byte* element, size_t element_bytes);

}  // namespace tilewise
