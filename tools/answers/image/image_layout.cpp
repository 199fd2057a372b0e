#include "tools/answers/image/image_layout.h"
#include "patterns/convert/convert.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/image_layout_json.h"
#include "patterns/model/json_limits.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/text.h"
#include "probe/formats/formats.h"
#include "probe/formats/names.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/image/observed_image.h"
#include "tools/answers/image/predicted_image.h"
#include "tools/cli/files/files.h"
#include "tools/cli/options/open.h"
#include "tools/cli/options/parse.h"
#include "tools/cli/terminal/print.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <tuple>

namespace tilewise {

namespace {

// What is beyond it is a mistake, and sums of what is not do not overflow.
constexpr uint64_t most_bytes = uint64_t{1} << 48;
constexpr const char* stride_options[] = {"--stride-x", "--stride-y", "--stride-z"};

/// The image that is asked for.
struct Wanted {
    Extent_px extent = {1, 1, 1};
    uint32_t levels = 1, layers = 1, samples = 1;
    std::string type;  ///< empty: 3D with a depth over 1, else 2D or 1D
};

bool is_of_type(const Wanted& wanted, const db::ObservationFact& fact) {
    if (!wanted.type.empty()) return fact.image_type == wanted.type;
    return (fact.image_type == "3D") == (wanted.extent[2] > 1);
}

Coord elements_of(const Extent_px& extent, const Element& element, uint32_t samples) {
    return {ceil_div(extent[0], element.width), ceil_div(extent[1], element.height), extent[2], samples};
}

std::string text_of(const Extent_px& extent) { return extent_text({extent[0], extent[1], extent[2], 1}); }

/// The elements of whole tiles that cover the extent.
Box whole_tiles(const Pattern& pattern, const Coord& extent) {
    Box box;
    for (Axis a : all_axes) box.extent[a] = static_cast<uint32_t>(round_up(extent[a], pattern.tile[a]));
    return box;
}

/// The observed images of which a subresource may be like, and what the user says of the image.
struct Known {
    const ImageOptions& options;
    Wanted wanted;
    std::vector<db::ObservationRow> rows;
};

Extent_px observed_extent(const db::ObservationRow& row) { return level_extent_px(row.fact.extent, row.fact.level); }

/// How much the extents differ: the sum over the axes of the ratio's logarithm.
double distance(const Extent_px& a, const Extent_px& b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); i++) sum += std::abs(std::log2(double{1} * a[i] / b[i]));
    return sum;
}

[[noreturn]] void fail_by_choices(const std::vector<std::string>& choices) {
    throw UsageError(
        fmt::format("such images have {} layouts: {}; choose by --gpu, --driver, --usage, --image-type or --pattern",
                    choices.size(), fmt::join(choices, "; ")));
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
    fail_by_choices(texts);
}

/// Observations of images of this very kind. A pattern is that of many formats.
std::vector<const db::ObservationRow*> same_images(const Known& known) {
    std::vector<const db::ObservationRow*> same;
    const Wanted& wanted = known.wanted;
    const std::string& format = known.options.filter.format;
    for (const db::ObservationRow& row : known.rows) {
        const db::ObservationFact& fact = row.fact;
        if (!format.empty() && fact.format != probe::format_named(format).name) continue;
        if (is_of_type(wanted, fact) && std::tie(fact.extent, fact.levels, fact.layers, fact.samples) ==
                                            std::tie(wanted.extent, wanted.levels, wanted.layers, wanted.samples))
            same.push_back(&row);
    }
    return same;
}

/// This very subresource of an image of this very kind; none where nobody looked.
const db::ObservationRow* observed(const Known& known, uint32_t level, uint32_t layer) {
    std::vector<const db::ObservationRow*> same = same_images(known);
    std::erase_if(same, [&](const auto* row) { return row->fact.level != level || row->fact.layer != layer; });
    return same.empty() ? nullptr : &only_one(same, true);
}

/// The image of this very kind, all of which was observed; none where nobody looked.
std::optional<ImageLayout> probed_image(const Known& known) {
    std::vector<std::string> choices;
    std::vector<const ImageLayout*> different;
    const std::vector<ObservedImage> images = observed_images(same_images(known));
    for (const ObservedImage& observed : images) {
        if (observed.image.subresources.empty())
            throw Error(fmt::format("observations of {} {} on {} contradict each other; see tilewise db check",
                                    observed.image.format, text_of(known.wanted.extent), observed.device));
        const auto alike = [&](const ImageLayout* other) { return lie_alike(*other, observed.image); };
        if (std::ranges::any_of(different, alike)) continue;
        different.push_back(&observed.image);
        choices.push_back(fmt::format("{} ({}, {} {})", pattern_id(observed.image.subresources[0].layout.pattern),
                                      observed.device, observed.image.format, observed.image.usage));
    }
    if (different.size() > 1) fail_by_choices(choices);
    if (different.empty()) return {};
    return *different.front();
}

/// The first of the images nearest in size; of those equally near, the larger, and those without levels or layers.
const db::ObservationRow& nearest(const Known& known, uint32_t level) {
    const Extent_px wanted = level_extent_px(known.wanted.extent, level);
    const auto rank = [&](const db::ObservationRow& row) {
        const Extent_px extent = observed_extent(row);
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
    const Wanted& wanted = known.wanted;
    guessed.image = text_of(level_extent_px(wanted.extent, level));
    guessed.like = text_of(observed_extent(row));
    const auto set_apart = [&](bool differ, const std::string& image, const std::string& like) {
        if (!differ) return;
        guessed.image += image;
        guessed.like += like;
    };
    set_apart(fact.levels != wanted.levels, " of " + counted(wanted.levels, "level"),
              " of " + counted(fact.levels, "level"));
    set_apart(fact.layers != wanted.layers, " of " + counted(wanted.layers, "layer"),
              " of " + counted(fact.layers, "layer"));
    const bool is_first = level == 0 && fact.level == 0 && fact.layer == 0;
    set_apart(!is_first, fmt::format(" (level {}, layer 0)", level),
              fmt::format(" (level {}, layer {})", fact.level, fact.layer));
    const std::string& format = known.options.filter.format;
    if (guessed.image == guessed.like) set_apart(true, format.empty() ? "" : " as " + format, " as " + fact.format);
    guessed.like += fmt::format(" on {}", row.device.name);
}

Guessed guess(const Known& known, uint32_t level) {
    const db::ObservationRow& row = nearest(known, level);
    const Extent_px wanted = level_extent_px(known.wanted.extent, level), seen = observed_extent(row);
    Guessed guessed = {*row.fact.layout, {}, {}};
    name_images(known, level, row, guessed);
    if (seen != wanted)
        guessed.layout = dense_layout(guessed.layout.pattern,
                                      elements_of(wanted, guessed.layout.pattern.element, known.wanted.samples));
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

std::string format_name_of(const std::string& format) { return format.empty() ? "" : probe::format_named(format).name; }

Element element_of_format(const std::string& format) {
    return format.empty() ? Element{} : probe::format_named(format).element;
}

void check_element(const Pattern& pattern, const Element& wanted, const std::string& format) {
    if (wanted.bytes != 0 && wanted.bytes != pattern.element.bytes)
        throw UsageError(fmt::format("{} has elements of {} bytes, the pattern those of {}; choose another", format,
                                     wanted.bytes, pattern.element.bytes));
}

/// What the options give outright.
struct Given {
    std::optional<ImageLayout> image;  ///< all of it
    Layout layout;                     ///< else of level 0
    std::string assumed;               ///< why it may be another image's; empty where it is this one's
};

Given read_layout(const std::string& path, const std::string& wanted_text) {
    const nlohmann::json json = parse_json(read_whole_file(path), path);
    Given given;
    try {
        if (json.contains("subresources")) {
            given.image = image_layout_from_json(json);
            return given;
        }
        given.layout = layout_from_json(json.contains("layout") ? json["layout"] : json);
    } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", path, error.what()));
    }
    if (wanted_text.empty()) throw UsageError("of what image? give --extent");
    const ParsedExtent extent = parse_extent(wanted_text);
    const Coord wanted = elements_of({extent.width, extent.height, extent.depth}, given.layout.pattern.element, 1);
    if (!json.contains("extent"))
        given.assumed = fmt::format("the layout of {}, which says of no extent, is that of {}", path, wanted_text);
    else if (json["extent"] != nlohmann::json({wanted[axis_x], wanted[axis_y], wanted[axis_z]}))
        given.assumed = fmt::format("the layout of {}, solved at another extent, is that of {}", path, wanted_text);
    return given;
}

Pattern linear_pattern(const Element& element) {
    if (element.bytes == 0) throw UsageError("linear rows of what? give --format");
    Pattern pattern;
    pattern.element = element;
    pattern.tile_bytes = element.bytes;
    return pattern;
}

/// None where the database is to be asked.
std::optional<Given> given_layout(const ImageOptions& options, const Wanted& wanted) {
    const Element element = element_of_format(options.filter.format);
    std::optional<Given> given;
    if (!options.layout.empty()) given = read_layout(options.layout, options.filter.extent);
    if (options.pattern == "linear") {
        given.emplace();
        given->layout = dense_layout(linear_pattern(element), elements_of(wanted.extent, element, wanted.samples));
    }
    if (!given || given->image) return given;
    Element& of_layout = given->layout.pattern.element;
    check_element(given->layout.pattern, element, options.filter.format);
    if (element.bytes != 0) of_layout = element;
    return given;
}

/// Those without flags, where there are such and the options name none.
void choose_flags(std::vector<db::ObservationRow>& rows, const std::string& flags) {
    const auto has_other = [&](const db::ObservationRow& row) { return row.fact.flags != flags; };
    if (!flags.empty() || !std::ranges::all_of(rows, has_other)) std::erase_if(rows, has_other);
}

/// Those of images of that many samples, those flags and that type. Throws Error where there are none.
void choose_kind(std::vector<db::ObservationRow>& rows, const ImageOptions& options, const Wanted& wanted) {
    std::erase_if(rows, [&](const db::ObservationRow& row) { return row.fact.samples != wanted.samples; });
    choose_flags(rows, options.flags);
    if (rows.empty())
        throw Error(fmt::format("no such image of {} sample{}{} was observed; probe one", wanted.samples,
                                wanted.samples == 1 ? "" : "s",
                                options.flags.empty() ? "" : fmt::format(" with the flags {}", options.flags)));
    const auto is_wanted = [&](const db::ObservationRow& row) { return is_of_type(wanted, row.fact); };
    if (std::ranges::any_of(rows, is_wanted))
        std::erase_if(rows, std::not_fn(is_wanted));
    else if (!wanted.type.empty())
        throw Error(fmt::format("no such {} image was observed; probe one", wanted.type));
}

/// `assumed`: that they are another chip's, or driver version's; empty where they are not.
std::vector<db::ObservationRow> rows_of(const Globals& globals, const ImageOptions& options, const Wanted& wanted,
                                        std::string& assumed) {
    const Element element = element_of_format(options.filter.format);
    const db::Database database = open_to_read(globals);
    const Asked asked = ask(database, options.filter);
    if (asked.gpu && !asked.gpu->assumed.empty())
        assumed = asked.gpu->assumed;
    else
        tell_gpu(asked);
    db::Filter filter = asked.filter;
    filter.extent.reset();  // other extents tell something, too
    if (!options.pattern.empty()) {
        filter.pattern = db::resolve_pattern(database, options.pattern);
        check_element(db::pattern_summary(database, filter.pattern).layout.pattern, element, filter.format);
        filter.format.clear();  // a pattern knows sizes, not formats
    }
    std::vector<db::ObservationRow> rows = db::find_observations(database, filter);
    std::erase_if(rows, [](const db::ObservationRow& row) { return !row.fact.layout; });
    if (rows.empty()) throw Error(db::why_nothing(database, filter));
    choose_kind(rows, options, wanted);
    if (!options.pattern.empty() && element.bytes != 0)
        for (db::ObservationRow& row : rows) row.fact.layout->pattern.element = element;
    return rows;
}

void add_once(std::vector<std::string>& list, std::string text) {
    if (std::ranges::find(list, text) == list.end()) list.push_back(std::move(text));
}

void check_choice(const ImageOptions& options) {
    const int given = !options.pattern.empty() + !options.layout.empty();
    const FilterOptions& filter = options.filter;
    const bool filtered = !filter.gpu.empty() || !filter.device.empty() || !filter.format.empty();
    if (given > 1 || (given == 0 && !filtered))
        throw UsageError(
            "laid out how? give --gpu and --format, or --pattern, or --layout; tilewise query lists patterns");
}

std::string type_of(const ImageOptions& options) {
    return options.type.empty() ? "" : probe::image_type_name(probe::image_type_named(options.type));
}

Wanted wanted_image(const ImageOptions& options) {
    if (options.filter.extent.empty()) throw UsageError("of what image? give --extent");
    const ParsedExtent parsed = parse_extent(options.filter.extent);
    Wanted wanted = {{parsed.width, parsed.height, parsed.depth},
                     options.levels.value_or(1),
                     options.layers.value_or(1),
                     options.samples.value_or(1),
                     type_of(options)};
    if ((wanted.type == "1D" && wanted.extent[1] > 1) ||
        (!wanted.type.empty() && wanted.type != "3D" && wanted.extent[2] > 1))
        throw UsageError(fmt::format("no {} image is {}", wanted.type, text_of(wanted.extent)));
    const uint32_t longest = *std::ranges::max_element(wanted.extent);
    if (longest > max_image_side_px)
        throw UsageError(fmt::format("{} is larger than any image can be", text_of(wanted.extent)));
    if (wanted.levels > static_cast<uint32_t>(std::bit_width(longest)))
        throw UsageError(fmt::format("{} has at most {} levels", text_of(wanted.extent), std::bit_width(longest)));
    const bool strides =
        options.pitch || std::ranges::any_of(options.stride, [](const auto& s) { return s.has_value(); });
    if (strides && wanted.levels > 1)
        throw UsageError("--pitch, --constant and --stride-x, -y, -z are for images of one level");
    if (options.layer_stride && wanted.layers == 1) throw UsageError("--layer-stride is for images of several layers");
    return wanted;
}

/// A file says what image it is of; the options may say so, too.
void check_said_alike(const ImageOptions& options, const ImageLayout& image) {
    const auto differs = [](const auto& option, const auto& value) { return option && *option != value; };
    std::optional<Extent_px> extent;
    if (!options.filter.extent.empty()) {
        const ParsedExtent parsed = parse_extent(options.filter.extent);
        extent = {parsed.width, parsed.height, parsed.depth};
    }
    const std::string& format = options.filter.format;
    if (differs(extent, image.extent_px) || differs(options.levels, image.levels) ||
        differs(options.layers, image.layers) || differs(options.samples, image.samples) ||
        (!options.type.empty() && type_of(options) != image.image_type) ||
        (!format.empty() && format_name_of(format) != image.format))
        throw UsageError(fmt::format("{} is of another image: {} {}, {} levels, {} layers, {} samples", options.layout,
                                     image.format, text_of(image.extent_px), image.levels, image.layers,
                                     image.samples));
    const auto said = [](const auto& option) { return option.has_value(); };
    if (options.base || options.constant || options.pitch || options.layer_stride ||
        std::ranges::any_of(options.stride, said))
        throw UsageError(
            fmt::format("{} says of all bases and strides: leave out --base, --pitch and the like", options.layout));
}

/// Up to the end of the last tile of the extent; throws Error as dense_layout() does.
uint64_t end_of_whole_tiles(const Layout& layout, const Coord& extent) {
    return tiled_bytes(layout, whole_tiles(layout.pattern, extent));
}

uint64_t checked_sum(uint64_t a, uint64_t b) {
    uint64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) throw Error("the image reaches beyond 64 bits of address");
    return sum;
}

uint64_t checked_round_up(uint64_t value, uint64_t multiple) {
    return round_up(checked_sum(value, multiple - 1) - (multiple - 1), multiple);
}

/// Subresource by subresource, as observed or else as assumed. One entry a layer.
FoundImage assemble(const ImageOptions& options, const Wanted& wanted, const std::optional<Given>& given,
                    const Known& known) {
    FoundImage found;
    ImageLayout& image = found.image;
    image.source = given ? LayoutSource::given : LayoutSource::probed;
    // Of a format with several, given texels are taken as a whole.
    const std::vector<Aspect> aspects = aspects_of_format(format_name_of(options.filter.format));
    const Aspect aspect = aspects.size() == 1 ? aspects.front() : Aspect::color;
    uint64_t end = 0;  // of what lies before, in whole tiles
    uint64_t layer_stride = options.layer_stride.value_or(0);
    for (uint32_t layer = 0; layer < wanted.layers; layer++)
        for (uint32_t level = 0; level < wanted.levels; level++) {
            Subresource part = {aspect, level, layer, 1, 0, level_extent_px(wanted.extent, level), {}};
            const auto elements = [&](const Pattern& pattern) {
                return elements_of(part.extent_px, pattern.element, wanted.samples);
            };
            const db::ObservationRow* row = given ? nullptr : observed(known, level, layer);
            if (row) {
                part.layout = *row->fact.layout;
                if (level == 0 && layer == 0) image.evidence = fmt::format("as seen on {}", row->device.name);
            } else if (layer > 0) {
                part.layout = image.subresources[level].layout;
                part.layout.base = checked_sum(part.layout.base, layer_stride * layer);
                if (!options.layer_stride)
                    add_once(found.assumed, fmt::format("layers are {} bytes apart", layer_stride));
            } else if (given && level == 0) {
                part.layout = given->layout;
                image.evidence = "as given";
                if (!given->assumed.empty() &&
                    !strides_are_given(options, part.layout.pattern, elements(part.layout.pattern)))
                    found.assumed.push_back(given->assumed);
            } else {
                Guessed guessed;
                if (given)
                    guessed.layout = dense_layout(given->layout.pattern, elements(given->layout.pattern));
                else
                    guessed = guess(known, level);
                part.layout = guessed.layout;
                part.layout.base = checked_round_up(end, part.layout.pattern.tile_bytes);
                if (level > 0)
                    add_once(found.assumed,
                             "levels follow one another, each at a multiple of its own tile, laid out like the "
                             "observed images nearest to them in size");
                if (!given && level == 0 &&
                    !(strides_are_given(options, part.layout.pattern, elements(part.layout.pattern)) &&
                      !options.pattern.empty()))
                    add_once(found.assumed, fmt::format("{} is laid out like {}", guessed.image, guessed.like));
                if (level == 0) image.evidence = fmt::format("like {}", guessed.like);
            }
            const Coord extent = elements(part.layout.pattern);
            if (wanted.levels == 1) apply_strides(options, part.layout, extent);
            end = std::max(end, end_of_whole_tiles(part.layout, extent));
            image.subresources.push_back(std::move(part));
            if (layer == 0 && level + 1 == wanted.levels && !options.layer_stride)
                layer_stride = checked_round_up(end, image.subresources[0].layout.pattern.tile_bytes);
        }
    return found;
}

void describe(ImageLayout& image, const ImageOptions& options, const Wanted& wanted) {
    image.format = format_name_of(options.filter.format);
    image.usage = options.filter.usage;
    image.image_type = !wanted.type.empty() ? wanted.type : wanted.extent[2] > 1 ? "3D" : "2D";
    image.extent_px = wanted.extent;
    image.levels = wanted.levels;
    image.layers = wanted.layers;
    image.samples = wanted.samples;
    image.flags = options.flags;
}

/// What the options say outright of an image that was observed.
void override_by(const ImageOptions& options, const std::optional<Given>& given, ImageLayout& image) {
    if (!options.base) return;
    for (Subresource& part : image.subresources)
        part.layout.base = checked_sum(part.layout.base - (given ? given->layout.base : 0), *options.base);
}

/// Whether rules are to be asked: they are of a format's images, and say all of where these lie.
bool may_be_predicted(const ImageOptions& options) {
    return options.pattern.empty() && !options.filter.format.empty() && !options.pitch && !options.layer_stride &&
           !options.constant && std::ranges::none_of(options.stride, [](const auto& s) { return s.has_value(); });
}

/// None where no rule is of such images.
std::optional<ImageLayout> predicted_image(const std::vector<db::ImageRuleRow>& rules, const ImageOptions& options,
                                           const Wanted& wanted) {
    ImageLayout image;
    describe(image, options, wanted);
    PredictedImages found = predicted_images(rules, image);
    if (found.images.size() > 1) fail_by_choices(found.choices);
    if (found.images.empty()) return {};
    return found.images.front();
}

/// By the database's rules.
std::optional<ImageLayout> predicted_image(const Globals& globals, const ImageOptions& options, const Wanted& wanted) {
    if (!may_be_predicted(options)) return {};
    const db::Database database = open_to_read(globals);
    return predicted_image(find_rules(database, ask(database, options.filter).filter), options, wanted);
}

/// As observed, else as predicted, else as assumed; what is given goes before all. `of_another`: why the observations may
/// be another chip's.
FoundImage lay_out(const Known& known, const std::optional<Given>& given, const std::optional<ImageLayout>& predicted,
                   const std::string& of_another) {
    const auto& [options, wanted, rows] = known;
    FoundImage found;
    std::optional<ImageLayout> probed = given || rows.empty() ? std::nullopt : probed_image(known);
    if (!probed && predicted) {
        found.image = *predicted;
    } else if (probed) {
        found.image = std::move(*probed);
        if (wanted.levels == 1)
            for (Subresource& part : found.image.subresources)
                apply_strides(options, part.layout, extent_el(found.image, part));
    } else {
        if (!given && aspects_of_format(format_name_of(options.filter.format)).size() > 1)
            throw Error(
                fmt::format("nobody has seen all aspects of this very image; probe it: --formats {} --extents {}",
                            format_name_of(options.filter.format), text_of(wanted.extent)));
        found = assemble(options, wanted, given, known);
        describe(found.image, options, wanted);
        found.image.subresources = join_layers(std::move(found.image.subresources));
    }
    if (!of_another.empty()) found.assumed.insert(found.assumed.begin(), of_another);
    mark_assumed(found.image, found.assumed);
    override_by(options, given, found.image);
    try {
        require_consistent(found.image);
    } catch (const Error& error) {
        throw Error(
            fmt::format("no {} image is laid out like that: {}; check --layer-stride, or choose by --gpu, "
                        "--driver, --usage",
                        text_of(wanted.extent), error.what()));
    }
    return found;
}

}  // namespace

void add_image_options(CLI::App& command, ImageOptions& options) {
    add_filter_options(command, options.filter);
    command.add_option("--pattern", options.pattern,
                       "a pattern's id, or its beginning, or: linear; in place of a device");
    command.add_option("--layout", options.layout,
                       "a file as tilewise layout --json or solve --json prints it; in place of both");
    command.add_option("--levels", options.levels, "mip levels of the image")
        ->check(CLI::Range(1U, max_image_levels))
        ->default_str("1");
    command.add_option("--layers", options.layers, "array layers of the image")
        ->check(CLI::Range(1U, max_image_layers))
        ->default_str("1");
    command.add_option("--samples", options.samples, "samples of a texel")
        ->check(CLI::Range(1U, max_image_samples))
        ->default_str("1");
    command.add_option("--image-type", options.type, "1D, 2D or 3D; 3D for an extent with a depth without it");
    command.add_option("--flags", options.flags, "images created with these flags: mutable-format,cube-compatible");
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

void mark_assumed(ImageLayout& image, const std::vector<std::string>& assumed) {
    if (assumed.empty()) return;
    image.source = LayoutSource::assumed;
    image.evidence += fmt::format("; assumed: {}", fmt::join(assumed, "; "));
}

namespace {

/// Whether anything is known of images with the usage; true where none is asked for.
bool is_usage_known(const Globals& globals, const ImageOptions& options) {
    if (options.filter.usage.empty()) return true;
    const db::Database database = open_to_read(globals);
    db::Filter filter = ask(database, options.filter).filter;
    filter.extent.reset();
    if (!db::find_observations(database, filter).empty()) return true;
    return std::ranges::any_of(find_rules(database, filter), [&](const db::ImageRuleRow& row) {
        return has_usage(row.fact.usage, options.filter.usage) &&
               (filter.format.empty() || std::ranges::count(split(row.fact.formats), filter.format) > 0);
    });
}

FoundImage find_image_with_usage(const Globals& globals, const ImageOptions& options) {
    const bool from_file = !options.layout.empty();
    Wanted wanted;
    if (!from_file) wanted = wanted_image(options);
    const std::optional<Given> given = given_layout(options, wanted);
    if (given && given->image) {
        check_said_alike(options, *given->image);
        FoundImage found = {*given->image, {}};
        if (found.image.source == LayoutSource::assumed)
            found.assumed = {fmt::format("the layout of {}: {}", options.layout, found.image.evidence)};
        return found;
    }
    if (from_file) wanted = wanted_image(options);
    std::string of_another;
    const std::optional<ImageLayout> predicted = given ? std::nullopt : predicted_image(globals, options, wanted);
    Known known = {options, wanted, {}};
    if (!given) {
        try {
            known.rows = rows_of(globals, options, wanted, of_another);
        } catch (const Error&) {
            if (!predicted) throw;
        }
    }
    return lay_out(known, given, predicted, of_another);
}

}  // namespace

FoundImage find_image(const Globals& globals, const ImageOptions& options) {
    check_choice(options);
    if (!options.layout.empty() || options.pattern == "linear" || is_usage_known(globals, options))
        return find_image_with_usage(globals, options);
    probe::usage_named(options.filter.usage);
    ImageOptions of_any_usage = options;
    of_any_usage.filter.usage.clear();
    FoundImage found = find_image_with_usage(globals, of_any_usage);
    const std::string& seen = found.image.usage;
    found.assumed.insert(found.assumed.begin(),
                         fmt::format("nobody has probed such images with the usage {}; this is how they are with {}",
                                     options.filter.usage, seen.empty() ? "another" : seen));
    mark_assumed(found.image, {found.assumed.front()});
    return found;
}

FoundImage find_image(std::vector<db::ObservationRow> rows, const std::vector<db::ImageRuleRow>& rules,
                      const ImageOptions& options, const std::string& of_another) {
    const Wanted wanted = wanted_image(options);
    choose_kind(rows, options, wanted);
    return lay_out({options, wanted, std::move(rows)}, {}, predicted_image(rules, options, wanted), of_another);
}

void require_allowed(const FoundImage& found, const ImageOptions& options) {
    if (!found.assumed.empty() && !options.assume)
        throw Error(fmt::format("nobody has seen this very image: {}; give --assume to convert by that, or probe it",
                                fmt::join(found.assumed, "; ")));
}

void tell_assumptions(const FoundImage& found) {
    for (const std::string& line : found.assumed) print_warning(fmt::format("Assumed: {}.", line));
}

}  // namespace tilewise
