#include "tools/answers/image/find_image.h"
#include "patterns/model/drm_modifier.h"
#include "patterns/model/error.h"
#include "patterns/model/names.h"
#include "patterns/model/text.h"
#include "patterns/modes/defined_modes.h"
#include "probe/formats/formats.h"
#include "tools/answers/add_once.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/gpu/origins.h"
#include "tools/answers/image/alike_format.h"
#include "tools/answers/image/image_of_usage.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace tilewise {

namespace {

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

/// The answer from a format with alike elements: predicted if a rule depends on such elements, else assumed. None if no
/// such format has one; `why_not` is then what the first of them lacks, if there is one.
std::optional<FoundImage> image_of_alike_format(const db::Database& database, const ImageQuestion& question,
                                                const Scope& asked, std::optional<Refusal>& why_not) {
    const AskedFormat& format = question.about.format;
    const AlikeFormats alike = formats_alike(database, asked, format, asked_kind(question));
    for (const std::string& name : alike.names) {
        if (why_not && alike.any_rule) break;  // what the nearest format's rule does not say, others do not know
        ImageQuestion of_other = question;
        of_other.about.format = asked_format(name);
        const Scope scope = ask(database, of_other.about);
        Answer<FoundImage> of_name = answer_of([&] { return find_image_by_driver(database, of_other, scope); });
        if (of_name.index() != 0) {
            if (!why_not) why_not = std::get<Refusal>(of_name);
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
    return std::nullopt;
}

/// What is known without guesses answers first: about the device, about other devices with its chip, about alike formats
/// if nobody has probed this one there. Only where all of these refuse, guesses answer, if the question allows them.
FoundImage find_image_of(const db::Database& database, const ImageQuestion& question) {
    require_possible_usage(question.about);
    const Scope asked = ask(database, question.about);
    ImageQuestion without_guesses = question;
    without_guesses.assume = false;
    Answer<FoundImage> answer = answer_of([&] { return find_image_by_driver(database, without_guesses, asked); });
    if (answer.index() == 0 || !question.pattern.empty()) return or_throw(std::move(answer));
    if (!std::get<Refusal>(answer).is_wrong_question)
        if (std::optional<FoundImage> found = image_of_same_chip(database, without_guesses, asked))
            return std::move(*found);
    // Drivers seldom have 3D images of depth or stencil: those of color formats say nothing about them.
    const ImageKind image = asked_kind(question);
    const probe::Format* const format = probe::find_format(image.format);
    const bool is_deep = image.type == ImageType::three_d;
    const bool has_alike = !(is_deep && format && format->kind == probe::FormatKind::depth_stencil);
    const bool is_unknown = has_alike && is_unknown_there(database, asked, question.about.format, image);
    std::optional<Refusal> of_alike;
    if (is_unknown)
        if (auto found = image_of_alike_format(database, without_guesses, asked, of_alike)) return std::move(*found);
    if (question.assume) {
        answer = answer_of([&] { return find_image_by_driver(database, question, asked); });
        if (answer.index() == 0) return or_throw(std::move(answer));
        if (is_unknown)
            if (auto found = image_of_alike_format(database, question, asked, of_alike)) return std::move(*found);
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

}  // namespace tilewise
