#include "tools/answers/image/image_in_scope.h"
#include "patterns/convert/assemble.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/image_layout.h"
#include "patterns/model/mode_words.h"
#include "patterns/model/names.h"
#include "patterns/model/text.h"
#include "patterns/rules/rule_json.h"
#include "tools/answers/gpu/origins.h"
#include "tools/answers/image/agreement.h"
#include "tools/answers/image/alike_format.h"
#include "tools/answers/image/aspects.h"
#include "tools/answers/image/assembled_image.h"
#include "tools/answers/image/beyond_bounds.h"
#include "tools/answers/image/find_image.h"
#include "tools/answers/image/flagged_image.h"
#include "tools/answers/image/given_image.h"
#include "tools/answers/image/known_images.h"
#include "tools/answers/image/other_footprint.h"
#include "tools/answers/image/predicted_image.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewise {

namespace {

/// Whether rules may answer: they are for a format's images, and say everything about where these lie.
bool may_be_predicted(const ImageQuestion& question) {
    return question.pattern.empty() && !question.about.format.name.empty() && !question.strides.layer &&
           !question.strides.any_of_tiles();
}

/// None if no rule is for such images.
std::optional<ImageLayout> predicted_image(std::span<const db::ImageRuleRow> rules, const ImageKind& asked,
                                           const std::string& mode) {
    PredictedImages found = predicted_images(rules, asked);
    std::vector<std::string> choices;
    std::optional<ImageLayout> chosen;
    for (size_t i = 0; i < found.images.size(); i++) {
        if (!has_mode(found.images[i], mode)) continue;
        choices.push_back(found.choices[i]);
        chosen = std::move(found.images[i]);
    }
    if (choices.size() > 1) fail_by_choices(choices);
    return chosen;
}

/// Why an image that was not observed may not be put together from observed ones; empty if it may.
std::string why_not_assembled(const KnownImages& known, std::span<const db::ImageRuleRow> rules, bool assume) {
    const auto all_are = [&](const auto& is) { return std::ranges::all_of(known.rows, is); };
    const auto all_are_of = [&](const std::string& vendor) {
        const uint32_t id = db::vendor_id_of(vendor);
        return all_are([&](const db::ObservationRow& row) { return row.device.vendor_id == id; });
    };
    const ImageKind& asked = known.asked;
    if ((asked.levels > 1 || asked.layers > 1 || asked.extent_px[2] > 1) && all_are_of("Intel"))
        return "levels, layers and slices of Intel's images are places in one tiled surface, which an image layout "
               "cannot express; ask for a 2D image with --levels 1 and --layers 1";
    const auto most_is_one = [&](uint32_t Rule::*most) {
        return !rules.empty() && std::ranges::all_of(rules, [&](const db::ImageRuleRow& row) {
            return row.fact.rule.as<Rule>(rule_from_json).*most == 1;
        });
    };
    if (asked.levels > 1 && (all_are_of("Broadcom") || most_is_one(&Rule::max_levels)))
        return "what is known covers one level, and further levels need not follow it: ask with --levels 1";
    if (asked.layers > 1 && most_is_one(&Rule::max_layers))
        return "what is known covers one layer, and further layers need not follow it: ask with --layers 1";
    if (!assume && all_are([](const db::ObservationRow& row) {
            return row.fact.provenance == "published table" || row.fact.provenance == "documented";
        }))
        return "public texts describe other images only, and chips choose other tiles for other sizes: give --assume "
               "to get an answer anyway, or probe the chip";
    if (!assume && !rules.empty())
        return "no rule covers it, and the driver chooses tiles by an image's size: give --assume to get an answer "
               "anyway, or probe it";
    return {};
}

/// Throws UsageError unless rows of tiles at the given pitch hold a whole number of tiles.
void require_whole_tiles(const SaidStrides& said, const Pattern& pattern) {
    const uint64_t row_B = pattern.tile_bytes / (uint64_t{pattern.tile[axis_y]} * pattern.tile[axis_z]);
    if (said.pitch && row_B != 0 && *said.pitch % row_B != 0)
        throw UsageError(fmt::format("--pitch {}: its tiles are {} bytes wide, and a row has a whole number of them",
                                     *said.pitch, row_B));
}

/// The image as observed, else as predicted, else as assumed.
FoundImage image_of_device(const ImageQuestion& question, const ImageKind& asked, DeviceKnowledge knowledge) {
    std::optional<ImageLayout> whole = predicted_image(knowledge.rules, asked, question.about.mode);
    std::vector<std::string> assumed_of_derived;
    if (!whole && knowledge.derived && has_mode(knowledge.derived->image, question.about.mode)) {
        whole = std::move(knowledge.derived->image);
        assumed_of_derived = std::move(knowledge.derived->assumed);
    }
    Answer<std::vector<db::ObservationRow>> rows = std::move(knowledge.rows);
    if (auto* all = std::get_if<0>(&rows)) rows = of_asked_kind(std::move(*all), question, asked);
    KnownImages known = {question, asked, {}};
    if (!whole || rows.index() == 0) known.rows = or_throw(std::move(rows));
    if (std::optional<ImageLayout> probed = probed_image(known)) {
        whole = std::move(probed);
        assumed_of_derived.clear();
    }
    FoundImage found;
    found.assumed = std::move(assumed_of_derived);
    if (!whole) {
        if (!knowledge.why_opaque.empty()) throw Error(knowledge.why_opaque);
        const std::string why_not =
            question.pattern.empty() ? why_not_assembled(known, knowledge.rules, question.assume) : "";
        found = assembled_image(std::move(known));
        if (!found.assumed.empty() && !why_not.empty())
            throw Error(fmt::format("nobody has probed this very image: {}; {}", found.assumed.front(), why_not));
    } else {
        found.image = std::move(*whole);
        if (question.strides.constant || question.strides.any_of_tiles()) {
            for (Subresource& part : found.image.subresources) {
                require_whole_tiles(question.strides, part.layout.pattern);
                if (!found.fault)
                    found.fault = apply_strides(question.strides, part.layout, extent_el(found.image, part));
            }
        }
        if (question.strides.any_of_tiles()) {
            found.image.source = LayoutSource::given;
            found.image.evidence += "; but for the strides that were given";
            found.image.bytes = found.image.alignment = 0;
        }
    }
    if (!knowledge.of_another.empty()) found.assumed.insert(found.assumed.begin(), knowledge.of_another);
    return found;
}

/// A layout that is given takes precedence over everything that is known.
FoundImage lay_out(const ImageQuestion& question, const ImageKind& asked, DeviceKnowledge knowledge) {
    if (question.layout && question.layout->image) return image_in_file(*question.layout);
    FoundImage found =
        question.is_given() ? image_by_layout(question, asked) : image_of_device(question, asked, std::move(knowledge));
    if (found.fault) fail_by_strides(*found.fault);
    mark_assumed(found.image, found.assumed);
    if (question.base)
        move_image(found.image, question.is_given() ? found.image.subresources.front().layout.base : 0, *question.base);
    try {
        require_consistent(found.image);
    } catch (const Error& error) {
        throw Error(
            fmt::format("no {} image is laid out like that: {}; check --layer-stride, or choose by --gpu, "
                        "--driver, --usage",
                        extent_text(asked.extent_px), error.what()));
    }
    return found;
}

/// Observations of any extent: images of other extents are evidence, too.
Answer<std::vector<db::ObservationRow>> rows_of(const db::Database& database, db::Filter filter,
                                                const ImageQuestion& question) {
    const Element& element = question.about.format.element;
    filter.extent.reset();
    filter.mode.clear();  // the mode is that of level 0: smaller levels may have others
    if (!question.pattern.empty()) {
        filter.pattern = db::resolve_pattern(database, question.pattern);
        check_element(db::pattern_summary(database, filter.pattern).layout.pattern, element, filter.format);
        filter.format.clear();  // a pattern has an element size, but no format
    }
    std::vector<db::ObservationRow> rows = db::find_observations(database, filter);
    const std::string& usage = question.about.usage;
    std::erase_if(rows, [&](const db::ObservationRow& row) {
        return !row.fact.layout || (!usage.empty() && row.fact.usage != usage);
    });
    if (!question.pattern.empty() && element.bytes != 0)
        for (db::ObservationRow& row : rows) row.fact.layout->pattern.element = element;
    if (!rows.empty()) return rows;
    const uint32_t samples = question.samples.value_or(1);
    if (question.flags.empty() && samples == 1) return Refusal{why_not_observed(database, filter)};
    const std::string asked = samples > 1 ? fmt::format("--samples {}", samples) : "--flags " + question.flags;
    return Refusal{fmt::format(
        "nobody has read such images with {0} there, and no rule covers them: without {0} another image may be known",
        asked)};
}

db::Chip chip_that_answers(const db::Database& database, const FoundGpu& gpu) {
    for (const db::ListedDevice& device : db::list_devices(database))
        if (std::ranges::find(gpu.devices, device.row) != gpu.devices.end())
            if (const std::optional<db::NamedGpu> named = db::gpu_of_device(device.fact)) return named->chip;
    return gpu.named->chip;
}

/// If another chip answers, says how often that chip and this one lay out images alike. Throws Error if that is not
/// often enough, unless the question allows assumptions.
void tell_odds(const db::Database& database, const Scope& asked, const ImageQuestion& question, FoundImage& found) {
    const FoundGpu& gpu = *asked.gpu;
    if (question.about.format.said.empty()) return;
    ImageKind image = asked_kind(question);
    image.usage.clear();
    Agreement odds;
    std::string line;
    if (!asked.stood_in_for.empty()) {
        db::Filter own;
        own.devices = asked.stood_in_for;
        own.driver = newest_driver(database, asked.stood_in_for);
        odds = agreement_of(find_rules(database, own), find_rules(database, asked.filter), image);
        if (odds.compared == 0) return;
        line = fmt::format("with Mesa's driver the chip itself lays out {} of {} usual images of this kind like this",
                           odds.alike, odds.compared);
    } else if (gpu.named && gpu.relative.empty() && !gpu.is_documented && gpu.named->chip.name != gpu.rests_on) {
        // Samsung's Xclipse GPUs are AMD's RDNA: the vendor is that of the chip that answers.
        const db::Chip chip = chip_that_answers(database, gpu);
        const auto within = [&](const std::string& architecture) {
            return agreement_within(database, chip.vendor, architecture, question.about.driver, image);
        };
        odds = within(chip.architecture);
        const bool is_alone = odds.compared == 0;
        if (is_alone) odds = within("");
        if (odds.compared == 0)
            line = fmt::format(
                "nobody has probed such images on two chips of {}, so how often they are alike is not known",
                chip.architecture);
        else
            line =
                fmt::format("of {} of {} that were probed, {} lay out this image alike", counted(odds.compared, "pair"),
                            is_alone ? fmt::format("{}'s chips of the same architecture", chip.vendor)
                                     : fmt::format("chips of {}", chip.architecture),
                            odds.alike);
    } else {
        return;
    }
    if (odds.compared > 0 && !odds.is_good() && !question.assume)
        throw Error(fmt::format("{}; {}: give --assume to get an answer anyway, or probe the chip", gpu.assumed, line));
    found.assumed.push_back(line);
    mark_assumed(found.image, {line});
}

/// See DeviceKnowledge::why_opaque.
std::string why_opaque(const db::Database& database, const db::Filter& filter, const ImageKind& asked) {
    const std::vector<db::ObservationRow> rows = db::find_observations(database, of_any_image(filter));
    const auto is_of = [&](const db::ObservationRow& row, std::string_view result) {
        return row.fact.result == result && row.fact.format == asked.format && row.fact.type == asked.type &&
               row.fact.samples == asked.samples && row.fact.flags == asked.flags;
    };
    for (const db::ObservationRow& opaque : rows)
        if (is_of(opaque, "opaque") && std::ranges::none_of(rows, [&](const db::ObservationRow& row) {
                return is_of(row, "exact") && row.fact.aspect == opaque.fact.aspect;
            }))
            return printable(fmt::format("no layout says where the {} of {} lies on {}: of an image of {}, {}",
                                         opaque.fact.aspect, opaque.fact.format, opaque.device.name,
                                         extent_text(opaque.fact.extent_px), opaque.fact.reason));
    return {};
}

}  // namespace

FoundImage find_image_in_scope(const db::Database& database, const ImageQuestion& question, const Scope& scope) {
    const ImageKind asked = asked_kind(question);
    db::Filter of_any_mode = scope.filter;
    of_any_mode.mode.clear();
    std::vector<db::ImageRuleRow> rules;
    if (may_be_predicted(question)) rules = find_rules(database, of_any_mode);
    const std::string of_another = scope.gpu ? scope.gpu->assumed : "";
    DeviceKnowledge knowledge = {rows_of(database, scope.filter, question), rules, of_another};
    if (may_be_predicted(question) && question.about.format.aspects.size() > 1) {
        // Where aspects lie follows from the rules of one device, not from those of several together.
        if (!scope.gpu && scope.filter.device.empty()) {
            Answer<FoundImage> seen = answer_of([&] { return lay_out(question, asked, std::move(knowledge)); });
            if (seen.index() == 0 || std::get<Refusal>(seen).is_wrong_question) return or_throw(std::move(seen));
            throw UsageError(
                fmt::format("where the planes or aspects of {} lie differs from GPU to GPU: choose by --gpu",
                            question.about.format.said));
        }
        knowledge.derived = predicted_aspects(database, scope.filter, asked);
        knowledge.why_opaque = why_opaque(database, scope.filter, asked);
    } else if (may_be_predicted(question)) {
        knowledge.derived = image_as_without_flags(database, scope.filter, asked);
    }
    if (may_be_predicted(question) && !knowledge.derived && knowledge.rows.index() != 0)
        knowledge.derived = image_of_other_footprint(database, scope.filter, asked);
    if (may_be_predicted(question) && !knowledge.derived) knowledge.derived = image_beyond_bounds(rules, asked);
    FoundImage found = lay_out(question, asked, std::move(knowledge));
    if (found.assumed.empty() || of_another.empty()) found.said = said_of(scope);
    if (!of_another.empty()) tell_odds(database, scope, question, found);
    return found;
}

Answer<FoundImage> find_image(const ImageQuestion& question, const DeviceKnowledge& knowledge) {
    return answer_of([&] {
        const ImageKind asked = asked_kind(question);
        FoundImage found = lay_out(question, asked, knowledge);
        // Observations and rules were already filtered by mode; a given layout may have another mode.
        if (!has_mode(found.image, question.about.mode))
            throw UsageError(fmt::format("--mode {}: the layout that is given has the mode {}; leave one out",
                                         printable(question.about.mode, 60),
                                         pattern_name(found.image.subresources.front().layout.pattern)));
        return found;
    });
}

}  // namespace tilewise
