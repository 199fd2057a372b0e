#include "probe/formats/names.h"
#include "patterns/model/enum_names.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "probe/formats/formats.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <vector>
#include <vulkan/vk_enum_string_helper.h>

namespace tilewise::probe {

namespace {

struct Flag {
    const char* name;
    uint32_t bit;
};

constexpr EnumNames<Route, 3> routes = {"route", {"alias", "alias-map", "host-copy"}};
constexpr EnumNames<Outcome, 7> outcomes = {
    "outcome", {"read", "opaque", "nothing-written", "unsupported", "out-of-memory", "crashed", "timed-out"}};

/// In the order of the enum Aspect.
constexpr Flag aspect_flags[] = {
    {"color", VK_IMAGE_ASPECT_COLOR_BIT},     {"depth", VK_IMAGE_ASPECT_DEPTH_BIT},
    {"stencil", VK_IMAGE_ASPECT_STENCIL_BIT}, {"plane0", VK_IMAGE_ASPECT_PLANE_0_BIT},
    {"plane1", VK_IMAGE_ASPECT_PLANE_1_BIT},  {"plane2", VK_IMAGE_ASPECT_PLANE_2_BIT},
};

constexpr Flag image_flags[] = {
    {"sparse-binding", VK_IMAGE_CREATE_SPARSE_BINDING_BIT},
    {"sparse-residency", VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT},
    {"sparse-aliased", VK_IMAGE_CREATE_SPARSE_ALIASED_BIT},
    {"mutable-format", VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT},
    {"cube-compatible", VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT},
    {"alias", VK_IMAGE_CREATE_ALIAS_BIT},
    {"split-instance-bind-regions", VK_IMAGE_CREATE_SPLIT_INSTANCE_BIND_REGIONS_BIT},
    {"2d-array-compatible", VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT},
    {"block-texel-view-compatible", VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT},
    {"extended-usage", VK_IMAGE_CREATE_EXTENDED_USAGE_BIT},
    {"disjoint", VK_IMAGE_CREATE_DISJOINT_BIT},
    {"sample-locations-compatible-depth", VK_IMAGE_CREATE_SAMPLE_LOCATIONS_COMPATIBLE_DEPTH_BIT_EXT},
    {"2d-view-compatible", VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT},
};

constexpr Flag usages[] = {
    {"transfer-src", VK_IMAGE_USAGE_TRANSFER_SRC_BIT},
    {"transfer-dst", VK_IMAGE_USAGE_TRANSFER_DST_BIT},
    {"sampled", VK_IMAGE_USAGE_SAMPLED_BIT},
    {"storage", VK_IMAGE_USAGE_STORAGE_BIT},
    {"color", VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT},
    {"depth-stencil", VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT},
    {"transient", VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT},
    {"input", VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT},
    {"host-transfer", VK_IMAGE_USAGE_HOST_TRANSFER_BIT},
};

constexpr std::string_view compression_prefix = "compression-";
constexpr Flag compressions[] = {
    {"fixed-rate", VK_IMAGE_COMPRESSION_FIXED_RATE_DEFAULT_EXT},
    {"disabled", VK_IMAGE_COMPRESSION_DISABLED_EXT},
};

constexpr Flag memory_flags[] = {
    {"device-local", VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT},
    {"host-visible", VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT},
    {"host-coherent", VK_MEMORY_PROPERTY_HOST_COHERENT_BIT},
    {"host-cached", VK_MEMORY_PROPERTY_HOST_CACHED_BIT},
    {"lazily-allocated", VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT},
    {"protected", VK_MEMORY_PROPERTY_PROTECTED_BIT},
    {"device-coherent", VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD},
    {"device-uncached", VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD},
    {"rdma-capable", VK_MEMORY_PROPERTY_RDMA_CAPABLE_BIT_NV},
};

constexpr Flag queue_flags[] = {
    {"graphics", VK_QUEUE_GRAPHICS_BIT},
    {"compute", VK_QUEUE_COMPUTE_BIT},
    {"transfer", VK_QUEUE_TRANSFER_BIT},
    {"sparse", VK_QUEUE_SPARSE_BINDING_BIT},
    {"protected", VK_QUEUE_PROTECTED_BIT},
    {"video-decode", VK_QUEUE_VIDEO_DECODE_BIT_KHR},
    {"video-encode", VK_QUEUE_VIDEO_ENCODE_BIT_KHR},
    {"optical-flow", VK_QUEUE_OPTICAL_FLOW_BIT_NV},
};

std::string names_of(std::span<const Flag> flags, uint32_t bits, const char* none = "none") {
    std::vector<std::string> names;
    for (const Flag& flag : flags)
        if (bits & flag.bit) {
            names.emplace_back(flag.name);
            bits &= ~flag.bit;
        }
    if (bits) names.push_back(fmt::format("{:#x}", bits));
    return names.empty() ? none : fmt::format("{}", fmt::join(names, ","));
}

/// The words separated by commas or, as in C, by bars.
std::vector<std::string> words_of(std::string_view said) {
    std::string text(said);
    std::ranges::replace(text, '|', ',');
    std::erase(text, ' ');
    return split_fields(text);
}

/// "color" for VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, COLOR_ATTACHMENT and Color.
std::string plain_flag_name(std::string_view said) {
    std::string name = to_lower(said);
    std::ranges::replace(name, '_', '-');
    for (const std::string_view begin : {"vk-image-usage-", "vk-image-create-"})
        if (name.starts_with(begin)) name.erase(0, begin.size());
    for (const std::string_view end : {"-ext", "-khr", "-bit", "-attachment"})
        if (name.ends_with(end)) name.erase(name.size() - end.size());
    return name;
}

uint32_t bits_named(const char* what, std::span<const Flag> flags, std::string_view said) {
    uint32_t bits = 0;
    for (const std::string& word : words_of(said)) {
        const auto flag = std::ranges::find(flags, plain_flag_name(word), &Flag::name);
        if (flag == flags.end()) {
            std::vector<const char*> known;
            for (const Flag& one : flags) known.push_back(one.name);
            throw UsageError(fmt::format("no {} is called '{}'; there are {}", what, word, fmt::join(known, ", ")));
        }
        bits |= flag->bit;
    }
    return bits;
}

/// The names in the order that databases use.
std::string sorted_names(const std::string& names) {
    std::vector<std::string> sorted = split(names);
    std::ranges::sort(sorted);
    return fmt::format("{}", fmt::join(sorted, ","));
}

}  // namespace

uint32_t usage_named(std::string_view said) { return bits_named("image usage", usages, said); }
uint32_t image_flags_named(std::string_view said) {
    const uint32_t flags = bits_named("image flag", image_flags, said);
    constexpr uint32_t sparse = VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT;
    return flags & sparse ? flags | VK_IMAGE_CREATE_SPARSE_BINDING_BIT : flags;
}

std::string usage_as_stored(std::string_view said) {
    return said.empty() ? "" : sorted_names(names_of(usages, usage_named(said), ""));
}
std::string flags_as_stored(std::string_view said) {
    if (said.empty()) return "";
    std::vector<std::string> flags, compression;
    for (const std::string& word : words_of(said)) {
        const std::string name = plain_flag_name(word);
        (name.starts_with(compression_prefix) ? compression : flags).push_back(name);
    }
    std::string names;
    if (!flags.empty()) names = names_of(image_flags, image_flags_named(fmt::format("{}", fmt::join(flags, ","))), "");
    for (const std::string& name : compression) {
        compression_named(std::string_view(name).substr(compression_prefix.size()));
        names += (names.empty() ? "" : ",") + name;
    }
    return sorted_names(names);
}

uint32_t compression_named(std::string_view name) {
    return name == "default" ? 0 : bits_named("compression", compressions, name);
}

std::string flag_names(const Image& image) {
    std::string names = names_of(image_flags, image.flags, "");
    if (image.compression)
        names += fmt::format("{}{}{}", names.empty() ? "" : ",", compression_prefix,
                             names_of(compressions, image.compression));
    return names;
}

ImageKind kind_of(const Image& image) {
    ImageKind kind;
    static_cast<ImageShape&>(kind) = image;
    kind.format = format_name(image.format);
    kind.usage = usage_names(image.usage);
    kind.flags = flag_names(image);
    return kind;
}

std::string aspect_name(uint32_t aspect) { return names_of(aspect_flags, aspect); }

tilewise::Aspect aspect_of(uint32_t bit) {
    const auto flag = std::ranges::find(aspect_flags, bit, &Flag::bit);
    if (flag == std::end(aspect_flags)) throw Error(fmt::format("no layout has the aspect {}", aspect_name(bit)));
    return static_cast<tilewise::Aspect>(flag - std::begin(aspect_flags));
}

std::string usage_names(uint32_t usage) { return names_of(usages, usage); }
std::string feature_names(uint64_t features) {
    constexpr std::pair<const char*, VkFormatFeatureFlags2> named[] = {
        {"sampled", VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT},
        {"filter-linear", VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT},
        {"storage", VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT},
        {"storage-atomic", VK_FORMAT_FEATURE_2_STORAGE_IMAGE_ATOMIC_BIT},
        {"storage-read-without-format", VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT},
        {"storage-write-without-format", VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT},
        {"color", VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT},
        {"color-blend", VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BLEND_BIT},
        {"depth-stencil", VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT},
        {"blit-src", VK_FORMAT_FEATURE_2_BLIT_SRC_BIT},
        {"blit-dst", VK_FORMAT_FEATURE_2_BLIT_DST_BIT},
        {"transfer-src", VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT},
        {"transfer-dst", VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT},
        {"host-transfer", VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT},
        {"disjoint", VK_FORMAT_FEATURE_2_DISJOINT_BIT}};
    std::vector<std::string> names;
    for (const auto& [name, bit] : named) {
        if (features & bit) names.emplace_back(name);
        features &= ~bit;
    }
    if (features != 0) names.push_back(fmt::format("{:#x}", features));
    return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ","));
}

std::string memory_flag_names(uint32_t flags) { return names_of(memory_flags, flags); }
std::string queue_flag_names(uint32_t flags) { return names_of(queue_flags, flags); }

const char* route_name(Route route) { return routes[route]; }
Route route_named(std::string_view name) { return routes.parse(name); }
const char* outcome_name(Outcome outcome) { return outcomes[outcome]; }

std::string version_text(uint32_t packed) {
    return fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(packed), VK_API_VERSION_MINOR(packed),
                       VK_API_VERSION_PATCH(packed));
}

std::string driver_id_name(uint32_t driver_id) {
    constexpr std::string_view prefix = "VK_DRIVER_ID_";
    const std::string_view name = string_VkDriverId(static_cast<VkDriverId>(driver_id));
    return name.starts_with(prefix) ? std::string(name.substr(prefix.size())) : "";
}

}  // namespace tilewise::probe
