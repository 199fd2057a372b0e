#include "tools/answers/image/find_image.h"
#include "patterns/convert/convert.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/image_layout.h"
#include "patterns/model/text.h"
#include "probe/formats/names.h"
#include "tools/answers/add_once.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/image/given_layout.h"
#include "tools/answers/image/known_images.h"
#include "tools/answers/image/observed_image.h"
#include "tools/answers/image/predicted_image.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise {

namespace {

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
FoundImage assemble(const ImageQuestion& question, const AskedImage& wanted, const std::optional<GivenLayout>& given,
                    const KnownImages& known) {
    FoundImage found;
    ImageLayout& image = found.image;
    image.source = given ? LayoutSource::given : LayoutSource::probed;
    // Where a format has several aspects, given texels are taken as a whole.
    const std::vector<Aspect> aspects = aspects_of_format(format_name_of(question.about.format));
    const Aspect aspect = aspects.size() == 1 ? aspects.front() : Aspect::color;
    uint64_t end = 0;  // of what lies before, in whole tiles
    uint64_t layer_stride = question.layer_stride.value_or(0);
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
                if (!question.layer_stride)
                    add_once(found.assumed, fmt::format("layers are {} bytes apart", layer_stride));
            } else if (given && level == 0) {
                part.layout = given->layout;
                image.evidence = "as given";
                if (!given->assumed.empty() &&
                    !strides_are_given(question, part.layout.pattern, elements(part.layout.pattern)))
                    found.assumed.push_back(given->assumed);
            } else {
                NearestLayout nearest;
                if (given)
                    nearest.layout = dense_layout(given->layout.pattern, elements(given->layout.pattern));
                else
                    nearest = nearest_layout(known, level);
                part.layout = nearest.layout;
                part.layout.base = checked_round_up(end, part.layout.pattern.tile_bytes);
                if (level > 0)
                    add_once(found.assumed,
                             "levels follow one another, each at a multiple of its own tile, laid out like the "
                             "observed images nearest to them in size");
                if (!given && level == 0 &&
                    !(strides_are_given(question, part.layout.pattern, elements(part.layout.pattern)) &&
                      !question.pattern.empty()))
                    add_once(found.assumed, fmt::format("{} is laid out like {}", nearest.image, nearest.like));
                if (level == 0) image.evidence = fmt::format("like {}", nearest.like);
            }
            const Coord extent = elements(part.layout.pattern);
            if (wanted.levels == 1) apply_strides(question, part.layout, extent);
            end = std::max(end, end_of_whole_tiles(part.layout, extent));
            image.subresources.push_back(std::move(part));
            if (layer == 0 && level + 1 == wanted.levels && !question.layer_stride)
                layer_stride = checked_round_up(end, image.subresources[0].layout.pattern.tile_bytes);
        }
    return found;
}

void describe(ImageLayout& image, const ImageQuestion& question, const AskedImage& wanted) {
    image.format = format_name_of(question.about.format);
    image.usage = question.about.usage;
    image.image_type = !wanted.type.empty() ? wanted.type : wanted.extent[2] > 1 ? "3D" : "2D";
    image.extent_px = wanted.extent;
    image.levels = wanted.levels;
    image.layers = wanted.layers;
    image.samples = wanted.samples;
    image.flags = question.flags;
}

/// What the question say outright of an image that was observed.
void override_by(const ImageQuestion& question, const std::optional<GivenLayout>& given, ImageLayout& image) {
    if (!question.base) return;
    for (Subresource& part : image.subresources)
        part.layout.base = checked_sum(part.layout.base - (given ? given->layout.base : 0), *question.base);
}

/// Whether rules are to be asked: they are of a format's images, and say all of where these lie.
bool may_be_predicted(const ImageQuestion& question) {
    return question.pattern.empty() && !question.about.format.empty() && !question.pitch && !question.layer_stride &&
           !question.constant && std::ranges::none_of(question.stride, [](const auto& s) { return s.has_value(); });
}

/// None where no rule is of such images.
std::optional<ImageLayout> predicted_image(const std::vector<db::ImageRuleRow>& rules, const ImageQuestion& question,
                                           const AskedImage& wanted) {
    ImageLayout image;
    describe(image, question, wanted);
    PredictedImages found = predicted_images(rules, image);
    if (found.images.size() > 1) fail_by_choices(found.choices);
    if (found.images.empty()) return {};
    return found.images.front();
}

/// As observed, else as predicted, else as assumed; what is given goes before all. `of_another`: why the observations may
/// be another chip's.
FoundImage lay_out(const KnownImages& known, const std::optional<GivenLayout>& given,
                   const std::optional<ImageLayout>& predicted, const std::string& of_another) {
    const auto& [question, wanted, rows] = known;
    FoundImage found;
    std::optional<ImageLayout> probed = given || rows.empty() ? std::nullopt : probed_image(known);
    if (!probed && predicted) {
        found.image = *predicted;
    } else if (probed) {
        found.image = std::move(*probed);
        if (wanted.levels == 1)
            for (Subresource& part : found.image.subresources)
                apply_strides(question, part.layout, extent_el(found.image, part));
    } else {
        if (!given && aspects_of_format(format_name_of(question.about.format)).size() > 1)
            throw Error(
                fmt::format("nobody has seen all aspects of this very image; probe it: --formats {} --extents {}",
                            format_name_of(question.about.format), extent_text(wanted.extent)));
        found = assemble(question, wanted, given, known);
        describe(found.image, question, wanted);
        found.image.subresources = join_layers(std::move(found.image.subresources));
    }
    if (!of_another.empty()) found.assumed.insert(found.assumed.begin(), of_another);
    mark_assumed(found.image, found.assumed);
    override_by(question, given, found.image);
    try {
        require_consistent(found.image);
    } catch (const Error& error) {
        throw Error(
            fmt::format("no {} image is laid out like that: {}; check --layer-stride, or choose by --gpu, "
                        "--driver, --usage",
                        extent_text(wanted.extent), error.what()));
    }
    return found;
}

/// Observations of any extent: others tell something, too.
std::vector<db::ObservationRow> rows_of(const db::Database& database, db::Filter filter, const ImageQuestion& question,
                                        const AskedImage& wanted) {
    const Element element = element_of_format(question.about.format);
    filter.extent.reset();
    if (!question.pattern.empty()) {
        filter.pattern = db::resolve_pattern(database, question.pattern);
        check_element(db::pattern_summary(database, filter.pattern).layout.pattern, element, filter.format);
        filter.format.clear();  // a pattern knows sizes, not formats
    }
    std::vector<db::ObservationRow> rows = db::find_observations(database, filter);
    std::erase_if(rows, [](const db::ObservationRow& row) { return !row.fact.layout; });
    if (rows.empty()) throw Error(db::why_nothing(database, filter));
    choose_kind(rows, question, wanted);
    if (!question.pattern.empty() && element.bytes != 0)
        for (db::ObservationRow& row : rows) row.fact.layout->pattern.element = element;
    return rows;
}

/// Whether anything is known of images with the usage; true where none is asked for.
bool is_usage_known(const db::Database& database, db::Filter filter) {
    if (filter.usage.empty()) return true;
    filter.extent.reset();
    if (!db::find_observations(database, filter).empty()) return true;
    return std::ranges::any_of(find_rules(database, filter), [&](const db::ImageRuleRow& row) {
        return has_usage(row.fact.usage, filter.usage) &&
               (filter.format.empty() || std::ranges::count(split(row.fact.formats), filter.format) > 0);
    });
}

/// The database's answer, of the devices that were asked for.
FoundImage find_known_image(const db::Database& database, const ImageQuestion& question, const Asked& asked) {
    const AskedImage wanted = wanted_image(question);
    std::optional<ImageLayout> predicted;
    if (may_be_predicted(question)) predicted = predicted_image(find_rules(database, asked.filter), question, wanted);
    KnownImages known = {question, wanted, {}};
    try {
        known.rows = rows_of(database, asked.filter, question, wanted);
    } catch (const Error&) {
        if (!predicted) throw;
    }
    FoundImage found = lay_out(known, {}, predicted, asked.gpu ? asked.gpu->assumed : "");
    if (found.assumed.empty() || !asked.gpu || asked.gpu->assumed.empty()) found.said = said_of(asked);
    return found;
}

}  // namespace

FoundImage find_given_image(const ImageQuestion& question) {
    require_one_way(question);
    // A file says what image it is of; linear rows do not.
    const AskedImage wanted = question.layout ? AskedImage() : wanted_image(question);
    const std::optional<GivenLayout> given = given_layout(question, wanted);
    if (!given->image) return lay_out({question, wanted_image(question), {}}, given, {}, "");
    check_said_alike(question, *given->image);
    FoundImage found = {*given->image};
    if (found.image.source == LayoutSource::assumed)
        found.assumed = {fmt::format("the layout of {}: {}", question.layout->name, found.image.evidence)};
    return found;
}

FoundImage find_image(const db::Database& database, const ImageQuestion& question) {
    require_one_way(question);
    Asked asked = ask(database, question.about);
    if (is_usage_known(database, asked.filter)) return find_known_image(database, question, asked);
    probe::usage_named(question.about.usage);
    ImageQuestion of_any_usage = question;
    of_any_usage.about.usage.clear();
    asked.filter.usage.clear();
    FoundImage found = find_known_image(database, of_any_usage, asked);
    const std::string& seen = found.image.usage;
    found.assumed.insert(found.assumed.begin(),
                         fmt::format("nobody has probed such images with the usage {}; this is how they are with {}",
                                     question.about.usage, seen.empty() ? "another" : seen));
    mark_assumed(found.image, {found.assumed.front()});
    return found;
}

FoundImage find_image(std::vector<db::ObservationRow> rows, const std::vector<db::ImageRuleRow>& rules,
                      const ImageQuestion& question, const std::string& of_another) {
    const AskedImage wanted = wanted_image(question);
    choose_kind(rows, question, wanted);
    return lay_out({question, wanted, std::move(rows)}, {}, predicted_image(rules, question, wanted), of_another);
}

void mark_assumed(ImageLayout& image, const std::vector<std::string>& assumed) {
    if (assumed.empty()) return;
    image.source = LayoutSource::assumed;
    image.evidence += fmt::format("; assumed: {}", fmt::join(assumed, "; "));
}

void require_allowed(const FoundImage& found, const ImageQuestion& question) {
    if (!found.assumed.empty() && !question.assume)
        throw Error(fmt::format("nobody has seen this very image: {}; give --assume to convert by that, or probe it",
                                fmt::join(found.assumed, "; ")));
}

}  // namespace tilewise
