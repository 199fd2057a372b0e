#include "tools/runs/probe/check_modifiers.h"
#include "patterns/model/drm_modifier.h"
#include "patterns/model/error.h"
#include "patterns/model/names.h"
#include "patterns/modes/defined_modes.h"
#include "probe/formats/names.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace tilewise {

const char* modifier_check_name(ModifierCheck check) {
    constexpr const char* names[] = {"same", "differs", "unnamed", "unread"};
    return names[static_cast<size_t>(check)];
}

namespace {

/// Higher than any block: a block as high as the image could in truth be higher.
constexpr Extent_px checked_extent = {600, 600, 1};

ImageRead probe_with(const ImageProber& prober, const std::string& format, uint64_t modifier) {
    WantedImage image;
    image.format = format;
    image.extent_px = checked_extent;
    image.modifier = modifier;
    return probe_images(prober, {image}).front();
}

/// Whether the modifier's definition gives that pattern: some patterns alone do not identify a modifier.
bool is_as_defined(uint64_t modifier, const Layout& found) {
    try {
        const Pattern& pattern = found.pattern;
        const Coord extent = elements_of(checked_extent, pattern.element, 1);
        return pattern_id(defined_layout(request_of_modifier(modifier), pattern.element, extent).pattern) ==
               pattern_id(pattern);
    } catch (const Error&) {
        return false;  // no text here defines it
    }
}

CheckedModifier checked(probe::Workers& workers, const probe::DeviceInfo& device, unsigned jobs,
                        const std::string& format, const probe::ModifierSupport& offered) {
    CheckedModifier out;
    out.format = format;
    out.offered = offered;
    const uint64_t modifier = offered.modifier;
    std::vector<std::string> reasons;
    ImageRead probed;
    for (const probe::Route route : {probe::Route::host_copy, probe::Route::alias}) {
        if (!device.routes[static_cast<size_t>(route)].offered) continue;
        probed = probe_with({workers, device, route, jobs}, format, modifier);
        if (probed.image) break;
        reasons.push_back(fmt::format("{}: {}", probe::route_name(route), probed.why_not));
    }
    if (!probed.image) {
        out.why_not =
            reasons.empty() ? "the device offers no way to read images" : fmt::format("{}", fmt::join(reasons, "; "));
        return out;
    }
    out.layout = probed.image->subresources.front().layout;
    out.found_modifier = drm_modifier_number(mode_of(out.layout->pattern).modifier);
    out.check = !out.found_modifier               ? ModifierCheck::unnamed
                : *out.found_modifier == modifier ? ModifierCheck::same
                                                  : ModifierCheck::differs;
    if (out.check == ModifierCheck::unnamed && is_as_defined(modifier, *out.layout)) {
        out.check = ModifierCheck::same;
        out.found_modifier = modifier;
    }
    return out;
}

}  // namespace

void check_modifiers(probe::Workers& workers, const probe::DeviceInfo& device, std::span<const uint32_t> formats,
                     unsigned jobs, const std::function<void(const CheckedModifier&)>& done, const Advance& advance) {
    std::vector<std::pair<std::string, probe::ModifierSupport>> listed;
    for (const uint32_t format : formats) {
        const auto offered = std::ranges::find(device.formats, format, &probe::FormatSupport::format);
        if (offered == device.formats.end()) continue;
        for (const probe::ModifierSupport& each : offered->modifiers)
            listed.emplace_back(probe::format_name(format), each);
    }
    for (size_t i = 0; i < listed.size(); i++) {
        done(checked(workers, device, jobs, listed[i].first, listed[i].second));
        tell(advance, i + 1, listed.size());
    }
}

}  // namespace tilewise
