#include "patterns/model/image_layout.h"
#include "patterns/model/bits.h"
#include "patterns/model/enum_names.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/one_to_one.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <functional>
#include <span>
#include <tuple>

namespace tilewise {

namespace {

constexpr EnumNames<Aspect, aspect_count> aspect_names = {"aspect",
                                                          {"color", "depth", "stencil", "plane0", "plane1", "plane2"}};
constexpr EnumNames<LayoutSource, 5> source_names = {"source",
                                                     {"probed", "predicted", "assumed", "given", "documented"}};

bool is_plane(Aspect aspect) { return aspect >= Aspect::plane0; }

std::string name_of(const Subresource& part) {
    return fmt::format("{} of level {}, layer {}", aspect_name(part.aspect), part.level, part.layer);
}

[[noreturn]] void fail(const std::string& what) { throw Error("image layout: " + what); }

void check_image(const ImageLayout& image) {
    for (uint32_t side : image.extent_px)
        if (side == 0 || side > max_image_side_px) fail(fmt::format("no image is {}", sides_text(image.extent_px)));
    const auto most = static_cast<uint32_t>(std::bit_width(*std::ranges::max_element(image.extent_px)));
    if (image.levels == 0 || image.levels > most)
        fail(fmt::format("{} has 1 to {} levels, not {}", sides_text(image.extent_px), most, image.levels));
    if (image.layers == 0 || image.layers > max_image_layers) fail(fmt::format("{} layers", image.layers));
    if (!std::has_single_bit(image.samples) || image.samples > max_image_samples)
        fail(fmt::format("{} samples", image.samples));
}

void check_part(const ImageLayout& image, const Subresource& part) {
    if (part.level >= image.levels || part.layers == 0 || part.layer >= image.layers ||
        part.layers > image.layers - part.layer)
        fail(
            fmt::format("{} is not in an image of {} levels and {} layers", name_of(part), image.levels, image.layers));
    const Extent_px level = level_extent_px(image.extent_px, part.level);
    const bool fits =
        is_plane(part.aspect) ? std::ranges::equal(part.extent_px, level, std::less_equal()) : part.extent_px == level;
    if (!fits || std::ranges::count(part.extent_px, 0U) != 0)
        fail(fmt::format("{} has {} texels, and the level {}", name_of(part), sides_text(part.extent_px),
                         sides_text(level)));
    if (const char* why = why_not_one_to_one(part.layout, extent_el(image, part)))
        fail(fmt::format("{}: {}", name_of(part), why));
}

void check_all_are_there(const ImageLayout& image) {
    const size_t per_aspect = size_t{image.levels} * image.layers;
    std::vector<bool> seen(aspect_count * per_aspect);
    size_t count = 0;
    for (const Subresource& part : image.subresources)
        for (uint32_t layer = part.layer; layer < part.layer + part.layers; layer++) {
            const size_t at = static_cast<size_t>(part.aspect) * per_aspect + size_t{part.level} * image.layers + layer;
            if (seen[at]) fail(name_of(part) + " is there twice");
            seen[at] = true;
            count++;
        }
    if (count == 0 || count != aspects_of(image).size() * per_aspect)
        fail(fmt::format("{} of its {} levels and {} layers an aspect are there", count, image.levels, image.layers));
}

/// One layer of an entry, and the memory of its tiles.
struct Range {
    uint64_t begin_B, end_B;
    uint32_t memory;  ///< of the plane, for a disjoint image
    uint32_t layer;
    const Subresource* part;
};

/// The largest power of two that divides the offset and size of every element in the range.
uint64_t granule_of(const Range& range) {
    const Layout& layout = range.part->layout;
    const Pattern& pattern = layout.pattern;
    uint64_t all = range.begin_B | pattern.element.bytes | pattern.tile_bytes | layout.constant * pattern.offset_unit();
    for (uint64_t stride : layout.stride) all |= stride;
    for (const LinearMap* map : {&pattern.equation, &pattern.outer_xor})
        for (uint64_t column : map->all_columns()) all |= column * pattern.offset_unit();
    return all & (~all + 1);
}

template <class Visit>
void for_each_row(const ImageLayout& image, const Layout& layout, const Subresource& part, const Visit& visit) {
    const Coord extent = extent_el(image, part);
    const AxisTables tables(layout, extent);
    std::vector<uint64_t> row(extent[axis_x]);
    for (uint32_t s = 0; s < extent[axis_s]; s++)
        for (uint32_t z = 0; z < extent[axis_z]; z++)
            for (uint32_t y = 0; y < extent[axis_y]; y++) {
                tables.row(y, z, s, row.data());
                visit(row, Coord{0, y, z, s});
            }
}

/// Whether each stencil element lies in the depth element of its own texel, in the bits that depth leaves unused.
bool lies_in_depth(const ImageLayout& image, const Subresource& stencil, uint32_t layer) {
    const Subresource* depth = find_subresource(image, Aspect::depth, stencil.level, layer);
    if (!depth) return false;
    const uint64_t room = depth->layout.pattern.element.bytes, bytes = stencil.layout.pattern.element.bytes;
    const AxisTables tables(layout_of_layer(*depth, layer), extent_el(image, *depth));
    bool inside = bytes <= room;
    if (!inside) return false;
    for_each_row(image, layout_of_layer(stencil, layer), stencil, [&](const std::vector<uint64_t>& row, Coord at) {
        for (at[axis_x] = 0; inside && at[axis_x] < row.size(); at[axis_x]++) {
            const uint64_t from = tables.at(at), offset = row[at[axis_x]];
            inside = offset >= from && offset - from <= room - bytes;
        }
    });
    return inside;
}

/// Checks interleaved ranges element by element, with a bit for each granule of the memory that they occupy.
void check_elements_keep_apart(const ImageLayout& image, const std::vector<Range>& ranges) {
    constexpr uint64_t most_bits = uint64_t{1} << 31;
    uint64_t begin = ranges.front().begin_B, end = 0, granule = uint64_t{1} << 63;
    for (const Range& range : ranges) {
        begin = std::min(begin, range.begin_B);
        end = std::max(end, range.end_B);
        granule = std::min(granule, granule_of(range));
    }
    begin = begin / granule * granule;
    if ((end - begin) / granule >= most_bits)
        fail(fmt::format("{} and others lie among one another over {} bytes: too much to prove them apart",
                         name_of(*ranges.front().part), end - begin));
    std::vector<bool> taken((end - begin) / granule + 1);
    for (const Range& range : ranges) {
        if (range.part->aspect == Aspect::stencil && lies_in_depth(image, *range.part, range.layer)) continue;
        const uint64_t granules = range.part->layout.pattern.element.bytes / granule;
        for_each_row(image, layout_of_layer(*range.part, range.layer), *range.part,
                     [&](const std::vector<uint64_t>& row, const Coord&) {
                         for (uint64_t offset : row)
                             for (uint64_t g = (offset - begin) / granule, last = g + granules; g < last; g++) {
                                 if (taken[g])
                                     fail(fmt::format("two subresources would share the byte at {:#x}, one of them {}",
                                                      begin + g * granule, name_of(*range.part)));
                                 taken[g] = true;
                             }
                     });
    }
}

}  // namespace

std::string_view aspect_name(Aspect aspect) { return aspect_names[aspect]; }
Aspect aspect_from_name(std::string_view name) { return aspect_names.parse(name); }
std::string_view layout_source_name(LayoutSource source) { return source_names[source]; }
LayoutSource layout_source_from_name(std::string_view name) { return source_names.parse(name); }

Coord elements_of(const Extent_px& extent_px, const Element& element, uint32_t samples) {
    return {ceil_div(extent_px[0], element.width), ceil_div(extent_px[1], element.height), extent_px[2], samples};
}

bool is_disjoint(const ImageLayout& image) {
    return std::ranges::any_of(split(image.flags),
                               [](const std::string& flag) { return to_lower(flag) == "disjoint"; });
}

std::vector<Aspect> aspects_of(const ImageLayout& image) {
    std::vector<Aspect> aspects;
    for (size_t i = 0; i < aspect_count; i++)
        if (std::ranges::any_of(image.subresources,
                                [&](const Subresource& part) { return part.aspect == static_cast<Aspect>(i); }))
            aspects.push_back(static_cast<Aspect>(i));
    return aspects;
}

const Subresource* find_subresource(const ImageLayout& image, Aspect aspect, uint32_t level, uint32_t layer) {
    for (const Subresource& part : image.subresources)
        if (part.aspect == aspect && part.level == level && layer >= part.layer && layer - part.layer < part.layers)
            return &part;
    return nullptr;
}

Layout layout_of_layer(const Subresource& part, uint32_t layer) {
    Layout layout = part.layout;
    layout.base += part.layer_stride_B * (layer - part.layer);
    return layout;
}

Coord extent_el(const ImageLayout& image, const Subresource& part) {
    const Element& element = part.layout.pattern.element;
    return {ceil_div(part.extent_px[0], element.width), ceil_div(part.extent_px[1], element.height), part.extent_px[2],
            image.samples};
}

uint64_t address_of(const ImageLayout& image, const TexelAt& texel) {
    const Subresource* part = find_subresource(image, texel.aspect, texel.level, texel.layer);
    if (!part) {
        const std::vector<Aspect> aspects = aspects_of(image);
        std::string names;
        for (Aspect aspect : aspects) names += fmt::format("{}{}", names.empty() ? "" : ", ", aspect_name(aspect));
        if (std::ranges::find(aspects, texel.aspect) == aspects.end())
            throw UsageError(fmt::format("the image has no aspect {}; it has: {}", aspect_name(texel.aspect), names));
        throw UsageError(fmt::format("there is no level {}, layer {}: the image has {} and {}", texel.level,
                                     texel.layer, counted(image.levels, "level"), counted(image.layers, "layer")));
    }
    const Coord& at = texel.at_px;
    if (!std::ranges::equal(std::span(at).first<3>(), part->extent_px, std::less()))
        throw UsageError(fmt::format("({},{},{}) is outside of level {}, which has {} texels", at[axis_x], at[axis_y],
                                     at[axis_z], texel.level, sides_text(part->extent_px)));
    if (at[axis_s] >= image.samples)
        throw UsageError(fmt::format("there is no sample {}: the image has {}", at[axis_s], image.samples));
    const Element& element = part->layout.pattern.element;
    return offset_of(part->layout, {at[axis_x] / element.width, at[axis_y] / element.height, at[axis_z], at[axis_s]}) +
           part->layer_stride_B * (texel.layer - part->layer);
}

std::vector<Subresource> join_layers(std::vector<Subresource> parts) {
    std::ranges::sort(parts, {}, [](const Subresource& p) { return std::tuple(p.aspect, p.level, p.layer); });
    std::vector<Subresource> joined;
    for (Subresource& part : parts) {
        const auto extends = [&](const Subresource& entry) {
            Layout moved = entry.layout;
            moved.base = part.layout.base;
            if (std::tie(entry.aspect, entry.level, entry.bytes, entry.alignment) !=
                    std::tie(part.aspect, part.level, part.bytes, part.alignment) ||
                entry.layer + entry.layers != part.layer || moved != part.layout)
                return false;
            const uint64_t last = entry.layout.base + entry.layer_stride_B * (entry.layers - 1);
            return part.layout.base > last && (entry.layers == 1 || part.layout.base - last == entry.layer_stride_B);
        };
        if (joined.empty() || !extends(joined.back())) {
            joined.push_back(std::move(part));
            continue;
        }
        Subresource& entry = joined.back();
        if (entry.layers == 1) entry.layer_stride_B = part.layout.base - entry.layout.base;
        entry.layers++;
    }
    return joined;
}

bool lie_alike(const ImageLayout& a, const ImageLayout& b) {
    const auto key = [](const Subresource& p) {
        return std::tie(p.aspect, p.level, p.layer, p.layers, p.layer_stride_B, p.extent_px);
    };
    return std::ranges::equal(a.subresources, b.subresources, [&](const Subresource& p, const Subresource& q) {
        return key(p) == key(q) && lie_alike(p.layout, q.layout);
    });
}

bool lie_alike(Layout a, const Layout& b) {
    a.constant = b.constant;
    return a == b;
}

void require_apart(const ImageLayout& image) {
    std::vector<Range> ranges;
    for (const Subresource& part : image.subresources) {
        const uint64_t begin = part.layout.base, end = end_of_tiles(part.layout, extent_el(image, part));
        const uint64_t room = ~uint64_t{0} - end;
        if (part.layers > 1 && part.layer_stride_B > room / (part.layers - 1))
            fail(fmt::format("{}: its layers reach beyond 64 bits of address", name_of(part)));
        for (uint32_t i = 0; i < part.layers; i++)
            ranges.push_back({begin + part.layer_stride_B * i, end + part.layer_stride_B * i,
                              is_disjoint(image) ? static_cast<uint32_t>(part.aspect) : 0, part.layer + i, &part});
    }
    std::ranges::sort(ranges, {}, [](const Range& range) { return std::tuple(range.memory, range.begin_B); });
    std::vector<Range> together;
    uint64_t end = 0;
    const auto check = [&] {
        if (together.size() > 1) check_elements_keep_apart(image, together);
        together.clear();
    };
    for (const Range& range : ranges) {
        if (!together.empty() && (range.memory != together.front().memory || range.begin_B >= end)) check();
        end = together.empty() ? range.end_B : std::max(end, range.end_B);
        together.push_back(range);
    }
    check();
}

void require_consistent(const ImageLayout& image) {
    check_image(image);
    for (const Subresource& part : image.subresources) check_part(image, part);
    check_all_are_there(image);
    require_apart(image);
}

}  // namespace tilewise
