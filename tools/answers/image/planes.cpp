#include "tools/answers/image/planes.h"
#include "db/query/query.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/one_to_one.h"
#include "patterns/model/text.h"
#include "patterns/rules/learn.h"
#include "probe/formats/formats.h"
#include "probe/formats/names.h"
#include "tools/answers/image/observed_image.h"
#include "tools/answers/image/predicted_image.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

namespace {

using Rules = std::vector<db::ImageRuleRow>;

/// The formats of the rules whose elements are as large as the plane's, those with the most similar names first.
std::vector<std::string> formats_like(const Rules& rules, const probe::Format& plane) {
    std::vector<std::string> names;
    for (const db::ImageRuleRow& row : rules)
        for (const std::string& name : split(row.fact.formats)) {
            const probe::Format* format = probe::find_format(name);
            if (format && format->kind == probe::FormatKind::color && format->element == plane.element)
                names.push_back(name);
        }
    std::ranges::stable_sort(names, {}, [&](const std::string& name) { return edit_distance(name, plane.name); });
    return names;
}

/// Each plane of the image as an image of its own; none where rules do not say how that lies.
std::optional<std::vector<ImageLayout>> planes_alone(const Rules& rules, const ImageKind& image) {
    const probe::Format* format = probe::find_format(image.format);
    if (!format) return {};
    std::vector<ImageLayout> planes;
    const std::vector<probe::Aspect> aspects = probe::aspects_of(*format);
    for (unsigned i = 0; i < aspects.size(); i++) {
        const probe::Format* plane = probe::plane_format(*format, i);
        if (!plane) return {};
        ImageKind alone;
        alone.extent_px = {ceil_div(image.extent_px[0], aspects[i].width_divisor),
                           ceil_div(image.extent_px[1], aspects[i].height_divisor), 1};
        std::optional<ImageLayout> found;
        for (const std::string& name : formats_like(rules, *plane)) {
            alone.format = name;
            // Usages may differ in the size of such an image: only where it lies counts here.
            const std::vector<ImageLayout> images = predicted_images(rules, alone).images;
            const auto as_first = [&](const ImageLayout& each) { return lie_alike(each, images.front()); };
            if (!images.empty() && std::ranges::all_of(images, as_first)) found = images.front();
            if (found) break;
        }
        if (!found || found->subresources.size() != 1) return {};
        planes.push_back(std::move(*found));
    }
    return planes;
}

/// Throws Error where the image's chroma would end amid a texel: no driver makes such images.
void require_whole_chroma(const ImageKind& image) {
    const probe::Format* format = probe::find_format(image.format);
    if (!format) return;
    const auto [x, y] = probe::extent_multiple(*format);
    if (image.extent_px[0] % x != 0 || image.extent_px[1] % y != 0)
        throw Error(fmt::format("no {} image is {}: its texels share chroma, so that extents are multiples of {}x{}",
                                image.format, extent_text(image.extent_px), x, y));
}

/// How planes follow one another.
struct PlaneOrder {
    uint64_t alignment = 1;   ///< each begins at a multiple of so many bytes
    bool takes_tiles = true;  ///< a plane ends with its last tile; else it takes as much as an image of its own
    bool operator==(const PlaneOrder&) const = default;
};

std::vector<PlaneOrder> all_orders() {
    std::vector<PlaneOrder> all;
    for (const bool takes_tiles : {true, false})
        for (unsigned bit = 0; bit <= 20; bit++) all.push_back({uint64_t{1} << bit, takes_tiles});
    return all;
}

ImageLayout one_behind_the_other(const ImageKind& kind, const std::vector<ImageLayout>& planes,
                                 const PlaneOrder& order) {
    ImageLayout image;
    static_cast<ImageKind&>(image) = kind;
    for (size_t i = 0; i < planes.size(); i++) {
        Subresource part = planes[i].subresources.front();
        const uint64_t tiles = end_of_tiles(part.layout, extent_el(planes[i], part));
        part.aspect = static_cast<Aspect>(static_cast<size_t>(Aspect::plane0) + i);
        part.layout.base = round_up(image.bytes, order.alignment);
        image.bytes = part.layout.base + (order.takes_tiles ? tiles : std::max(tiles, planes[i].bytes));
        image.subresources.push_back(std::move(part));
    }
    image.bytes = round_up(image.bytes, order.alignment);
    return image;
}

}  // namespace

std::optional<FoundImage> predicted_planes(const db::Database& database, const db::Filter& filter,
                                           const ImageKind& asked) {
    if (asked.levels != 1 || asked.layers != 1 || asked.samples != 1 || !asked.flags.empty()) return {};
    require_whole_chroma(asked);
    db::Filter all = filter;
    all.format.clear();
    all.mode.clear();
    all.usage.clear();
    all.extent.reset();
    const std::vector<db::ObservationRow> rows = db::find_observations(database, all);
    std::vector<const db::ObservationRow*> of_planes;
    for (const db::ObservationRow& row : rows)
        if (row.fact.aspect.starts_with("plane") && row.fact.flags.empty() && row.fact.layout &&
            (asked.usage.empty() || row.fact.usage == asked.usage))
            of_planes.push_back(&row);
    const std::vector<ObservedImage> observed = observed_images(of_planes);
    if (observed.empty()) return {};

    const Rules rules = find_rules(database, all);
    const auto alone = planes_alone(rules, asked);
    if (!alone) return {};
    std::vector<PlaneOrder> possible = all_orders(), with_sizes = possible;
    size_t of_format = 0;
    for (const ObservedImage& each : observed) {
        const ImageLayout& seen = each.image;
        const auto planes = planes_alone(rules, seen);
        if (!planes) return {};
        const auto is_so = [&](const PlaneOrder& order) {
            return misplaced_element(one_behind_the_other(seen, *planes, order), seen).empty();
        };
        std::erase_if(possible, [&](const PlaneOrder& order) { return !is_so(order); });
        std::erase_if(with_sizes, [&](const PlaneOrder& order) {
            return std::ranges::find(possible, order) == possible.end() ||
                   one_behind_the_other(seen, *planes, order).bytes != seen.bytes;
        });
        of_format += seen.format == asked.format;
    }
    if (possible.empty()) return {};
    const auto as_asked = [&](const PlaneOrder& order) { return one_behind_the_other(asked, *alone, order); };
    ImageLayout image = as_asked(with_sizes.empty() ? possible.front() : with_sizes.front());
    for (const PlaneOrder& order : possible)
        if (!lie_alike(as_asked(order), image)) return {};
    const auto has_that_size = [&](const PlaneOrder& order) { return as_asked(order).bytes == image.bytes; };
    if (with_sizes.empty() || !std::ranges::all_of(with_sizes, has_that_size)) image.bytes = 0;
    const auto is_aligned_so = [&](const ObservedImage& each) {
        return each.image.alignment == observed.front().image.alignment;
    };
    if (std::ranges::all_of(observed, is_aligned_so)) image.alignment = observed.front().image.alignment;
    image.usage = observed.front().image.usage;
    image.source = LayoutSource::predicted;
    image.evidence =
        printable(fmt::format("by the rules of {} for images of one plane, one behind the other: so lie all {} of "
                              "several planes that were probed there",
                              observed.front().device, counted(observed.size(), "image")));
    FoundImage found = {std::move(image)};
    if (of_format == 0) {
        found.assumed.push_back(fmt::format("nobody has probed {} there; other formats' planes lie so", asked.format));
        mark_assumed(found.image, found.assumed);
    }
    return found;
}

}  // namespace tilewise
