#include "tools/answers/identify/channels.h"
#include <cstring>
#include <doctest/doctest.h>

using namespace tilewise;

namespace {

double value_of(unsigned bits, ChannelKind kind, uint32_t raw) {
    std::byte element[4];
    std::memcpy(element, &raw, sizeof raw);
    const Channel channel = {.bit = 0, .bits = bits, .kind = kind, .name = 'R'};
    return shown_value(channel, element, sizeof element);
}

}  // namespace

TEST_CASE("floating point channels of 10, 11 and 16 bits have the values that Vulkan's specification gives them") {
    const auto positive = ChannelKind::positive_real;
    CHECK(value_of(11, positive, 0x3c0) == 1);
    CHECK(value_of(11, positive, 0x001) == 0x1p-20);
    CHECK(value_of(11, positive, 0x7bf) == 65024);
    CHECK(value_of(10, positive, 0x1e0) == 1);
    CHECK(value_of(10, positive, 0x001) == 0x1p-19);
    CHECK(value_of(10, positive, 0x3df) == 64512);
    CHECK(value_of(16, ChannelKind::real, 0xc500) == -5);
    CHECK(value_of(16, ChannelKind::real, 0x0001) == 0x1p-24);
}
