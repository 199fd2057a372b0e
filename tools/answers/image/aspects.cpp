#include "tools/answers/image/aspects.h"
#include "db/query/query.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/one_to_one.h"
#include "patterns/model/text.h"
#include "patterns/modes/alternating_aspects.h"
#include "patterns/rules/learn.h"
#include "probe/formats/formats.h"
#include "probe/formats/names.h"
#include "tools/answers/add_once.h"
#include "tools/answers/gpu/origins.h"
#include "tools/answers/image/observed_image.h"
#include "tools/answers/image/predicted_image.h"
#include "tools/answers/image/usages.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace tilewise {

namespace {

using Rules = std::vector<db::ImageRuleRow>;

/// The rules' color formats with elements as large as the aspect's, most similar names first. Depth and stencil are
/// laid out in ways of their own: for them, only the aspect's own format.
std::vector<std::string> formats_like(const Rules& rules, const probe::Format& aspect) {
    if (aspect.kind != probe::FormatKind::color) return {aspect.name};
    std::vector<std::string> names;
    for (const db::ImageRuleRow& row : rules)
        for (const std::string& name : split(row.fact.formats)) {
            const probe::Format* format = probe::find_format(name);
            if (format && format->kind == probe::FormatKind::color && format->element == aspect.element)
                names.push_back(name);
        }
    std::ranges::stable_sort(names, {}, [&](const std::string& name) { return edit_distance(name, aspect.name); });
    return names;
}

/// An image of that shape and format, or of a format with elements as large; none if the rules do not say how it lies,
/// or contradict each other.
std::optional<ImageLayout> image_alone(const Rules& rules, const probe::Format& format, ImageKind alone) {
    alone.usage.clear();
    for (const std::string& name : formats_like(rules, format)) {
        alone.format = name;
        // Usages may give such an image different sizes: only where its elements lie counts here.
        const std::vector<ImageLayout> images = predicted_images(rules, alone).images;
        const auto as_first = [&](const ImageLayout& each) { return lie_alike(each, images.front()); };
        if (!images.empty() && std::ranges::all_of(images, as_first)) return images.front();
    }
    return {};
}

/// The single-aspect images whose layouts the aspects of an image follow.
struct AspectsAlone {
    std::vector<std::optional<ImageLayout>> aspects;  ///< each as an image of its own
    std::optional<ImageLayout> wide;                  ///< see alternate()

    bool all_known() const {
        return std::ranges::all_of(aspects, [](const auto& aspect) { return aspect.has_value(); });
    }
};

/// Whether the aspects of such images may alternate. Nobody has seen other images whose aspects do.
bool may_alternate(const probe::Format& format, const ImageKind& image) {
    return format.name == std::string_view("D32_SFLOAT_S8_UINT") && image.type == ImageType::two_d &&
           image.samples == 1;
}

AspectsAlone aspects_alone(const Rules& rules, const probe::Format& format, const ImageKind& image) {
    AspectsAlone all;
    const std::vector<probe::Aspect> aspects = probe::aspects_of(format);
    for (unsigned i = 0; i < aspects.size(); i++) {
        std::optional<ImageLayout>& found = all.aspects.emplace_back();
        const probe::Format* aspect = probe::format_of_aspect(format, i);
        if (!aspect) continue;
        ImageKind alone = image;
        alone.extent_px[0] = ceil_div(image.extent_px[0], aspects[i].width_divisor);
        alone.extent_px[1] = ceil_div(image.extent_px[1], aspects[i].height_divisor);
        found = image_alone(rules, *aspect, alone);
    }
    if (may_alternate(format, image)) all.wide = image_alone(rules, probe::format_named("R32G32_SFLOAT"), image);
    return all;
}

/// How aspects follow one another.
struct AspectOrder {
    uint64_t alignment = 1;  ///< each aspect begins at a multiple of this many bytes; 0: aligned as an image of its own
    bool takes_tiles = true;  ///< an aspect ends with its last tile; else it takes as much as an image of its own
    bool alternates = false;  ///< aspects share each KiB: see alternate()
    bool operator==(const AspectOrder&) const = default;
};

/// The orders in which aspects lie one behind the other. Depth and stencil take as much as images of their own.
std::vector<AspectOrder> orders_one_behind_the_other(const probe::Format& format) {
    std::vector<AspectOrder> all = {{.alignment = 0, .takes_tiles = false}};
    for (const bool takes_tiles : {true, false})
        for (unsigned bit = 0; bit <= 20; bit++)
            if (!takes_tiles || !probe::has_depth_and_stencil(format)) all.push_back({uint64_t{1} << bit, takes_tiles});
    return all;
}

/// None if the order needs the layout of an aspect alone that is not known, or if no layout can describe the image.
std::optional<ImageLayout> arranged(const ImageKind& kind, const AspectsAlone& alone, const AspectOrder& order) {
    if (order.alternates) return alone.wide ? alternate(kind, *alone.wide) : std::nullopt;
    if (!alone.all_known()) return {};
    ImageLayout image;
    static_cast<ImageKind&>(image) = kind;
    const std::vector<Aspect> aspects = aspects_of_format(kind.format);
    for (size_t i = 0; i < alone.aspects.size(); i++) {
        const ImageLayout& aspect = *alone.aspects[i];
        const uint64_t alignment = order.alignment != 0 ? order.alignment : aspect.alignment;
        if (alignment == 0) return {};
        const uint64_t base = round_up(image.bytes, alignment);
        uint64_t tiles = 0;
        for (Subresource part : aspect.subresources) {
            if (order.takes_tiles) tiles = std::max(tiles, end_of_tiles(part.layout, extent_el(aspect, part)));
            part.aspect = aspects[i];
            part.layout.base += base;
            image.subresources.push_back(std::move(part));
        }
        image.bytes = base + (order.takes_tiles ? tiles : aspect.bytes);
        image.alignment = std::max(image.alignment, alignment);
    }
    if (order.alignment != 0) image.bytes = round_up(image.bytes, order.alignment);
    return image;
}

/// What is known of the order of aspects.
struct OrderEvidence {
    std::vector<AspectOrder> possible;
    std::vector<AspectOrder> with_sizes;  ///< those that also give images the sizes that drivers asked for
    std::string usage;
    uint64_t alignment = 0;  ///< of all images; 0 if they differ
    std::string device;      ///< whose rules are used
    std::string text;
    std::string assumed;  ///< empty if nothing is
};

std::string text_of_rules(const std::string& device, const probe::Format& format) {
    return fmt::format("by the rules of {} for images of one {}, one after the other", device,
                       probe::has_depth_and_stencil(format) ? "aspect" : "plane");
}

/// Finds the orders that agree with images that were probed. No order is possible if the rules do not say how the
/// aspects of one of those images lie alone.
OrderEvidence order_of_images(const std::vector<ObservedImage>& observed, const Rules& rules,
                              const probe::Format& format) {
    OrderEvidence found;
    found.possible = orders_one_behind_the_other(format);
    if (may_alternate(format, observed.front().image)) found.possible.push_back({.alternates = true});
    found.with_sizes = found.possible;
    bool any_of_format = false, is_aligned = true;
    const ImageLayout& first = observed.front().image;
    for (const ObservedImage& each : observed) {
        const ImageLayout& seen = each.image;
        const probe::Format* const of_seen = probe::find_format(seen.format);
        const AspectsAlone alone = of_seen ? aspects_alone(rules, *of_seen, seen) : AspectsAlone{{std::nullopt}, {}};
        std::erase_if(found.possible, [&](const AspectOrder& order) {
            const auto image = arranged(seen, alone, order);
            return !image || !misplaced_element(*image, seen).empty();
        });
        std::erase_if(found.with_sizes, [&](const AspectOrder& order) {
            return std::ranges::find(found.possible, order) == found.possible.end() ||
                   arranged(seen, alone, order)->bytes != seen.bytes;
        });
        any_of_format |= seen.format == format.name;
        is_aligned &= seen.alignment == first.alignment;
    }
    found.usage = first.usage;
    if (is_aligned) found.alignment = first.alignment;
    std::vector<std::string> devices;
    for (const ObservedImage& each : observed) add_once(devices, each.device);
    found.device = fmt::format("{}", fmt::join(devices, " and "));
    const bool alternates = !found.possible.empty() && found.possible.front().alternates;
    found.text = fmt::format(
        "{}: all {} of several {} that were probed there lie like this",
        alternates ? fmt::format("by the rules of {} for color of 8 bytes, with depth and stencil by turns in each KiB",
                                 found.device)
                   : text_of_rules(found.device, format),
        counted(observed.size(), "image"), probe::has_depth_and_stencil(format) ? "aspects" : "planes");
    if (!any_of_format)
        found.assumed =
            fmt::format("nobody has probed {} there; the planes of other formats are laid out like this", format.name);
    return found;
}

/// For aspects that nobody read: finds the orders that agree with the sizes that the driver asks for with the usage.
/// None if it was asked for too few sizes.
std::optional<OrderEvidence> order_of_sizes(const db::Database& database, const db::Filter& filter, const Rules& rules,
                                            const probe::Format& format, ImageKind asked) {
    constexpr size_t fewest = 10;
    if (asked.usage.empty()) asked.usage = "sampled,transfer-dst,transfer-src";
    OrderEvidence found;
    found.possible = orders_one_behind_the_other(format);
    std::set<uint64_t> alignments;
    size_t count = 0;
    for (const db::UsageSizesRow& row : find_usage_sizes(database, filter, asked)) {
        const UsageSizes sizes = sizes_of(row.fact);
        const UsageClass* const with_usage = sizes.class_of(usage_bits(asked.usage));
        if (!with_usage) continue;
        for (size_t i = 0; i < sizes.images.size(); i++) {
            const auto& [bytes, alignment] = with_usage->sizes[i];
            if (bytes == 0 || sizes.images[i].samples != asked.samples) continue;
            ImageKind kind = asked;
            static_cast<ImageShape&>(kind) = sizes.images[i];
            kind.type = asked.type;
            const AspectsAlone alone = aspects_alone(rules, format, kind);
            if (!alone.all_known()) continue;
            std::erase_if(found.possible, [&, size = bytes, aligned_to = alignment](const AspectOrder& order) {
                const auto image = arranged(kind, alone, order);
                return !image || image->bytes != size || (order.alignment == 0 && image->alignment != aligned_to);
            });
            alignments.insert(alignment);
            count++;
        }
        found.text = text_of_rules(row.device.name, format);
    }
    if (count < fewest) return {};
    found.with_sizes = found.possible;
    found.usage = asked.usage;
    if (alignments.size() == 1) found.alignment = *alignments.begin();
    found.assumed =
        fmt::format("nobody has read {} there: {} as much memory as the driver asks for in all of {}", format.name,
                    probe::has_depth_and_stencil(format) ? "depth with stencil behind it takes"
                                                         : "planes one behind the other take",
                    counted(count, "image"));
    return found;
}

}  // namespace

std::optional<FoundImage> predicted_aspects(const db::Database& database, const db::Filter& filter,
                                            const ImageKind& asked) {
    const probe::Format* const format = probe::find_format(asked.format);
    if (!format || !asked.flags.empty()) return {};
    const bool has_depth = probe::has_depth_and_stencil(*format);
    if (!has_depth && (asked.levels != 1 || asked.layers != 1 || asked.samples != 1)) return {};
    const db::Filter all = of_any_image(filter);
    const std::vector<db::ObservationRow> rows = db::find_observations(database, all);
    std::vector<const db::ObservationRow*> of_aspects;
    for (const db::ObservationRow& row : rows)
        if ((has_depth ? row.fact.format == asked.format : row.fact.aspect.starts_with("plane")) &&
            row.fact.flags.empty() && row.fact.layout && row.fact.samples == asked.samples &&
            (asked.usage.empty() || row.fact.usage == asked.usage))
            of_aspects.push_back(&row);
    const std::vector<ObservedImage> observed = observed_images(of_aspects);

    const Rules rules = find_rules(database, all);
    const AspectsAlone alone = aspects_alone(rules, *format, asked);
    const std::optional<OrderEvidence> known = observed.empty() ? order_of_sizes(database, all, rules, *format, asked)
                                                                : order_of_images(observed, rules, *format);
    if (!known || known->possible.empty()) return {};
    const auto as_asked = [&](const AspectOrder& order) { return arranged(asked, alone, order); };
    const AspectOrder& likely = known->with_sizes.empty() ? known->possible.front() : known->with_sizes.front();
    const auto as_likely = as_asked(likely);
    if (!as_likely && likely.alternates && alone.wide)
        throw Error(
            fmt::format("no layout of whole tiles says where this image lies: {} has depth and stencil by turns in "
                        "each KiB, and here a row of blocks ends within a KiB",
                        known->device));
    if (!as_likely) return {};
    FoundImage found = {*as_likely};
    ImageLayout& image = found.image;
    for (const AspectOrder& order : known->possible)
        if (const auto other = as_asked(order); !other || !lie_alike(*other, image)) return {};
    const auto has_that_size = [&](const AspectOrder& order) { return as_asked(order)->bytes == image.bytes; };
    if (known->with_sizes.empty() || !std::ranges::all_of(known->with_sizes, has_that_size)) image.bytes = 0;
    image.usage = known->usage;
    if (known->alignment != 0 || likely.alignment != 0) image.alignment = known->alignment;
    image.source = LayoutSource::predicted;
    image.evidence = printable(known->text);
    if (!known->assumed.empty()) found.assumed.push_back(known->assumed);
    return found;
}

}  // namespace tilewise
