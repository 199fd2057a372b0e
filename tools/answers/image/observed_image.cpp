#include "tools/answers/image/observed_image.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "probe/formats/formats.h"
#include "probe/formats/names.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <tuple>

namespace tilewise {

namespace {

using Rows = std::vector<const db::ObservationRow*>;

bool place_alike(Layout a, const Layout& b) {
    a.constant = b.constant;
    return a == b;
}

Aspect named(const probe::Aspect& aspect) { return aspect_from_name(probe::aspect_name(aspect.bit)); }

/// As the format has them: none of a format that is not known here.
std::vector<probe::Aspect> parts_of_format(const std::string& format) {
    const auto formats = probe::known_formats();
    const auto found =
        std::ranges::find(formats, format, [](const probe::Format& f) { return std::string_view(f.name); });
    return found == formats.end() ? std::vector<probe::Aspect>() : probe::aspects_of(*found);
}

Extent_px extent_of(const db::ObservationFact& fact, Aspect aspect) {
    Extent_px extent = level_extent_px(fact.extent_px, fact.level);
    for (const probe::Aspect& part : parts_of_format(fact.format))
        if (named(part) == aspect) {
            extent[0] = std::max(extent[0] / part.width_divisor, 1U);
            extent[1] = std::max(extent[1] / part.height_divisor, 1U);
        }
    return extent;
}

std::string evidence_of(const Rows& rows) {
    std::set<std::string> routes, provenances;
    for (const db::ObservationRow* row : rows) {
        routes.insert(row->fact.route);
        if (row->fact.provenance != "hardware") provenances.insert(row->fact.provenance);
    }
    std::string text =
        fmt::format("as seen on {} ({}): {} by {}", rows.front()->device.name, driver_text(rows.front()->driver),
                    counted(rows.size(), "observation"), fmt::join(routes, ", "));
    if (!provenances.empty()) text += fmt::format("; {}", fmt::join(provenances, ", "));
    return printable(text);
}

/// The one that speaks for all observations of one subresource; null where they contradict each other.
const db::ObservationRow* one_of(Rows rows) {
    std::ranges::stable_sort(rows, [](const auto* a, const auto* b) {
        return std::tie(a->fact.route, a->fact.memory_type, b->fact.time) <
               std::tie(b->fact.route, b->fact.memory_type, a->fact.time);
    });
    const bool alike = std::ranges::all_of(
        rows, [&](const auto* row) { return place_alike(*row->fact.layout, *rows.front()->fact.layout); });
    return alike ? rows.front() : nullptr;
}

/// The image that observations of one kind of image show; none where a subresource was not observed.
std::vector<ObservedImage> image_of(const Rows& rows) {
    const db::ObservationFact& fact = rows.front()->fact;
    ObservedImage observed;
    observed.device = rows.front()->device.name;
    observed.driver = driver_text(rows.front()->driver);
    ImageLayout& image = observed.image;
    static_cast<ImageKind&>(image) = fact;
    image.source = LayoutSource::probed;
    image.evidence = evidence_of(rows);

    using Place = std::tuple<std::string, uint32_t, uint32_t>;
    std::map<Place, Rows> by_place;
    for (const db::ObservationRow* row : rows)
        by_place[{row->fact.aspect, row->fact.level, row->fact.layer}].push_back(row);
    std::vector<Subresource> parts;
    for (Aspect aspect : aspects_of_format(fact.format))
        for (uint32_t level = 0; level < fact.levels; level++)
            for (uint32_t layer = 0; layer < fact.layers; layer++) {
                const auto found = by_place.find({std::string(aspect_name(aspect)), level, layer});
                if (found == by_place.end()) return {};
                const db::ObservationRow* row = one_of(found->second);
                if (!row) return {observed};
                parts.push_back({aspect, level, layer, 1, 0, extent_of(row->fact, aspect), *row->fact.layout});
                uint64_t& bytes = is_disjoint(image) ? parts.back().bytes : image.bytes;
                uint64_t& alignment = is_disjoint(image) ? parts.back().alignment : image.alignment;
                bytes = std::max(bytes, row->fact.bytes);
                alignment = std::max(alignment, row->fact.alignment);
                if (row->fact.sparse && level == 0 && layer == 0) image.sparse.push_back({aspect, *row->fact.sparse});
            }
    image.subresources = join_layers(std::move(parts));
    return {observed};
}

}  // namespace

std::vector<Aspect> aspects_of_format(const std::string& format) {
    std::vector<Aspect> aspects;
    for (const probe::Aspect& part : parts_of_format(format)) aspects.push_back(named(part));
    return aspects.empty() ? std::vector{Aspect::color} : aspects;
}

std::vector<ObservedImage> observed_images(const Rows& rows) {
    const auto kind_of = [](const db::ObservationRow& row) {
        const db::ObservationFact& f = row.fact;
        return std::tuple(row.device.vendor_id, row.device.device_id, row.device.name, driver_text(row.driver),
                          row.driver.version, f.format, f.usage, f.flags, f.type, f.extent_px, f.levels, f.layers,
                          f.samples);
    };
    std::map<decltype(kind_of(*rows.front())), Rows> kinds;
    for (const db::ObservationRow* row : rows)
        if (row->fact.layout) kinds[kind_of(*row)].push_back(row);
    std::vector<ObservedImage> images;
    for (const auto& [kind, of_kind] : kinds)
        for (ObservedImage& image : image_of(of_kind)) images.push_back(std::move(image));
    return images;
}

bool lie_alike(const ImageLayout& a, const ImageLayout& b) {
    const auto key = [](const Subresource& p) {
        return std::tie(p.aspect, p.level, p.layer, p.layers, p.layer_stride_B, p.extent_px);
    };
    return std::ranges::equal(a.subresources, b.subresources, [&](const Subresource& p, const Subresource& q) {
        return key(p) == key(q) && place_alike(p.layout, q.layout);
    });
}

}  // namespace tilewise
