#include "tools/lookup/image_layout.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/json_limits.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/one_to_one.h"
#include "probe/formats.h"
#include "tools/files/files.h"
#include "tools/lookup/open.h"
#include "tools/terminal/parse.h"
#include "tools/terminal/print.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <tuple>

namespace tilewise {

namespace {

using Extent3 = std::array<uint32_t, 3>;

constexpr uint32_t largest_side = 1 << 24;
// What is beyond these is a mistake, and sums of what is not do not overflow.
constexpr uint64_t most_bytes = uint64_t{1} << 48;
constexpr uint32_t most_layers = 1 << 14;
constexpr const char* stride_options[] = {"--stride-x", "--stride-y", "--stride-z"};

Extent3 level_extent(Extent3 extent, uint32_t level) {
    for (uint32_t& n : extent) n = level < 32 ? std::max(n >> level, 1U) : 1;
    return extent;
}

Coord elements_of(const Extent3& extent, const Element& element) {
    return {ceil_div(extent[0], element.width), ceil_div(extent[1], element.height), extent[2], 1};
}

std::string text_of(const Extent3& extent) { return extent_text({extent[0], extent[1], extent[2], 1}); }

/// The elements of whole tiles that cover the extent.
Box whole_tiles(const Pattern& pattern, const Coord& extent) {
    Box box;
    for (Axis a : all_axes) box.extent[a] = static_cast<uint32_t>(round_up(extent[a], pattern.tile[a]));
    return box;
}

/// The observed images of which a subresource may be like, and what the user says of the image.
struct Known {
    const ImageOptions& options;
    Extent3 extent;
    std::vector<db::ObservationRow> rows;
};

Extent3 observed_extent(const db::ObservationRow& row) { return level_extent(row.fact.extent, row.fact.level); }

/// How much the extents differ: the sum over the axes of the ratio's logarithm.
double distance(const Extent3& a, const Extent3& b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); i++) sum += std::abs(std::log2(double{1} * a[i] / b[i]));
    return sum;
}

/// The first of the rows, which are to have one pattern and, with `strides`, one place in memory; else: which there are.
const db::ObservationRow& only_one(const std::vector<const db::ObservationRow*>& rows, bool strides) {
    std::map<std::string, const db::ObservationRow*> choices;
    for (const db::ObservationRow* row : rows) {
        const Layout& layout = *row->fact.layout;
        const std::string place = fmt::format(", strides {} from {}", fmt::join(layout.stride, " "), layout.base);
        choices.emplace(row->pattern + (strides ? place : ""), row);
    }
    if (choices.size() == 1) return *rows.front();
    std::vector<std::string> texts;
    texts.reserve(choices.size());
    for (const auto& [text, row] : choices)
        texts.push_back(fmt::format("{} ({}, {} {})", text, row->device.name, row->fact.format, row->fact.usage));
    throw UsageError(fmt::format("such images have {} layouts: {}; choose by --gpu, --driver, --usage or --pattern",
                                 choices.size(), fmt::join(texts, "; ")));
}

/// This very subresource of an image of this very kind; none where nobody looked. A pattern is that of many formats.
const db::ObservationRow* observed(const Known& known, uint32_t level, uint32_t layer) {
    std::vector<const db::ObservationRow*> same;
    for (const db::ObservationRow& row : known.rows) {
        const db::ObservationFact& fact = row.fact;
        const std::string& format = known.options.filter.format;
        if (!format.empty() && fact.format != probe::format_named(format).name) continue;
        if ((fact.image_type == "3D") == (known.extent[2] > 1) &&
            std::tie(fact.extent, fact.levels, fact.layers, fact.level, fact.layer) ==
                std::tie(known.extent, known.options.levels, known.options.layers, level, layer))
            same.push_back(&row);
    }
    return same.empty() ? nullptr : &only_one(same, true);
}

/// The first of the images nearest in size; of those equally near, the larger, and those without levels or layers.
const db::ObservationRow& nearest(const Known& known, uint32_t level) {
    const Extent3 wanted = level_extent(known.extent, level);
    const auto rank = [&](const db::ObservationRow& row) {
        const Extent3 extent = observed_extent(row);
        return std::tuple(distance(extent, wanted), -double{1} * extent[0] * extent[1] * extent[2], row.fact.level,
                          row.fact.levels, row.fact.layers, row.fact.layer);
    };
    auto best = rank(known.rows.front());
    for (const db::ObservationRow& row : known.rows) best = std::min(best, rank(row));
    std::vector<const db::ObservationRow*> near;
    for (const db::ObservationRow& row : known.rows)
        if (rank(row) == best) near.push_back(&row);
    return only_one(near, observed_extent(*near.front()) == wanted);
}

struct Guessed {
    Layout layout;
    std::string image, like;  ///< this one, and the one that it was guessed from
};

std::string counted(uint32_t number, const char* what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

/// "300x200" and "400x200", or what sets the images apart where that is not their extent: "300x200 of 9 levels" and
/// "300x200 of 1 level".
void name_images(const Known& known, uint32_t level, const db::ObservationRow& row, Guessed& guessed) {
    const db::ObservationFact& fact = row.fact;
    guessed.image = text_of(level_extent(known.extent, level));
    guessed.like = text_of(observed_extent(row));
    const auto set_apart = [&](bool differ, const std::string& image, const std::string& like) {
        if (!differ) return;
        guessed.image += image;
        guessed.like += like;
    };
    const ImageOptions& options = known.options;
    set_apart(fact.levels != options.levels, " of " + counted(options.levels, "level"),
              " of " + counted(fact.levels, "level"));
    set_apart(fact.layers != options.layers, " of " + counted(options.layers, "layer"),
              " of " + counted(fact.layers, "layer"));
    const bool is_first = level == 0 && fact.level == 0 && fact.layer == 0;
    set_apart(!is_first, fmt::format(" (level {}, layer 0)", level),
              fmt::format(" (level {}, layer {})", fact.level, fact.layer));
    if (guessed.image == guessed.like)
        set_apart(true, options.filter.format.empty() ? "" : " as " + options.filter.format, " as " + fact.format);
    guessed.like += fmt::format(" on {}", row.device.name);
}

Guessed guess(const Known& known, uint32_t level) {
    const db::ObservationRow& row = nearest(known, level);
    const Extent3 wanted = level_extent(known.extent, level), seen = observed_extent(row);
    Guessed guessed = {*row.fact.layout, {}, {}};
    name_images(known, level, row, guessed);
    if (seen != wanted)
        guessed.layout = dense_layout(guessed.layout.pattern, elements_of(wanted, guessed.layout.pattern.element));
    guessed.layout.constant = row.fact.layout->constant;
    guessed.layout.base = 0;
    return guessed;
}

void apply_strides(const ImageOptions& options, Layout& layout, const Coord& extent) {
    const Pattern& pattern = layout.pattern;
    if (options.pitch) {
        const auto row_major = std::array{axis_x, axis_y, axis_z, axis_s};
        if (pattern.order != row_major)
            throw UsageError("--pitch is for tiles in rows, and these lie in columns: give --stride-x and --stride-y");
        const uint64_t rows = whole_tiles(pattern, extent).extent[axis_y] / pattern.tile[axis_y];
        uint64_t slice = 0;
        if (__builtin_mul_overflow(*options.pitch, pattern.tile[axis_y], &layout.stride[axis_y]) ||
            __builtin_mul_overflow(layout.stride[axis_y], rows, &slice))
            throw UsageError(fmt::format("--pitch {} reaches beyond 64 bits of address", *options.pitch));
        if (layout.stride[axis_z] != 0) layout.stride[axis_z] = slice;
    }
    for (Axis a : {axis_x, axis_y, axis_z})
        if (options.stride[a]) layout.stride[a] = *options.stride[a];
    if (options.constant) layout.constant = *options.constant;
    if (layout.constant >= pattern.tile_bytes / pattern.offset_unit())
        throw UsageError(fmt::format("--constant {} reaches beyond the tile", layout.constant));
    for (Axis a : {axis_x, axis_y, axis_z})
        if (extent[a] > pattern.tile[a] && layout.stride[a] == 0)
            throw UsageError(
                fmt::format("the image has several tiles along {}: give {}", axis_name(a), stride_options[a]));
}

/// Whether the options say of each axis how far apart its tiles are.
bool strides_are_given(const ImageOptions& options, const Pattern& pattern, const Coord& extent) {
    return std::ranges::all_of(std::array{axis_x, axis_y, axis_z}, [&](Axis a) {
        return extent[a] <= pattern.tile[a] || options.stride[a] || (a == axis_y && options.pitch);
    });
}

Element element_of_format(const std::string& format) {
    return format.empty() ? Element{} : probe::format_named(format).element;
}

void check_element(const Pattern& pattern, const Element& wanted, const std::string& format) {
    if (wanted.bytes != 0 && wanted.bytes != pattern.element.bytes)
        throw UsageError(fmt::format("{} has elements of {} bytes, the pattern those of {}; choose another", format,
                                     wanted.bytes, pattern.element.bytes));
}

/// A layout that the options give outright.
struct Given {
    Layout layout;
    std::string assumed;  ///< why it may be another image's; empty where it is this one's
};

/// As `solve --json` prints it, with the extent for which it was proved; a layout alone says of none.
Given read_layout(const std::string& path, const Extent3& extent) {
    const nlohmann::json json = parse_json(read_whole_file(path), path);
    Given given;
    try {
        given.layout = layout_from_json(json.contains("layout") ? json["layout"] : json);
    } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", path, error.what()));
    }
    const Coord wanted = elements_of(extent, given.layout.pattern.element);
    if (!json.contains("extent"))
        given.assumed = fmt::format("the layout of {}, which says of no extent, is that of {}", path, text_of(extent));
    else if (json["extent"] != nlohmann::json({wanted[axis_x], wanted[axis_y], wanted[axis_z]}))
        given.assumed = fmt::format("the layout of {}, solved at another extent, is that of {}", path, text_of(extent));
    return given;
}

Pattern linear_pattern(const Element& element) {
    if (element.bytes == 0) throw UsageError("linear rows of what? give --format");
    Pattern pattern;
    pattern.element = element;
    pattern.tile_bytes = element.bytes;
    return pattern;
}

/// The level-0 layout that the options give outright; none where the database is to be asked.
std::optional<Given> given_layout(const ImageOptions& options, const Extent3& extent) {
    const Element element = element_of_format(options.filter.format);
    std::optional<Given> given;
    if (!options.layout.empty()) given = read_layout(options.layout, extent);
    if (options.pattern == "linear")
        given = Given{dense_layout(linear_pattern(element), elements_of(extent, element)), ""};
    if (!given) return {};
    Element& of_layout = given->layout.pattern.element;
    check_element(given->layout.pattern, element, options.filter.format);
    if (element.bytes != 0) of_layout = element;
    return given;
}

std::vector<db::ObservationRow> rows_of(const Globals& globals, const ImageOptions& options, const Extent3& extent) {
    db::Filter filter = parse_filter(options.filter);
    filter.extent.reset();  // other extents tell something, too
    const Element element = element_of_format(filter.format);
    const db::Database database = open_to_read(globals);
    if (!options.pattern.empty()) {
        filter.pattern = db::resolve_pattern(database, options.pattern);
        check_element(db::pattern_summary(database, filter.pattern).layout.pattern, element, filter.format);
        filter.format.clear();  // a pattern knows sizes, not formats
    }
    std::vector<db::ObservationRow> rows = db::find_observations(database, filter);
    std::erase_if(rows, [](const db::ObservationRow& row) { return !row.fact.layout || row.fact.samples != 1; });
    if (rows.empty()) throw Error(db::why_nothing(database, filter));
    const bool is_3d = extent[2] > 1;
    if (std::ranges::any_of(rows, [&](const auto& row) { return (row.fact.image_type == "3D") == is_3d; }))
        std::erase_if(rows, [&](const auto& row) { return (row.fact.image_type == "3D") != is_3d; });
    if (!options.pattern.empty() && element.bytes != 0)
        for (db::ObservationRow& row : rows) row.fact.layout->pattern.element = element;
    return rows;
}

void add_once(std::vector<std::string>& list, std::string text) {
    if (std::ranges::find(list, text) == list.end()) list.push_back(std::move(text));
}

void check_options(const ImageOptions& options, const Extent3& extent) {
    const int given = !options.pattern.empty() + !options.layout.empty();
    const bool filtered = !options.filter.device.empty() || !options.filter.format.empty();
    if (given > 1 || (given == 0 && !filtered))
        throw UsageError(
            "laid out how? give --gpu and --format, or --pattern, or --layout; tilewise query lists patterns");
    const uint32_t longest = std::max({extent[0], extent[1], extent[2]});
    if (longest > largest_side) throw UsageError(fmt::format("{} is larger than any image can be", text_of(extent)));
    if (options.levels > static_cast<uint32_t>(std::bit_width(longest)))
        throw UsageError(fmt::format("{} has at most {} levels", text_of(extent), std::bit_width(longest)));
    const bool strides =
        options.pitch || std::ranges::any_of(options.stride, [](const auto& s) { return s.has_value(); });
    if (strides && options.levels > 1)
        throw UsageError("--pitch, --constant and --stride-x, -y, -z are for images of one level");
    if (options.layer_stride && options.layers == 1) throw UsageError("--layer-stride is for images of several layers");
}

uint64_t checked_sum(uint64_t a, uint64_t b) {
    uint64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) throw Error("the image reaches beyond 64 bits of address");
    return sum;
}

uint64_t checked_round_up(uint64_t value, uint64_t multiple) {
    return round_up(checked_sum(value, multiple - 1) - (multiple - 1), multiple);
}

void check_one_to_one(const Subresource& part, const Extent3& texels) {
    if (const char* why = why_not_one_to_one(part.layout, part.extent))
        throw Error(fmt::format("no {} image is laid out like that: {}", text_of(texels), why));
}

/// Subresources may lie between one another, as in tails of levels that share a tile; no two may share a byte.
void check_parts_keep_apart(const std::vector<Subresource>& parts) {
    struct Range {
        uint64_t begin, end;
        const Subresource* part;
    };
    std::vector<Range> ranges;
    for (const Subresource& part : parts)
        ranges.push_back({part.layout.base, tiled_bytes(part.layout, {{}, part.extent}), &part});
    std::ranges::sort(ranges, {}, &Range::begin);
    std::vector<uint64_t> offsets;
    const auto check_offsets = [&](uint64_t element_bytes) {
        std::ranges::sort(offsets);
        for (size_t i = 1; i < offsets.size(); i++)
            if (offsets[i] - offsets[i - 1] < element_bytes)
                throw Error(
                    fmt::format("two subresources would share the byte at {:#x}; check --layer-stride, or "
                                "choose by --gpu, --driver, --usage",
                                offsets[i]));
        offsets.clear();
    };
    for (size_t first = 0, last = 0; first < ranges.size(); first = last) {
        uint64_t end = ranges[first].end;
        for (last = first + 1; last < ranges.size() && ranges[last].begin < end; last++)
            end = std::max(end, ranges[last].end);
        if (last - first == 1) continue;
        for (size_t i = first; i < last; i++) {
            const Subresource& part = *ranges[i].part;
            for (uint64_t e = 0; e < element_count(part.extent); e++)
                offsets.push_back(offset_of(part.layout, element_at_index(part.extent, e)));
        }
        check_offsets(ranges[first].part->layout.pattern.element.bytes);
    }
}

}  // namespace

void add_image_options(CLI::App& command, ImageOptions& options) {
    command.add_option("--gpu", options.filter.device, "part of a device's name");
    add_filter_options(command, options.filter);
    command.get_option("--extent")->required();
    command.add_option("--pattern", options.pattern,
                       "a pattern's id, or its beginning, or: linear; in place of a device");
    command.add_option("--layout", options.layout, "a file as tilewise solve --json prints it; in place of both");
    command.add_option("--levels", options.levels, "mip levels in the file")
        ->check(CLI::Range(1, 32))
        ->capture_default_str();
    command.add_option("--layers", options.layers, "array layers in the file")
        ->check(CLI::Range(1U, most_layers))
        ->capture_default_str();
    const auto add_bytes = [&](const char* name, std::optional<uint64_t>& value, const std::string& what) {
        command.add_option(name, value, what)->check(CLI::Range(uint64_t{0}, most_bytes));
    };
    add_bytes("--base", options.base, "bytes before the image in the tiled file");
    add_bytes("--pitch", options.pitch,
              "bytes of a row of texels, as APIs give it; so far apart are the rows of tiles");
    for (Axis a : {axis_x, axis_y, axis_z})
        add_bytes(stride_options[a], options.stride[a],
                  fmt::format("bytes from one tile to the next along {}", axis_name(a)));
    add_bytes("--constant", options.constant, "c of the address model, XORed into every offset in a tile");
    add_bytes("--layer-stride", options.layer_stride, "bytes from one layer to the next");
    command.add_flag("--assume", options.assume,
                     "convert an image that was never observed by what is known of others; says how on stderr");
}

uint64_t ImageLayout::tiled_bytes() const {
    uint64_t bytes = 0;
    for (const Subresource& part : parts)
        bytes = std::max(bytes, tilewise::tiled_bytes(part.layout, {{}, part.extent}));
    return bytes;
}

uint64_t ImageLayout::whole_bytes() const {
    uint64_t bytes = 0;
    for (const Subresource& part : parts)
        bytes = std::max(bytes, tilewise::tiled_bytes(part.layout, whole_tiles(part.layout.pattern, part.extent)));
    return bytes;
}

uint64_t ImageLayout::rows_bytes() const {
    uint64_t bytes = 0;
    for (const Subresource& part : parts)
        if (__builtin_add_overflow(bytes, tilewise::rows_bytes(part.layout.pattern.element, part.extent), &bytes))
            throw UsageError("so many layers of such a size are larger than any memory");
    return bytes;
}

ImageLayout image_layout(const Globals& globals, const ImageOptions& options) {
    const ParsedExtent parsed = parse_extent(options.filter.extent);
    const Extent3 extent = {parsed.width, parsed.height, parsed.depth};
    check_options(options, extent);
    const std::optional<Given> given = given_layout(options, extent);
    const Known known = {options, extent,
                         given ? std::vector<db::ObservationRow>() : rows_of(globals, options, extent)};

    ImageLayout image;
    uint64_t end = 0;  // of what lies before, in whole tiles
    uint64_t layer_stride = options.layer_stride.value_or(0);
    for (uint32_t layer = 0; layer < options.layers; layer++)
        for (uint32_t level = 0; level < options.levels; level++) {
            Subresource part = {level, layer, {}, {}};
            const Extent3 texels = level_extent(extent, level);
            const db::ObservationRow* row = given ? nullptr : observed(known, level, layer);
            if (row) {
                part.layout = *row->fact.layout;
                if (level == 0 && layer == 0) image.source = fmt::format("as seen on {}", row->device.name);
            } else if (layer > 0) {
                part.layout = image.parts[level].layout;
                part.layout.base = checked_sum(part.layout.base, layer_stride * layer);
                if (!options.layer_stride)
                    add_once(image.assumed, fmt::format("layers are {} bytes apart", layer_stride));
            } else if (given && level == 0) {
                part.layout = given->layout;
                image.source = "as given";
                if (!given->assumed.empty() &&
                    !strides_are_given(options, part.layout.pattern, elements_of(texels, part.layout.pattern.element)))
                    image.assumed.push_back(given->assumed);
            } else {
                Guessed guessed;
                if (given)
                    guessed.layout =
                        dense_layout(given->layout.pattern, elements_of(texels, given->layout.pattern.element));
                else
                    guessed = guess(known, level);
                part.layout = guessed.layout;
                part.layout.base = checked_round_up(end, part.layout.pattern.tile_bytes);
                if (level > 0)
                    add_once(image.assumed,
                             "levels follow one another, each at a multiple of its own tile, laid out like the "
                             "observed images nearest to them in size");
                if (!given && level == 0 &&
                    !(strides_are_given(options, part.layout.pattern,
                                        elements_of(texels, part.layout.pattern.element)) &&
                      !options.pattern.empty()))
                    add_once(image.assumed, fmt::format("{} is laid out like {}", guessed.image, guessed.like));
                if (level == 0) image.source = fmt::format("like {}", guessed.like);
            }
            part.extent = elements_of(texels, part.layout.pattern.element);
            if (options.levels == 1) apply_strides(options, part.layout, part.extent);
            check_one_to_one(part, texels);
            end = std::max(end, tilewise::tiled_bytes(part.layout, whole_tiles(part.layout.pattern, part.extent)));
            image.parts.push_back(std::move(part));
            if (layer == 0 && level + 1 == options.levels && !options.layer_stride)
                layer_stride = checked_round_up(end, image.parts[0].layout.pattern.tile_bytes);
        }
    if (options.base)
        for (Subresource& part : image.parts) {
            part.layout.base -= given ? given->layout.base : 0;
            part.layout.base = checked_sum(part.layout.base, *options.base);
        }
    check_parts_keep_apart(image.parts);
    if (!image.assumed.empty() && !options.assume)
        throw Error(fmt::format("nobody has seen this very image: {}; give --assume to convert by that, or probe it",
                                fmt::join(image.assumed, "; ")));
    return image;
}

}  // namespace tilewise
