#include "tools/runs/try/contents.h"
#include "kernels/shader/confined.h"
#include "kernels/try/scene.h"
#include "patterns/model/error.h"
#include "patterns/model/split_mix.h"
#include "probe/formats/formats.h"
#include <Imath/half.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <functional>

#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_MAX_DIMENSIONS 65536
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image.h>
#pragma GCC diagnostic pop

namespace tilewise {

namespace {

constexpr std::array<std::string_view, 4> made = {"noise", "gradient", "zero", "poison"};

uint64_t component_bits(const probe::Component& component, double value) {
    const double max = std::ldexp(1.0, static_cast<int>(std::min(component.bits, 53u))) - 1;
    if (component.numeric == "SFLOAT" || component.numeric == "UFLOAT") {
        if (component.bits == 64) return std::bit_cast<uint64_t>(value);
        if (component.bits == 32) return std::bit_cast<uint32_t>(static_cast<float>(value));
        // Floats of 11 and 10 bits have the same exponent as halves, no sign and fewer digits.
        const uint32_t half = imath_float_to_half(static_cast<float>(value));
        return component.bits == 16 ? half : half >> (component.bits == 11 ? 4 : 5);
    }
    const bool is_signed =
        component.numeric == "SNORM" || component.numeric == "SINT" || component.numeric == "SSCALED";
    return static_cast<uint64_t>(std::lround(value * (is_signed ? std::floor(max / 2) : max)));
}

/// Converts four channels of each texel to the format's bytes.
std::vector<std::byte> packed(uint32_t format, std::array<uint32_t, 3> size,
                              const std::function<std::array<double, 4>(uint64_t x, uint64_t y, uint64_t z)>& color) {
    const probe::Format* known = probe::find_format(format);
    const std::vector<probe::Component> components =
        known ? probe::components_of(*known) : std::vector<probe::Component>();
    if (components.empty() || known->element.bytes > 32)
        throw UsageError(
            fmt::format("{}: such images are not filled; give a file of texels", probe::format_name(format)));
    std::vector<std::byte> bytes(uint64_t{size[0]} * size[1] * size[2] * known->element.bytes);
    std::byte* at = bytes.data();
    for (uint64_t z = 0; z < size[2]; ++z)
        for (uint64_t y = 0; y < size[1]; ++y)
            for (uint64_t x = 0; x < size[0]; ++x, at += known->element.bytes) {
                const std::array<double, 4> channels = color(x, y, z);
                for (const probe::Component& component : components) {
                    const size_t channel = std::string_view("RGBA").find(component.name);
                    const uint64_t value =
                        component_bits(component, channels[channel == std::string_view::npos ? 0 : channel]);
                    for (unsigned bit = 0; bit < component.bits; bit += 8 - (component.bit + bit) % 8) {
                        const unsigned place = component.bit + bit;
                        const unsigned count = std::min(8 - place % 8, component.bits - bit);
                        at[place / 8] |= static_cast<std::byte>((value >> bit & ((1u << count) - 1)) << (place % 8));
                    }
                }
            }
    return bytes;
}

}  // namespace

bool is_made_contents(const std::string& contents) { return std::ranges::count(made, contents) > 0; }

std::vector<std::byte> made_texels(const std::string& contents, uint32_t format, std::array<uint32_t, 3> size,
                                   uint64_t seed) {
    const probe::Format* known = probe::find_format(format);
    const uint64_t bytes = uint64_t{size[0]} * size[1] * size[2] * (known ? known->element.bytes : 0);
    if (contents == "zero") return std::vector<std::byte>(bytes);
    if (contents == "poison") return std::vector<std::byte>(bytes, kernels::poison_byte);
    if (contents == "gradient")
        return packed(format, size, [&](uint64_t x, uint64_t y, uint64_t) {
            const double r = (static_cast<double>(x) + 0.5) / size[0], g = (static_cast<double>(y) + 0.5) / size[1];
            return std::array<double, 4>{r, g, (r + g) / 2, 1};
        });
    uint64_t counter = split_mix(seed);
    return packed(format, size, [&](uint64_t, uint64_t, uint64_t) {
        // 16 bits for each channel.
        const uint64_t bits = split_mix(++counter);
        const auto channel = [&](unsigned i) { return static_cast<double>(bits >> (16 * i) & 0xffff) / 65535; };
        return std::array<double, 4>{channel(0), channel(1), channel(2), channel(3)};
    });
}

namespace {

/// Width and height as two 32-bit integers, then RGBA bytes in rows.
std::string decoded_png(std::string_view bytes) {
    int width = 0, height = 0, channels = 0;
    stbi_uc* decoded = stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(bytes.data()),
                                             static_cast<int>(bytes.size()), &width, &height, &channels, 4);
    if (decoded == nullptr) throw Error(fmt::format("is not a PNG file: {}", stbi_failure_reason()));
    std::string answer(8, '\0');
    const std::array<int32_t, 2> sides = {width, height};
    std::memcpy(answer.data(), sides.data(), sizeof sides);
    return answer.append(reinterpret_cast<const char*>(decoded),
                         size_t{4} * static_cast<size_t>(width) * static_cast<size_t>(height));
}

}  // namespace

int decode_png_for_program(probe::worker::Playing& playing) { return kernels::answer_task(playing, decoded_png); }

std::vector<std::byte> texels_of_png(const std::string& name, const std::string& bytes, uint32_t format,
                                     std::array<uint32_t, 3> size) {
    std::string pixels;
    try {
        pixels = kernels::run_confined(png_role, name, bytes);
    } catch (const Error& error) {
        const std::string why = error.what();
        throw Error(why.starts_with(name) ? why : fmt::format("{}: {}", name, why));
    }
    // The process that decodes a stranger's file is not trusted: its answer is checked.
    std::array<uint32_t, 2> sides = {};
    if (pixels.size() >= sizeof sides) std::memcpy(sides.data(), pixels.data(), sizeof sides);
    const uint64_t width = sides[0], height = sides[1];
    if (width == 0 || height == 0 || width > UINT16_MAX + 1 || height > UINT16_MAX + 1 ||
        pixels.size() != sizeof sides + 4 * width * height)
        throw Error(fmt::format("{}: is not a PNG file that could be decoded", name));
    return packed(format, size, [&](uint64_t x, uint64_t y, uint64_t) {
        std::array<double, 4> color = {};
        const size_t at = 8 + 4 * (y % height * width + x % width);
        for (size_t i = 0; i < 4; ++i) color[i] = static_cast<unsigned char>(pixels[at + i]) / 255.0;
        return color;
    });
}

std::vector<std::byte> made_bytes(const std::string& contents, uint64_t count, uint64_t seed) {
    std::vector<std::byte> bytes(count, contents == "poison" ? kernels::poison_byte : std::byte{0});
    if (contents != "noise") return bytes;
    for (uint64_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(split_mix(seed + i / 8) >> (8 * (i % 8)));
    return bytes;
}

}  // namespace tilewise
