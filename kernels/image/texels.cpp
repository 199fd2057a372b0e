#include "kernels/image/texels.h"
#include "patterns/model/error.h"
#include "patterns/model/split_mix.h"
#include <Imath/half.h>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace tilewise::kernels {

const FormatTraits& traits_of(Format format) {
    static constexpr std::array<FormatTraits, all_formats.size()> traits = {{
        {"R8G8B8A8_UNORM", "rgba8", VK_FORMAT_R8G8B8A8_UNORM, 4},
        {"R16G16B16A16_SFLOAT", "rgba16f", VK_FORMAT_R16G16B16A16_SFLOAT, 8},
        {"R32G32B32A32_SFLOAT", "rgba32f", VK_FORMAT_R32G32B32A32_SFLOAT, 16},
    }};
    return traits[static_cast<size_t>(format)];
}

Format format_of(std::string_view name) {
    std::string known;
    for (const Format format : all_formats) {
        if (name == traits_of(format).name) return format;
        known += fmt::format("{}{}", known.empty() ? "" : ", ", traits_of(format).name);
    }
    throw UsageError(fmt::format("no kernel for format {}: there are {}", name, known));
}

namespace {

template <typename Channel>
void fill(Texels& texels, uint32_t seed, Channel channel) {
    using Value = decltype(channel(uint32_t{}));
    const uint64_t channels = texels.bytes.size() / sizeof(Value);
    for (uint64_t i = 0; i < channels; ++i) {
        const Value value = channel(static_cast<uint32_t>(split_mix(uint64_t{seed} << 40 ^ i) >> 32));
        std::memcpy(texels.bytes.data() + i * sizeof(Value), &value, sizeof(Value));
    }
}

}  // namespace

Texels random_texels(Format format, Size size, uint32_t seed) {
    Texels texels = {format, size, {}};
    texels.bytes.resize(count(size) * traits_of(format).bytes);
    switch (format) {
        case Format::rgba8:
            fill(texels, seed, [](uint32_t bits) { return static_cast<uint8_t>(bits % 255 + 1); });
            break;
        case Format::rgba16f:  // exponents of 2^-4 to 2^-1
            fill(texels, seed, [](uint32_t bits) { return static_cast<uint16_t>(0x2c00 + bits % 0x1000); });
            break;
        case Format::rgba32f:
            fill(texels, seed, [](uint32_t bits) { return std::ldexp(static_cast<float>((bits >> 8) + 1), -24); });
            break;
    }
    return texels;
}

std::vector<float> channels_of(const Texels& texels) { return channels_of(texels, 0, texels.size.height); }

std::vector<float> channels_of(const Texels& texels, uint32_t first_row, uint32_t end_row) {
    const uint32_t channel_bytes = traits_of(texels.format).bytes / 4;
    const size_t row = size_t{texels.size.width} * 4;
    const std::byte* first = texels.bytes.data() + first_row * row * channel_bytes;
    std::vector<float> channels((end_row - first_row) * row);
    for (size_t i = 0; i < channels.size(); ++i) {
        const std::byte* bytes = first + i * channel_bytes;
        uint16_t half = 0;
        switch (texels.format) {
            case Format::rgba8:
                channels[i] = static_cast<float>(std::to_integer<uint8_t>(*bytes)) / 255;
                break;
            case Format::rgba16f:
                std::memcpy(&half, bytes, sizeof half);
                channels[i] = imath_half_to_float(half);
                break;
            case Format::rgba32f:
                std::memcpy(&channels[i], bytes, sizeof(float));
                break;
        }
    }
    return channels;
}

}  // namespace tilewise::kernels
