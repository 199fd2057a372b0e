// The cases of a request: formats x extents x routes x memory types.
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "probe/probe.h"
#include "probe/worker/parent.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <vulkan/vulkan_core.h>

namespace tilewise::probe {

namespace {

constexpr Extent_px extents_1d[] = {{64, 1, 1}, {256, 1, 1}, {512, 1, 1}, {300, 1, 1}, {1000, 1, 1}};
constexpr Extent_px extents_2d[] = {{64, 64, 1},   {256, 256, 1}, {512, 512, 1},
                                    {300, 200, 1}, {200, 300, 1}, {1000, 700, 1}};
constexpr Extent_px extents_3d[] = {{64, 64, 32}, {100, 60, 20}, {20, 24, 70}};
constexpr Extent_px extents_of_cubes[] = {{64, 64, 1}, {256, 256, 1}, {300, 300, 1}};

/// The features of images of the format with that modifier or, without one, with optimal tiling.
uint64_t features_of(const DeviceInfo& device, uint32_t format, uint64_t modifier) {
    const auto of_format = std::ranges::find(device.formats, format, &FormatSupport::format);
    if (of_format == device.formats.end()) return 0;
    if (modifier == no_modifier) return of_format->features;
    const auto with = std::ranges::find(of_format->modifiers, modifier, &ModifierSupport::modifier);
    return with == of_format->modifiers.end() ? 0 : with->features;
}

constexpr VkImageUsageFlags transfer_usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

/// Sampled and storage, as far as the format allows: the usages of images that shaders process.
uint32_t usage_of(const Request& request, uint64_t features) {
    if (request.usage) return request.usage | transfer_usage;
    uint32_t usage = transfer_usage;
    if (features & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT) usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
    if (features & VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT) usage |= VK_IMAGE_USAGE_STORAGE_BIT;
    return usage;
}

void check_extent(const Extent_px& extent, const DeviceInfo& device) {
    if (std::ranges::min(extent) == 0)
        throw UsageError(fmt::format("extent {}: an image has at least one texel each way", sides_text(extent)));
    const bool deep = extent[2] > 1;
    const uint32_t limit = deep ? device.max_dimension_3d : device.max_dimension_2d;
    if (std::ranges::max(extent) > limit)
        throw UsageError(fmt::format("extent {} is beyond {}'s limit of {} ({})", sides_text(extent), device.name,
                                     limit, deep ? "maxImageDimension3D" : "maxImageDimension2D"));
}

void check_request(const Request& request, const DeviceInfo& device) {
    if (device.max_dimension_2d == 0)
        throw Error(
            fmt::format("device {} has no images by its properties (maxImageDimension2D is 0): its driver does not "
                        "answer as Vulkan requires; VK_DRIVER_FILES can name another one",
                        device.index));
    for (const Extent_px& extent : request.extents) check_extent(extent, device);
    for (const uint32_t type : request.memory_types)
        if (type >= device.memory_types.size())
            throw UsageError(fmt::format("{} has no memory type {}; it has 0 to {}", device.name, type,
                                         device.memory_types.size() - 1));
    if (!std::has_single_bit(request.samples) || request.samples > VK_SAMPLE_COUNT_64_BIT)
        throw UsageError(fmt::format("{} samples: Vulkan's images have 1, 2, 4, 8, 16, 32 or 64", request.samples));
    if (request.levels == 0 || request.layers == 0) throw UsageError("an image has at least one level and one layer");
    if (request.samples > 1 && request.levels > 1)
        throw UsageError(fmt::format("{} levels of {} samples: an image of several samples has one level",
                                     request.levels, request.samples));
    if (request.layers > device.max_layers)
        throw UsageError(fmt::format("{} layers are beyond {}'s limit of {} (maxImageArrayLayers)", request.layers,
                                     device.name, device.max_layers));
}

uint32_t whole_chain(const Extent_px& extent) {
    return static_cast<uint32_t>(std::bit_width(std::ranges::max(extent)));
}

/// Memory types that an ordinary device may allocate from.
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

    /// The types that the image can use; none if it is not offered. All of them if the driver failed on the question,
    /// so that no case is left out and each reports its own outcome.
    uint32_t types_of(const Image& image, uint32_t aspect, Route route) const {
        Case probed;
        probed.device = device.index;
        probed.image = image;
        probed.aspect = aspect;
        probed.route = route;
        const auto answer = pool.ask(worker::FindMemory{probed});
        return answer.reply ? answer.reply->memory_types : ordinary_types(device, 0);
    }

    void add(const Image& image, uint32_t aspect, Route route, uint32_t types) const {
        for (uint32_t type = 0; type < 32; ++type)
            if ((types >> type) & 1)
                std::ranges::copy(subresources_of({device.index, image, aspect, 0, 0, route, static_cast<int>(type)}),
                                  std::back_inserter(cases));
    }

    /// Adds one case, whose reading says why there are no more.
    void add_refused(const Image& image, uint32_t aspect, Route route) const {
        const int type = request.memory_types.empty() ? -1 : static_cast<int>(request.memory_types.front());
        cases.push_back({device.index, image, aspect, 0, 0, route, type});
    }

    uint32_t asked_of(uint32_t types) const {
        uint32_t asked = 0;
        for (const uint32_t type : request.memory_types) asked |= 1u << type;
        return asked ? types & asked : types;
    }

    /// Adds a case for each type and subresource. If there is no type but the route was requested by name, adds a case
    /// that says why.
    bool add_types(const Image& image, uint32_t aspect, Route route, uint32_t types) const {
        types = asked_of(types);
        add(image, aspect, route, types);
        if (types) return true;
        if (request.routes.empty()) return false;
        add_refused(image, aspect, route);
        return true;
    }

    void add_image(const Image& plain, uint32_t aspect) const {
        constexpr uint32_t local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
        bool any = false;
        const bool ask = !request.memory_types.empty();
        if ((wants(Route::alias) && offered(Route::alias)) || (wants(Route::alias_map) && offered(Route::alias_map))) {
            const uint32_t types = types_of(plain, aspect, Route::alias);
            uint32_t for_alias = types & ordinary_types(device, local);
            if (!for_alias || ask) for_alias = types & ordinary_types(device, 0);
            const uint32_t mappable = types & ordinary_types(device, visible);
            if (wants(Route::alias)) any |= add_types(plain, aspect, Route::alias, for_alias);
            if (wants(Route::alias_map))
                any |= add_types(plain, aspect, Route::alias_map, ask ? mappable : one_per_heap(device, mappable));
        }
        if (wants(Route::host_copy) && offered(Route::host_copy)) any |= add_host_copy(plain, aspect);
        // Whatever was requested by name gets an answer, if only the reason why not; and so does every image.
        for (const Route route : request.routes)
            if (!offered(route)) add_refused(plain, aspect, route);
        if (!any && request.routes.empty()) add_refused(plain, aspect, Route::alias);
    }

    bool add_host_copy(const Image& plain, uint32_t aspect) const {
        const bool possible =
            features_of(device, plain.format, plain.modifier) & VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT;
        if (!possible && request.routes.empty()) return false;
        Image image = plain;
        image.usage |= VK_IMAGE_USAGE_HOST_TRANSFER_BIT;
        constexpr uint32_t local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
        uint32_t types = possible ? types_of(image, aspect, Route::host_copy) & ordinary_types(device, visible) : 0;
        if (request.memory_types.empty()) {
            if (const uint32_t best = types & ordinary_types(device, visible | local)) types = best;
            types = one_per_heap(device, types);
        }
        // Drivers without hardware have no other route.
        if (image.samples > 1) {
            add_refused(image, aspect, Route::host_copy);
            return true;
        }
        bool any = add_types(image, aspect, Route::host_copy, types);
        // The same image by alias, so that the two routes can be compared.
        if (wants(Route::alias) && offered(Route::alias) && types && image.usage != plain.usage)
            any |= add_types(image, aspect, Route::alias, types);
        return any;
    }
};

}  // namespace

std::span<const Extent_px> default_extents(ImageType type) {
    if (type == ImageType::one_d) return extents_1d;
    if (type == ImageType::three_d) return extents_3d;
    return extents_2d;
}

std::vector<Case> plan(Workers& workers, const DeviceInfo& device, const Request& request) {
    check_request(request, device);
    const ImageType default_type = request.type.value_or(ImageType::two_d);
    std::span<const Extent_px> wanted = default_extents(default_type);
    if (request.flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) wanted = extents_of_cubes;
    if (!request.extents.empty()) wanted = request.extents;
    std::vector<Extent_px> extents;
    for (const Extent_px& extent : wanted)
        if (std::find(extents.begin(), extents.end(), extent) == extents.end()) extents.push_back(extent);
    std::vector<Case> cases;
    const Planner planner = {*workers.pool, device, request, cases};
    for (const uint32_t format : formats_in(request.formats))
        for (const Extent_px& extent : extents) {
            Image image;
            image.format = format;
            image.type = request.type.value_or(extent[2] > 1 ? ImageType::three_d : ImageType::two_d);
            image.extent_px = extent;
            image.layers = request.layers;
            image.samples = request.samples;
            const bool has_levels = request.samples == 1 && !requires_ycbcr_conversion(*find_format(format));
            image.levels = has_levels ? std::min(request.levels, whole_chain(extent)) : 1;
            image.usage = usage_of(request, features_of(device, format, request.modifier));
            image.flags = request.flags;
            image.compression = request.compression;
            image.modifier = request.modifier;
            const std::vector<Aspect> aspects = aspects_of(*find_format(format));
            if (features_of(device, format, request.modifier) == 0)
                planner.add_refused(image, aspects.front().bit, Route::alias);
            else
                for (const Aspect& aspect : aspects) planner.add_image(image, aspect.bit);
        }
    return cases;
}

}  // namespace tilewise::probe
