// Which cases a request comes to: formats x extents x routes x memory types.
#include "patterns/model/error.h"
#include "probe/probe.h"
#include "probe/worker/parent.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <vulkan/vulkan_core.h>

namespace tilewise::probe {

namespace {

constexpr Extent extents_by_default[] = {{64, 64}, {256, 256}, {512, 512}, {300, 200}, {200, 300}, {1000, 700}};

uint64_t features_of(const DeviceInfo& device, uint32_t format) {
    for (const FormatSupport& support : device.formats)
        if (support.format == format) return support.features;
    return 0;
}

struct UsageFeature {
    VkImageUsageFlags usage;
    VkFormatFeatureFlags2 feature;
};
constexpr UsageFeature usage_features[] = {
    {VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT},
    {VK_IMAGE_USAGE_TRANSFER_DST_BIT, VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT},
    {VK_IMAGE_USAGE_SAMPLED_BIT, VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT},
    {VK_IMAGE_USAGE_STORAGE_BIT, VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT},
    {VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT},
    {VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT, VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT},
    {VK_IMAGE_USAGE_HOST_TRANSFER_BIT, VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT},
};
constexpr VkImageUsageFlags transfer_usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

bool offers(uint64_t features, uint32_t usage) {
    return std::all_of(std::begin(usage_features), std::end(usage_features),
                       [&](const UsageFeature& pair) { return !(usage & pair.usage) || (features & pair.feature); });
}

/// Sampled and storage, as far as the format has them: what an image that shaders walk is made with.
uint32_t usage_of(const Request& request, uint64_t features) {
    if (request.usage) return request.usage | transfer_usage;
    uint32_t usage = transfer_usage;
    if (features & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT) usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
    if (features & VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT) usage |= VK_IMAGE_USAGE_STORAGE_BIT;
    return usage;
}

std::vector<uint32_t> formats_of(const Request& request, const DeviceInfo& device) {
    std::vector<uint32_t> formats;
    const auto add = [&](uint32_t format) {
        if (std::find(formats.begin(), formats.end(), format) == formats.end()) formats.push_back(format);
    };
    for (const std::string& name : request.formats) {
        if (name == "common") {
            for (const uint32_t format : common_formats()) add(format);
        } else if (name == "all") {
            for (const FormatSupport& support : device.formats)
                if (find_format(support.format)->kind == FormatKind::color &&
                    offers(support.features, usage_of(request, support.features)))
                    add(support.format);
        } else {
            const Format& format = format_named(name);
            if (format.kind == FormatKind::depth_stencil)
                throw UsageError(fmt::format("{}: depth and stencil formats cannot be probed", format.name));
            add(format.id);
        }
    }
    return formats;
}

void check_extent(const Extent& extent, const DeviceInfo& device) {
    const auto& [width, height, depth] = extent;
    if (width == 0 || height == 0 || depth == 0)
        throw UsageError(
            fmt::format("extent {}x{}x{}: an image has at least one texel each way", width, height, depth));
    const uint32_t limit = depth > 1 ? device.max_dimension_3d : device.max_dimension_2d;
    if (std::max({width, height, depth}) > limit)
        throw UsageError(fmt::format("extent {}x{}x{} is beyond {}'s limit of {} ({})", width, height, depth,
                                     device.name, limit, depth > 1 ? "maxImageDimension3D" : "maxImageDimension2D"));
}

void check_request(const Request& request, const DeviceInfo& device) {
    for (const Extent& extent : request.extents) check_extent(extent, device);
    for (const uint32_t type : request.memory_types)
        if (type >= device.memory_types.size())
            throw UsageError(fmt::format("{} has no memory type {}; it has 0 to {}", device.name, type,
                                         device.memory_types.size() - 1));
    if (request.samples != 1) throw UsageError("multisampled images cannot be probed: no copy writes them");
    if (request.levels == 0 || request.layers == 0) throw UsageError("an image has at least one level and one layer");
    if (request.layers > device.max_layers)
        throw UsageError(fmt::format("{} layers are beyond {}'s limit of {} (maxImageArrayLayers)", request.layers,
                                     device.name, device.max_layers));
}

uint32_t whole_chain(const Extent& extent) {
    return static_cast<uint32_t>(std::bit_width(std::max({extent.width, extent.height, extent.depth})));
}

/// Types that an ordinary device may allocate from.
uint32_t ordinary_types(const DeviceInfo& device, uint32_t needed_flags) {
    constexpr uint32_t special = VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT |
                                 VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD |
                                 VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;
    uint32_t bits = 0;
    for (uint32_t type = 0; type < device.memory_types.size(); ++type) {
        const uint32_t flags = device.memory_types[type].flags;
        if (!(flags & special) && (flags & needed_flags) == needed_flags) bits |= 1u << type;
    }
    return bits;
}

/// The first type of each heap: mapped memory shows the same image whatever the CPU's caches do with it.
uint32_t one_per_heap(const DeviceInfo& device, uint32_t types) {
    uint32_t kept = 0, heaps = 0;
    for (uint32_t type = 0; type < device.memory_types.size(); ++type) {
        const uint32_t heap = 1u << device.memory_types[type].heap;
        if (((types >> type) & 1) && !(heaps & heap)) {
            kept |= 1u << type;
            heaps |= heap;
        }
    }
    return kept;
}

struct Planner {
    worker::Pool& pool;
    const DeviceInfo& device;
    const Request& request;
    std::vector<Case>& cases;

    bool wants(Route route) const {
        return request.routes.empty() || std::count(request.routes.begin(), request.routes.end(), route) > 0;
    }

    bool offered(Route route) const { return device.routes[static_cast<size_t>(route)].offered; }

    /// The types that the image can have; none if it is not offered. All where the driver failed over the question: so
    /// no case is left out, and each tells what becomes of it.
    uint32_t types_of(const Image& image) const {
        Case probed;
        probed.device = device.index;
        probed.image = image;
        const auto answer = pool.ask(worker::FindMemory{probed});
        return answer.reply ? answer.reply->memory_types : ordinary_types(device, 0);
    }

    void add(const Image& image, Route route, int memory_type) const {
        for (uint32_t layer = 0; layer < image.layers; ++layer)
            for (uint32_t level = 0; level < image.levels; ++level)
                cases.push_back({device.index, image, color_aspect, level, layer, route, memory_type});
    }

    /// A case for each type; where there is none, one whose reading says why if the route was asked for by name.
    bool add_types(const Image& image, Route route, uint32_t types) const {
        uint32_t asked = 0;
        for (const uint32_t type : request.memory_types) asked |= 1u << type;
        if (asked) types &= asked;
        for (uint32_t type = 0; type < 32; ++type)
            if ((types >> type) & 1) add(image, route, static_cast<int>(type));
        if (types) return true;
        if (request.routes.empty()) return false;
        add(image, route, asked ? std::countr_zero(asked) : -1);
        return true;
    }

    void add_image(const Image& plain) const {
        constexpr uint32_t local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
        bool any = false;
        const bool ask = !request.memory_types.empty();
        if ((wants(Route::alias) && offered(Route::alias)) || (wants(Route::alias_map) && offered(Route::alias_map))) {
            const uint32_t types = types_of(plain);
            uint32_t for_alias = types & ordinary_types(device, local);
            if (!for_alias || ask) for_alias = types & ordinary_types(device, 0);
            const uint32_t mappable = types & ordinary_types(device, visible);
            if (wants(Route::alias)) any |= add_types(plain, Route::alias, for_alias);
            if (wants(Route::alias_map))
                any |= add_types(plain, Route::alias_map, ask ? mappable : one_per_heap(device, mappable));
        }
        if (wants(Route::host_copy) && offered(Route::host_copy)) any |= add_host_copy(plain);
        // Whatever was asked for by name is answered, if only with the reason why not; and so is every image.
        for (const Route route : request.routes)
            if (!offered(route)) add(plain, route, -1);
        if (!any && request.routes.empty()) add(plain, Route::alias, -1);
    }

    bool add_host_copy(const Image& plain) const {
        const bool possible = features_of(device, plain.format) & VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT;
        if (!possible && request.routes.empty()) return false;
        Image image = plain;
        image.usage |= VK_IMAGE_USAGE_HOST_TRANSFER_BIT;
        constexpr uint32_t local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
        uint32_t types = possible ? types_of(image) & ordinary_types(device, visible) : 0;
        if (request.memory_types.empty()) {
            if (const uint32_t best = types & ordinary_types(device, visible | local)) types = best;
            types = one_per_heap(device, types);
        }
        bool any = add_types(image, Route::host_copy, types);
        // The same image by alias, so that the two routes can be compared.
        if (wants(Route::alias) && offered(Route::alias) && types && image.usage != plain.usage)
            any |= add_types(image, Route::alias, types);
        return any;
    }
};

}  // namespace

std::span<const Extent> default_extents() { return extents_by_default; }

std::vector<Case> plan(Workers& workers, const DeviceInfo& device, const Request& request) {
    check_request(request, device);
    const std::vector<uint32_t> formats = formats_of(request, device);
    if (formats.empty())
        throw Error(fmt::format("{} offers no format for the usage {}", device.name, usage_names(request.usage)));
    std::vector<Extent> extents;
    for (const Extent& extent : request.extents.empty() ? default_extents() : request.extents)
        if (std::find(extents.begin(), extents.end(), extent) == extents.end()) extents.push_back(extent);
    std::vector<Case> cases;
    const Planner planner = {*workers.pool, device, request, cases};
    for (const uint32_t format : formats)
        for (const Extent& extent : extents) {
            Image image;
            image.format = format;
            image.type = extent.depth > 1 ? ImageType::three_d : ImageType::two_d;
            image.extent = extent;
            image.levels = std::min(request.levels, whole_chain(extent));
            image.layers = request.layers;
            image.samples = request.samples;
            image.usage = usage_of(request, features_of(device, format));
            planner.add_image(image);
        }
    return cases;
}

}  // namespace tilewise::probe
