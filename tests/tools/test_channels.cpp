#include "patterns/model/error.h"
#include "tests/support/program.h"
#include "tools/answers/identify/channels.h"
#include "tools/cli/files/png.h"
#include <cstring>
#include <doctest/doctest.h>
#include <filesystem>

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

TEST_CASE("a picture of more bytes than a PNG's encoder counts is refused, and no file is left") {
    const Folder folder;
    const std::vector<Channel> grey = {{.bit = 0, .bits = 8, .kind = ChannelKind::unsigned_number, .name = 'R'}};
    CHECK_THROWS_AS(write_png(folder / "big.png", {}, {1, 1, 1}, {60000, 40000, 1, 1}, grey), Error);
    CHECK_THROWS_AS(write_png(folder / "big.png", {}, {1, 1, 1}, {60000, 40000, 60000, 1}, grey), Error);
    CHECK_FALSE(std::filesystem::exists(folder / "big.png"));
}
