#include "tools/answers/image/find_image.h"
#include "patterns/convert/assemble.h"
#include "patterns/model/drm_modifier.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/image_layout.h"
#include "patterns/model/mode_words.h"
#include "patterns/model/names.h"
#include "patterns/model/text.h"
#include "patterns/modes/defined_modes.h"
#include "probe/formats/formats.h"
#include "probe/formats/names.h"
#include "tools/answers/add_once.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/gpu/origins.h"
#include "tools/answers/image/agreement.h"
#include "tools/answers/image/alike_format.h"
#include "tools/answers/image/aspects.h"
#include "tools/answers/image/assembled_image.h"
#include "tools/answers/image/beyond_bounds.h"
#include "tools/answers/image/flagged_image.h"
#include "tools/answers/image/given_image.h"
#include "tools/answers/image/known_images.h"
#include "tools/answers/image/other_footprint.h"
#include "tools/answers/image/predicted_image.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <set>

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
std::string why_not_assembled(const KnownImages& known, bool has_rules, bool assume) {
    const uint32_t intel = db::vendor_id_of("Intel");
    const auto all_are = [&](const auto& is) { return std::ranges::all_of(known.rows, is); };
    if ((known.asked.levels > 1 || known.asked.layers > 1 || known.asked.extent_px[2] > 1) &&
        all_are([&](const db::ObservationRow& row) { return row.device.vendor_id == intel; }))
        return "levels, layers and slices of Intel's images are places in one tiled surface, which an image layout "
               "cannot express; ask for a 2D image with --levels 1 and --layers 1";
    if (!assume && all_are([](const db::ObservationRow& row) {
            return row.fact.provenance == "published table" || row.fact.provenance == "documented";
        }))
        return "public texts describe other images only, and chips choose other tiles for other sizes: give --assume "
               "to get an answer anyway, or probe the chip";
    if (!assume && has_rules)
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
            question.pattern.empty() ? why_not_assembled(known, !knowledge.rules.empty(), question.assume) : "";
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

/// The database's answer for the devices in `scope`.
FoundImage find_known_image(const db::Database& database, const ImageQuestion& question, const Scope& scope) {
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

/// The usages that something is known about for images of the format; those that include the asked usage come first.
std::vector<std::string> known_usages(const db::Database& database, const Scope& asked, const ImageQuestion& question) {
    db::Filter filter = asked.filter;
    filter.usage.clear();
    filter.extent.reset();
    filter.mode.clear();
    std::vector<std::string> usages;
    const auto add = [&](const std::string& usage) {
        if (!usage.empty() && std::ranges::find(usages, usage) == usages.end()) usages.push_back(usage);
    };
    for (const db::ObservationRow& row : db::find_observations(database, filter)) add(row.fact.usage);
    for (const db::ImageRuleRow& row : find_rules(database, filter))
        if (has_names(row.fact.formats, filter.format)) add(row.fact.usage);
    std::stable_partition(usages.begin(), usages.end(),
                          [&](const std::string& usage) { return has_names(usage, question.about.usage); });
    return usages;
}

/// The answer from observations and rules with exactly this usage.
Answer<FoundImage> find_with_usage(const db::Database& database, const ImageQuestion& question, const Scope& asked,
                                   const std::string& usage) {
    return answer_of([&] {
        ImageQuestion of_usage = question;
        Scope scope = asked;
        of_usage.about.usage = scope.filter.usage = usage;
        return find_known_image(database, of_usage, scope);
    });
}

/// Puts an assumption before all others.
void assume_first(FoundImage& found, const std::string& line) {
    found.assumed.insert(found.assumed.begin(), line);
    mark_assumed(found.image, {line});
}

std::string unprobed_usage(const std::string& usage, const std::string& other) {
    return fmt::format("nobody has probed such images with the usage {}; this is their layout with {}", usage,
                       other.empty() ? "another usage, which is not known" : other);
}

/// Decides whether what was read with one usage holds for another. If the driver asked for the same sizes wherever it
/// was asked with both usages, the answer is predicted. If it asked for another size for this very image, or for more
/// than one in ten of the images, the answer is refused. Else it is an assumption.
void carry_to_usage(const UsageComparison& compared, const std::string& usage, bool assume, FoundImage& found) {
    ImageLayout& image = found.image;
    const std::string what = (image.format.empty() ? "" : image.format + " ") + extent_text(image.extent_px);
    if (!compared.is_offered)
        throw Error(fmt::format("the driver offers no {} image with the usage {}", image.format, usage));
    if (compared.size && compared.beside && *compared.size != *compared.beside) {
        if (compared.size->bytes == 0)
            throw Error(fmt::format("the driver offers no {} with the usage {}", what, usage));
        throw Error(fmt::format(
            "{} with the usage {} takes {} bytes, aligned to {}, and with {}, which is known, {}: it is laid out "
            "differently, compressed or padded, and nobody has read how; ask without --usage for the latter, or probe "
            "--usage {}",
            what, usage, compared.size->bytes, compared.size->alignment, image.usage, compared.beside->bytes, usage));
    }
    if (compared.equal == compared.asked) {
        if (image.source == LayoutSource::probed) image.source = LayoutSource::predicted;
        image.evidence += fmt::format(
            "; that is with the usage {}: with {} the driver asks for the same size in all "
            "of {} images",
            image.usage, usage, compared.asked);
        image.usage = usage;
        return;
    }
    const std::string odds = fmt::format("in {} of {} images the driver asks for another size",
                                         compared.asked - compared.equal, compared.asked);
    if (10 * compared.equal < 9 * compared.asked && !assume)
        throw Error(
            fmt::format("nobody has probed {} images with the usage {}, and with {}, which is known, {}: give --assume "
                        "to get that answer anyway, or probe --usage {}",
                        image.format, usage, image.usage, odds, usage));
    assume_first(found, fmt::format("{}, and {}", unprobed_usage(usage, image.usage), odds));
}

/// The answer from images of another usage than the asked one, and how the sizes of the two usages compare.
struct OtherUsageAnswer {
    std::optional<UsageComparison> compared;
    Answer<FoundImage> answer;

    bool is_alike() const { return compared && compared->is_offered && compared->equal == compared->asked; }
    bool is_probed() const {
        return answer.index() == 0 && std::get<FoundImage>(answer).image.source == LayoutSource::probed;
    }
};

/// What was read with other usages may hold for the asked one. Usages whose sizes all agree with those of the asked
/// usage come first, and among these the ones that were probed. With `only_alike`, the remaining usages are left out:
/// they cannot improve on the answer that the caller has.
std::vector<OtherUsageAnswer> answers_by_other_usages(const db::Database& database, const ImageQuestion& question,
                                                      const Scope& asked, const std::vector<std::string>& usages,
                                                      bool only_alike) {
    const std::vector<db::UsageSizesRow> rows = find_usage_sizes(database, asked.filter, asked_kind(question));
    std::vector<OtherUsageAnswer> answers;
    for (const std::string& other : usages) {
        OtherUsageAnswer each = {compare_usages(rows, asked_kind(question), question.about.usage, other), Refusal{}};
        if (only_alike && !each.is_alike()) continue;
        each.answer = find_with_usage(database, question, asked, other);
        answers.push_back(std::move(each));
    }
    std::ranges::stable_sort(answers, std::greater(), [](const OtherUsageAnswer& each) {
        return std::pair(each.is_alike(), each.is_alike() && each.is_probed());
    });
    return answers;
}

/// Gives the image the asked usage if `compared` allows it; else throws Error.
void carry_or_assume(const std::optional<UsageComparison>& compared, const ImageQuestion& question, FoundImage& found) {
    const std::string& usage = question.about.usage;
    if (compared)
        carry_to_usage(*compared, usage, question.assume, found);
    else
        assume_first(found, unprobed_usage(usage, found.image.usage));
}

/// What is known about the asked usage answers first; then a usage with the same sizes; then any usage.
FoundImage find_image_of_usage(const db::Database& database, const ImageQuestion& question, const Scope& asked) {
    const std::string& usage = question.about.usage;
    if (usage.empty()) {
        FoundImage found = find_known_image(database, question, asked);
        found.other_usages = usages_that_differ(find_usage_sizes(database, asked.filter, found.image), found.image);
        return found;
    }
    std::vector<std::string> usages = known_usages(database, asked, question);
    const auto same = std::ranges::find(usages, probe::usage_named(usage), usage_bits);
    // An assumption from images of this very usage is worth less than facts about a usage with the same sizes.
    std::optional<FoundImage> assumed;
    if (same != usages.end()) {
        if (Answer<FoundImage> answer = find_with_usage(database, question, asked, *same); answer.index() == 0) {
            FoundImage found = or_throw(std::move(answer));
            if (found.assumed.empty()) return found;
            assumed = std::move(found);
        }
        usages.erase(same);
    }
    std::optional<Refusal> why_not;
    for (OtherUsageAnswer& each : answers_by_other_usages(database, question, asked, usages, assumed.has_value())) {
        if (each.answer.index() != 0) {
            if (!why_not) why_not = std::get<Refusal>(each.answer);
            continue;
        }
        FoundImage found = or_throw(std::move(each.answer));
        carry_or_assume(each.compared, question, found);
        if (!assumed || found.assumed.empty()) return found;
    }
    if (assumed) return *assumed;
    if (why_not) throw Error(why_not->why);
    ImageQuestion of_any_usage = question;
    Scope scope = asked;
    of_any_usage.about.usage.clear();
    scope.filter.usage.clear();
    FoundImage found = find_known_image(database, of_any_usage, scope);
    const std::vector<db::UsageSizesRow> rows = find_usage_sizes(database, asked.filter, asked_kind(question));
    carry_or_assume(compare_usages(rows, asked_kind(question), usage, found.image.usage), question, found);
    return found;
}

/// The newest version of a driver answers; an older one if the newest has no answer.
FoundImage find_image_by_driver(const db::Database& database, const ImageQuestion& question, const Scope& asked) {
    const std::optional<Scope> newest = of_newest_driver(database, asked);
    Answer<FoundImage> answer =
        answer_of([&] { return find_image_of_usage(database, question, newest.value_or(asked)); });
    if (newest && answer.index() != 0)
        if (Answer<FoundImage> of_any = answer_of([&] { return find_image_of_usage(database, question, asked); });
            of_any.index() == 0)
            answer = std::move(of_any);
    FoundImage found = or_throw(std::move(answer));
    if (std::string whose = whose_driver(database, asked); !whose.empty()) {
        if (found.said.empty()) whose.front() = 'T';  // "this is by Mesa's driver NVK" begins the sentence
        found.said += (found.said.empty() ? "" : "; ") + whose;
    }
    return found;
}

/// The other devices with the same chip: those that were not asked for, and were seen with a driver of the same name.
std::optional<Scope> others_of_chip(const db::Database& database, const ImageQuestion& question, const Scope& asked) {
    if (!asked.gpu || asked.gpu->rests_on.empty() || !asked.gpu->assumed.empty()) return {};
    Question chip = question.about;
    chip.gpu = asked_gpu(asked.gpu->rests_on);
    Scope others = ask(database, chip);
    if (!others.gpu || !others.gpu->assumed.empty()) return {};
    const std::vector<db::DriverFact> drivers = db::drivers_of(database, asked.gpu->devices);
    others.gpu->devices.clear();
    others.gpu->names.clear();
    for (const db::ListedDevice& device : db::list_devices(database)) {
        if (!others.filter.devices || std::ranges::count(*others.filter.devices, device.row) == 0 ||
            std::ranges::count(asked.gpu->devices, device.row) > 0)
            continue;
        const bool same_driver =
            std::ranges::any_of(db::drivers_of(database, {device.row}), [&](const db::DriverFact& driver) {
                return std::ranges::find(drivers, driver.name, &db::DriverFact::name) != drivers.end();
            });
        if (!same_driver) continue;
        others.gpu->devices.push_back(device.row);
        add_once(others.gpu->names, device.fact.name);
    }
    if (others.gpu->devices.empty()) return {};
    others.filter.devices = others.gpu->devices;
    return others;
}

/// If no such image was read on the device that is asked for: what is known about other devices with the same chip.
/// None if nothing about such images is known of those, either.
std::optional<FoundImage> image_of_same_chip(const db::Database& database, const ImageQuestion& question,
                                             const Scope& asked) {
    const std::optional<Scope> others = others_of_chip(database, question, asked);
    if (!others) return {};
    db::Filter of_format = of_any_image(asked.filter);
    of_format.format = question.about.format.name;
    for (const db::ObservationRow& row : db::find_observations(database, of_format))
        if (!row.fact.layout) return {};
    Answer<FoundImage> answer = answer_of([&] { return find_image_by_driver(database, question, *others); });
    if (answer.index() != 0) return {};
    FoundImage found = or_throw(std::move(answer));
    const std::vector<std::string>& names = others->gpu->names;
    const std::string line = printable(
        fmt::format("nobody has read such an image on {}; this is how it is on {}, which also {} that chip ({})",
                    fmt::join(asked.gpu->names, ", "), fmt::join(names, ", "), names.size() == 1 ? "has" : "have",
                    asked.gpu->rests_on));
    found.said.clear();
    found.assumed.insert(found.assumed.begin(), line);
    mark_assumed(found.image, {line});
    return found;
}

/// Throws UsageError for a usage that Vulkan does not allow for formats of that kind.
void require_possible_usage(const Question& about) {
    const probe::Format* const format = probe::find_format(about.format.name);
    if (!format) return;
    const bool has_depth = format->kind == probe::FormatKind::depth_stencil;
    const char* const impossible = has_depth ? "color" : "depth-stencil";
    if (has_names(about.usage, impossible))
        throw UsageError(fmt::format("--usage {}: no image of {}, a {} format, has that usage", impossible,
                                     format->name, has_depth ? "depth or stencil" : "color"));
}

/// A format that nobody has probed there is answered by one with alike elements: predicted if a rule depends on such
/// elements, else assumed.
FoundImage find_image_of(const db::Database& database, const ImageQuestion& question) {
    require_possible_usage(question.about);
    const Scope asked = ask(database, question.about);
    ImageQuestion without_guesses = question;
    without_guesses.assume = false;
    Answer<FoundImage> answer = answer_of([&] { return find_image_by_driver(database, without_guesses, asked); });
    const AskedFormat& format = question.about.format;
    if (answer.index() == 0 || !question.pattern.empty()) return or_throw(std::move(answer));
    if (!std::get<Refusal>(answer).is_wrong_question)
        if (std::optional<FoundImage> found = image_of_same_chip(database, without_guesses, asked))
            return std::move(*found);
    if (question.assume) answer = answer_of([&] { return find_image_by_driver(database, question, asked); });
    if (answer.index() == 0) return or_throw(std::move(answer));
    const ImageKind image = asked_kind(question);
    if (!is_unknown_there(database, asked, format, image)) return or_throw(std::move(answer));
    const AlikeFormats alike = formats_alike(database, asked, format, image);
    std::optional<Refusal> of_alike;
    for (const std::string& name : alike.names) {
        if (of_alike && alike.any_rule) break;  // what the nearest format's rule does not say, others do not know
        ImageQuestion of_other = question;
        of_other.about.format = asked_format(name);
        const Scope scope = ask(database, of_other.about);
        Answer<FoundImage> of_name = answer_of([&] { return find_image_by_driver(database, of_other, scope); });
        if (of_name.index() != 0) {
            if (!of_alike) of_alike = std::get<Refusal>(of_name);
            continue;
        }
        FoundImage found = or_throw(std::move(of_name));
        found.image.format = format.name;
        std::string line = alike_text(format, name);
        if (!is_of_one_family(format.name, name)) line += ", and whether the driver offers it is not known";
        if (alike.of_one_rule && found.assumed.empty() && is_of_one_family(format.name, name)) {
            found.image.source = LayoutSource::predicted;
            found.image.evidence += "; " + line;
        } else {
            found.assumed.push_back(line);
            mark_assumed(found.image, {line});
        }
        return found;
    }
    if (of_alike) answer = *std::move(of_alike);
    return or_throw(std::move(answer));
}

/// For an image that nobody read on the GPU. If all tiles that were read there are of one mode, which a text defines
/// for any format and size, returns a hint how to ask for that mode; else an empty text. AMD's and NVIDIA's modes are
/// left out: their blocks depend on the image, or on the chip.
std::string hint_of_a_definition(const db::Database& database, const ImageQuestion& question) {
    const Scope asked = ask(database, question.about);
    // Images with modifiers are 2D, and have one level and one sample.
    if (!asked.gpu || asked_kind(question).type != ImageType::two_d || question.levels.value_or(1) > 1 ||
        question.samples.value_or(1) > 1 || question.about.format.aspects.size() != 1 ||
        question.about.format.aspects.front() == Aspect::stencil)
        return "";
    db::Filter of_gpu;
    of_gpu.devices = asked.filter.devices;
    db::Filter of_format = of_gpu;
    of_format.format = question.about.format.name;
    if (of_format.format.empty()) return "";
    std::set<std::string> modes;
    for (const db::PatternSummary& summary : db::find_patterns(database, of_gpu))
        modes.insert(mode_of(summary.layout.pattern).modifier);
    const auto number = modes.size() == 1 ? drm_modifier_number(*modes.begin()) : std::nullopt;
    if (!number) return "";
    const DrmModifier modifier = decode_modifier(*number);
    if (modifier.vendor == "AMD" || modifier.vendor == "NVIDIA") return "";
    if (answer_of([&] {
            return defined_layout(request_of_modifier(*number), question.about.format.element);
        }).index() != 0)
        return "";  // the mode has no such elements
    return fmt::format(
        "; all images that were read there are in {0}: --modifier {0} in place of --gpu lays out an image by that "
        "definition",
        modifier.name);
}

/// If there is no answer, hints at what else may have one: NVIDIA's own driver in place of Mesa's, or a mode that a
/// text defines.
Answer<FoundImage> find_image_or_hint(const db::Database& database, const ImageQuestion& question) {
    Answer<FoundImage> answer = answer_of([&] { return find_image_of(database, question); });
    Refusal* refusal = std::get_if<Refusal>(&answer);
    if (!refusal || refusal->is_wrong_question || !question.about.driver.empty() || question.about.gpu.said.empty())
        return answer;
    ImageQuestion of_own = question;
    of_own.about.driver = "NVIDIA";
    const auto is_known = [&] {
        return !whose_driver(database, ask(database, question.about)).empty() &&
               answer_of([&] { return find_image_of(database, of_own); }).index() == 0;
    };
    const Answer<bool> own_knows = answer_of(is_known);
    if (const bool* knows = std::get_if<bool>(&own_knows); knows && *knows)
        refusal->why += "; NVIDIA's own driver was read on other chips and gives an answer: --driver nvidia";
    const Answer<std::string> defined = answer_of([&] { return hint_of_a_definition(database, question); });
    if (const std::string* hint = std::get_if<std::string>(&defined)) refusal->why += *hint;
    return answer;
}

}  // namespace

Answer<FoundImage> find_image(const ImageQuestion& question, const db::Database& database) {
    return find_image_or_hint(database, question);
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
