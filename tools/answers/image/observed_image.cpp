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

/// An aspect, and by how much the image's extent is divided for it.
struct Part {
    Aspect aspect = Aspect::color;
    uint32_t width_divisor = 1, height_divisor = 1;
};

/// The format's aspects; a single color aspect for a format that is not known here.
std::vector<Part> parts_of_format(const std::string& format) {
    const auto formats = probe::known_formats();
    const auto found =
        std::ranges::find(formats, format, [](const probe::Format& f) { return std::string_view(f.name); });
    if (found == formats.end()) return {Part()};
    std::vector<Part> parts;
    for (const probe::Aspect& part : probe::aspects_of(*found))
        parts.push_back({probe::aspect_of(part.bit), part.width_divisor, part.height_divisor});
    return parts;
}

Extent_px extent_of(const db::ObservationFact& fact, const Part& part) {
    Extent_px extent = level_extent_px(fact.extent_px, fact.level);
    extent[0] = std::max(extent[0] / part.width_divisor, 1U);
    extent[1] = std::max(extent[1] / part.height_divisor, 1U);
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

/// The observation that stands for all observations of one subresource; null if they contradict each other.
const db::ObservationRow* one_of(Rows rows) {
    std::ranges::stable_sort(rows, [](const auto* a, const auto* b) {
        return std::tie(a->fact.route, a->fact.memory_type, b->fact.time) <
               std::tie(b->fact.route, b->fact.memory_type, a->fact.time);
    });
    const bool alike = std::ranges::all_of(
        rows, [&](const auto* row) { return lie_alike(*row->fact.layout, *rows.front()->fact.layout); });
    return alike ? rows.front() : nullptr;
}

/// The image that observations of one kind of image show; none if a subresource was not observed.
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
    for (const Part& part : parts_of_format(fact.format))
        for (uint32_t level = 0; level < fact.levels; level++)
            for (uint32_t layer = 0; layer < fact.layers; layer++) {
                const auto found = by_place.find({std::string(aspect_name(part.aspect)), level, layer});
                if (found == by_place.end()) return {};
                const db::ObservationRow* row = one_of(found->second);
                if (!row) return {observed};
                parts.push_back({part.aspect, level, layer, 1, 0, extent_of(row->fact, part), *row->fact.layout});
                uint64_t& bytes = is_disjoint(image) ? parts.back().bytes : image.bytes;
                uint64_t& alignment = is_disjoint(image) ? parts.back().alignment : image.alignment;
                bytes = std::max(bytes, row->fact.bytes);
                alignment = std::max(alignment, row->fact.alignment);
                if (row->fact.sparse && level == 0 && layer == 0)
                    image.sparse.push_back({part.aspect, *row->fact.sparse});
            }
    image.subresources = join_layers(std::move(parts));
    return {observed};
}

}  // namespace

std::vector<Aspect> aspects_of_format(const std::string& format) {
    std::vector<Aspect> aspects;
    for (const Part& part : parts_of_format(format)) aspects.push_back(part.aspect);
    return aspects;
}

std::vector<ObservedImage> observed_images(const Rows& rows) {
    const auto key_of = [](const db::ObservationRow& row) {
        const db::ObservationFact& f = row.fact;
        return std::tuple(row.device.vendor_id, row.device.device_id, row.device.name, driver_text(row.driver),
                          row.driver.version, f.format, f.usage, f.flags, f.type, f.extent_px, f.levels, f.layers,
                          f.samples);
    };
    std::map<decltype(key_of(*rows.front())), Rows> kinds;
    for (const db::ObservationRow* row : rows)
        if (row->fact.layout) kinds[key_of(*row)].push_back(row);
    std::vector<ObservedImage> images;
    for (const auto& [kind, of_kind] : kinds)
        for (ObservedImage& image : image_of(of_kind)) images.push_back(std::move(image));
    return images;
}

}  // namespace tilewise
