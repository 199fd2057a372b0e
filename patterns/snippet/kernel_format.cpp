#include "patterns/snippet/kernel_format.h"
#include "patterns/model/error.h"
#include "patterns/snippet/print.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewise {

namespace {

constexpr KernelFormat kernel_formats[] = {
    {"R8_UNORM", 1, Channel::unorm8, "r8", nullptr},
    {"R8G8_UNORM", 2, Channel::unorm8, "rg8", nullptr},
    {"R8G8B8A8_UNORM", 4, Channel::unorm8, "rgba8", "rgba8unorm"},
    {"R8_SNORM", 1, Channel::snorm8, "r8_snorm", nullptr},
    {"R8G8_SNORM", 2, Channel::snorm8, "rg8_snorm", nullptr},
    {"R8G8B8A8_SNORM", 4, Channel::snorm8, "rgba8_snorm", "rgba8snorm"},
    {"R16_UNORM", 1, Channel::unorm16, "r16", nullptr},
    {"R16G16_UNORM", 2, Channel::unorm16, "rg16", nullptr},
    {"R16G16B16A16_UNORM", 4, Channel::unorm16, "rgba16", nullptr},
    {"R16_SNORM", 1, Channel::snorm16, "r16_snorm", nullptr},
    {"R16G16_SNORM", 2, Channel::snorm16, "rg16_snorm", nullptr},
    {"R16G16B16A16_SNORM", 4, Channel::snorm16, "rgba16_snorm", nullptr},
    {"R16_SFLOAT", 1, Channel::half, "r16f", nullptr},
    {"R16G16_SFLOAT", 2, Channel::half, "rg16f", nullptr},
    {"R16G16B16A16_SFLOAT", 4, Channel::half, "rgba16f", "rgba16float"},
    {"R32_SFLOAT", 1, Channel::single, "r32f", "r32float"},
    {"R32G32_SFLOAT", 2, Channel::single, "rg32f", "rg32float"},
    {"R32G32B32A32_SFLOAT", 4, Channel::single, "rgba32f", "rgba32float"},
    {"B10G11R11_UFLOAT_PACK32", 3, Channel::packed, "r11f_g11f_b10f", nullptr},
    {"A2B10G10R10_UNORM_PACK32", 4, Channel::packed, "rgb10_a2", nullptr},
};

/// Views of images with such a format have a format that shaders can store.
struct View {
    std::string_view from, to;
    std::string_view differs;  ///< how the format's own values differ; empty: not at all
};
constexpr View storable[] = {{"B8G8R8A8", "R8G8B8A8", "red and blue are exchanged"},
                             {"A2R10G10B10", "A2B10G10R10", "red and blue are exchanged"},
                             {"A8B8G8R8", "R8G8B8A8", ""},
                             {"_SRGB", "_UNORM", "channels are not decoded"}};

std::string storable_name(std::string name) {
    // The bytes of an element, independent of the byte order of a word.
    if (const size_t at = name.find("_PACK32"); name.starts_with("A8B8G8R8") && at != std::string::npos)
        name.resize(at);
    for (const View& view : storable)
        if (const size_t at = name.find(view.from); at != std::string::npos)
            name.replace(at, view.from.size(), view.to);
    return name;
}

/// ", whose red and blue are exchanged"
std::string difference_text(const std::string& name) {
    std::vector<std::string_view> differs;
    for (const View& view : storable)
        if (name.find(view.from) != std::string::npos && !view.differs.empty()) differs.push_back(view.differs);
    return differs.empty() ? "" : fmt::format(", whose {}", fmt::join(differs, " and whose "));
}

}  // namespace

bool is_written(const KernelFormat& format, Language language) {
    if (language == Language::wgsl) return format.wgsl != nullptr;
    return language != Language::cuda || format.channel != Channel::packed;
}

bool is_written(const std::string& name) {
    return std::ranges::find(kernel_formats, name, &KernelFormat::name) != std::ranges::end(kernel_formats);
}

std::optional<std::string> storable_view(const std::string& name) {
    std::string viewed = storable_name(name);
    return viewed != name && is_written(viewed) ? std::optional(std::move(viewed)) : std::nullopt;
}

const KernelFormat& kernel_format(const std::string& name, Language language) {
    std::vector<const char*> names;
    const std::string viewed = storable_name(name);
    bool can_be_viewed = false;
    for (const KernelFormat& format : kernel_formats) {
        if (!is_written(format, language)) continue;
        if (format.name == name) return format;
        can_be_viewed = can_be_viewed || format.name == viewed;
        names.push_back(format.name);
    }
    if (can_be_viewed)
        throw UsageError(fmt::format("no kernel in {} writes {}: take --format {} and a view of that format{}",
                                     language_name(language), name, viewed, difference_text(name)));
    throw UsageError(
        fmt::format("no kernel in {} writes {}; there are: {}", language_name(language), name, fmt::join(names, ", ")));
}

const char* cuda_channel(Channel channel) {
    switch (channel) {
        case Channel::unorm8:
            return "uchar";
        case Channel::snorm8:
            return "char";
        case Channel::snorm16:
            return "short";
        default:
            return "ushort";
    }
}

std::string cuda_channel_function(const KernelFormat& format) {
    const auto function = [](const char* type, const std::string& value) {
        return fmt::format("__device__ inline {} tilewise_channel(float value) {{\n    return {};\n}}\n\n", type,
                           value);
    };
    // A float of 2^23 to 2^24 has no fraction bits, so adding 2^23 rounds and leaves the integer in the lowest bits.
    // Converting to integers and rintf use a unit that handles at most a quarter as many per cycle.
    const auto rounded = [&](const char* type, const char* scaled, const char* base) {
        return function(type, fmt::format("static_cast<{}>(__float_as_uint({} + {}))", type, scaled, base));
    };
    switch (format.channel) {
        case Channel::unorm8:
            return rounded("unsigned char", "__saturatef(value) * 255.0f", "8388608.0f");
        case Channel::unorm16:
            return rounded("unsigned short", "__saturatef(value) * 65535.0f", "8388608.0f");
        case Channel::snorm8:  // half as much again, so that negative values stay above 2^23
            return rounded("signed char", "fminf(fmaxf(value, -1.0f), 1.0f) * 127.0f", "12582912.0f");
        case Channel::snorm16:
            return rounded("short", "fminf(fmaxf(value, -1.0f), 1.0f) * 32767.0f", "12582912.0f");
        case Channel::half:
            return function("unsigned short", "__half_as_ushort(__float2half_rn(value))");
        default:
            return "";
    }
}

unsigned channel_bytes(Channel channel) {
    return channel == Channel::unorm8 || channel == Channel::snorm8 ? 1 : channel == Channel::single ? 4 : 2;
}

std::string hlsl_element(const KernelFormat& format) {
    const bool unorm = format.channel == Channel::unorm8 || format.channel == Channel::unorm16 ||
                       (format.channel == Channel::packed && format.channels == 4);
    const bool snorm = format.channel == Channel::snorm8 || format.channel == Channel::snorm16;
    return (unorm ? "unorm " : snorm ? "snorm " : "") + type_name(Language::hlsl, format.channels, Number::float32);
}

}  // namespace tilewise
