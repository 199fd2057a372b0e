#include "tools/runs/probe/usage_sizes.h"
#include "patterns/model/error.h"
#include "probe/formats/formats.h"
#include "probe/formats/names.h"
#include "probe/usual_images.h"
#include "tools/answers/image/usages.h"
#include "tools/runs/probe/facts.h"
#include <algorithm>

namespace tilewise {

namespace {

/// Every combination of the usages that matter: see sized_usages.
std::vector<uint32_t> usages_to_ask(const probe::DeviceInfo& device, const probe::Format& format) {
    const uint32_t attachment =
        probe::usage_named(format.kind == probe::FormatKind::depth_stencil ? "depth-stencil" : "color");
    std::array<uint32_t, sized_usages.size()> bits = {};
    std::ranges::transform(sized_usages, bits.begin(), probe::usage_named);
    const auto is_host_copy = [](const probe::RouteSupport& support) {
        return support.route == probe::Route::host_copy && support.offered;
    };
    const size_t known_bits = std::ranges::any_of(device.routes, is_host_copy) ? bits.size() : bits.size() - 1;
    std::vector<uint32_t> usages;
    for (const uint32_t drawn : {0U, attachment, attachment | probe::usage_named("input")})
        for (uint32_t chosen = 0; chosen < 1U << known_bits; chosen++) {
            uint32_t usage = drawn;
            for (size_t bit = 0; bit < bits.size(); bit++)
                if (chosen >> bit & 1) usage |= bits[bit];
            if (usage != 0) usages.push_back(usage);
        }
    return usages;
}

/// Groups usages with the same sizes into classes; usages that are offered for no image are in none.
UsageSizes classes_of(const std::vector<ImageShape>& images, const std::vector<uint32_t>& usages,
                      const std::vector<ImageSize>& sizes) {
    UsageSizes all = {images, {}};
    for (size_t i = 0; i < usages.size(); i++) {
        const auto first = sizes.begin() + static_cast<std::ptrdiff_t>(i * images.size());
        const std::vector<ImageSize> of_usage(first, first + static_cast<std::ptrdiff_t>(images.size()));
        if (std::ranges::all_of(of_usage, [](const ImageSize& size) { return size.bytes == 0; })) continue;
        const auto same = std::ranges::find(all.classes, of_usage, &UsageClass::sizes);
        if (same == all.classes.end())
            all.classes.push_back({{usages[i]}, of_usage});
        else
            same->usages.push_back(usages[i]);
    }
    return all;
}

}  // namespace

std::vector<std::string> formats_without_sizes(const db::Database& database, const probe::DeviceInfo& device,
                                               std::vector<std::string> formats) {
    const auto rows = db::find_facts<db::UsageSizesFact>(database, device_fact(device), driver_fact(device));
    std::erase_if(formats, [&](const std::string& name) {
        return std::ranges::any_of(rows,
                                   [&](const db::UsageSizesRow& row) { return has_names(row.fact.formats, name); });
    });
    return formats;
}

AskedSizes ask_usage_sizes(probe::Workers& workers, const probe::DeviceInfo& device,
                           const std::vector<std::string>& formats) {
    AskedSizes asked;
    for (const ImageType type : {ImageType::two_d, ImageType::three_d}) {
        const std::vector<ImageShape> images = probe::usual_images(type);
        struct Alike {
            UsageSizes sizes;
            std::string formats;
        };
        std::vector<Alike> groups;
        for (const std::string& name : formats) {
            const probe::Format& format = probe::format_named(name);
            const std::vector<uint32_t> usages = usages_to_ask(device, format);
            UsageSizes sizes;
            try {
                sizes = classes_of(images, usages, image_sizes(workers, device, format.id, usages, images));
            } catch (const Error& error) {
                asked.failures.emplace_back(error.what());
            }
            if (sizes.classes.empty()) continue;
            const auto same = std::ranges::find(groups, sizes, &Alike::sizes);
            if (same == groups.end())
                groups.push_back({std::move(sizes), name});
            else
                same->formats += "," + name;
        }
        for (const Alike& group : groups) asked.facts.push_back(usage_sizes_fact(group.sizes, group.formats, type));
    }
    return asked;
}

}  // namespace tilewise
