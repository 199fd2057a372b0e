// tilewise identify: which known layout a raw dump has, by which of them makes a picture of it.
#include "db/query/query.h"
#include "patterns/convert/convert.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/names.h"
#include "patterns/picture/picture.h"
#include "probe/formats.h"
#include "tools/commands/commands.h"
#include "tools/files/mapped_file.h"
#include "tools/files/png.h"
#include "tools/identify/possible_layouts.h"
#include "tools/identify/smoothness.h"
#include "tools/lookup/open.h"
#include "tools/terminal/parse.h"
#include "tools/terminal/print.h"
#include "tools/terminal/progress.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>

namespace tilewise {

namespace {

// What must be seen before a pattern is said to be the one. Of some hundred readings of noise the best is by chance 2 or
// 3 standard errors above the next.
constexpr double min_standard_errors = 6, min_confidence = 0.1;
// What share of the pairs across a border may be rougher than those beside them: between a half and all.
constexpr double most_rough = 0.6;

struct IdentifyOptions {
    std::string dump, extent, format, png;
    uint32_t element_bytes = 0;
    uint64_t base = 0;
    size_t top = 5;
};

/// Possible layouts that put every element at the same place: one picture.
struct Group {
    std::vector<PossibleLayout> choices;
    Contrast noise;  ///< its neighbours and random pairs

    const Layout& layout() const { return choices.front().layout; }
    double roughness() const { return noise.first; }
};

struct Verdict {
    Contrast noise;                 ///< of the best with random pairs
    std::optional<Contrast> rival;  ///< with the rival nearest to it
    double confidence = 0;          ///< by how much its own neighbours differ less: 0 not at all, 1 they are equal
    double standard_errors = 0;     ///< that this is above chance, at least
    std::optional<Border> broken;   ///< where the best is so rough that blocks must lie at wrong places
    bool found = false;
};

struct Subject {
    std::string name;
    std::span<const std::byte> bytes;
    Element element;
    Coord extent;
    std::vector<Channel> channels;

    TiledPicture by(const Layout& layout) const { return {bytes, extent, channels, layout}; }
};

uint64_t hash_of_offsets(const Layout& layout, const Coord& extent) {
    const AxisTables tables(layout, extent);
    std::vector<uint64_t> row(extent[axis_x]);
    uint64_t hash = 0;
    for (uint32_t z = 0; z < extent[axis_z]; z++)
        for (uint32_t y = 0; y < extent[axis_y]; y++) {
            tables.row(y, z, 0, row.data());
            for (const uint64_t offset : row) hash = (hash ^ offset) * 0x9e3779b97f4a7c15 + (hash >> 29);
        }
    return hash;
}

/// By roughness; the smoothest first.
std::vector<Group> ranked_groups(const Subject& subject, std::vector<PossibleLayout> choices, Progress& progress) {
    const Advance layouts = progress.listener();
    std::map<uint64_t, Group> groups;
    for (size_t i = 0; i < choices.size(); i++) {
        PossibleLayout& choice = choices[i];
        groups[hash_of_offsets(choice.layout, subject.extent)].choices.push_back(std::move(choice));
        tell(layouts, i + 1, choices.size());
    }
    progress.begin("pictures");
    const Advance pictures = progress.listener();
    std::vector<Group> ranked;
    for (auto& [hash, group] : groups) {
        group.noise = contrast_with_noise(subject.by(group.layout()));
        ranked.push_back(std::move(group));
        tell(pictures, ranked.size(), groups.size());
    }
    std::ranges::stable_sort(ranked, {}, &Group::roughness);
    return ranked;
}

/// The first group against each of the others, in their order.
std::vector<Contrast> contrasts_of_first(const Subject& subject, const std::vector<Group>& groups, Progress& progress) {
    progress.begin("comparisons");
    const Advance advance = progress.listener();
    std::vector<Contrast> result;
    for (size_t i = 1; i < groups.size(); i++) {
        result.push_back(contrast(subject.by(groups[0].layout()), subject.by(groups[i].layout())));
        tell(advance, i, groups.size() - 1);
    }
    return result;
}

/// Moves the group that no other beats to the front, if there is one: the roughness alone is not fair, for a wrong
/// reading may show padding in place of a part of the picture. Then says how far that group stands out.
Verdict verdict_of(const Subject& subject, std::vector<Group>& groups, Progress& progress) {
    const auto errors = &Contrast::standard_errors;
    std::vector<Contrast> rivals = contrasts_of_first(subject, groups, progress);
    for (size_t turns = 0; turns < groups.size() && !rivals.empty(); turns++) {
        const auto stronger = std::ranges::min_element(rivals, {}, errors);
        if (stronger->standard_errors > -min_standard_errors) break;
        const auto best = groups.begin() + 1 + (stronger - rivals.begin());
        std::rotate(groups.begin(), best, best + 1);
        rivals = contrasts_of_first(subject, groups, progress);
    }
    const Contrast& noise = groups.front().noise;
    Verdict verdict = {noise, {}, noise.gain(), noise.standard_errors, {}, false};
    if (!rivals.empty()) {
        verdict.rival = *std::ranges::min_element(rivals, {}, &Contrast::gain);
        verdict.confidence = std::min(verdict.confidence, verdict.rival->gain());
        verdict.standard_errors =
            std::min(verdict.standard_errors, std::ranges::min_element(rivals, {}, errors)->standard_errors);
    }
    const Border border = roughest_border(subject.by(groups.front().layout()), min_standard_errors);
    if (border.rough >= most_rough) verdict.broken = border;
    verdict.found =
        verdict.confidence >= min_confidence && verdict.standard_errors >= min_standard_errors && !verdict.broken;
    return verdict;
}

/// The options by which detile reads the dump that way.
std::string detile_options(const IdentifyOptions& options, const PossibleLayout& choice) {
    const Layout& layout = choice.layout;
    std::string text =
        fmt::format("--pattern {} --extent {}", choice.pattern.empty() ? "linear" : choice.pattern, options.extent);
    if (!options.format.empty()) text += fmt::format(" --format {}", options.format);
    for (const Axis a : {axis_x, axis_y, axis_z})
        if (layout.stride[a] != 0) text += fmt::format(" --stride-{} {}", axis_name(a), layout.stride[a]);
    if (layout.constant != 0) text += fmt::format(" --constant {}", layout.constant);
    if (layout.base != 0) text += fmt::format(" --base {}", layout.base);
    return text;
}

std::vector<std::string> devices_of(const Group& group) {
    std::vector<std::string> devices;
    for (const PossibleLayout& choice : group.choices)
        for (const std::string& device : choice.devices)
            if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
    return devices;
}

void print_groups(const std::vector<Group>& groups, size_t top) {
    std::vector<Row> rows = {{"roughness", "pattern", "tile", "strides", "devices"}};
    for (size_t i = 0; i < std::min(groups.size(), top); i++) {
        const Group& group = groups[i];
        const PossibleLayout& first = group.choices.front();
        std::vector<std::string> ids;
        for (const PossibleLayout& choice : group.choices) {
            const std::string id = choice.pattern.empty() ? "linear" : choice.pattern;
            if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
        }
        const std::vector<std::string> devices = devices_of(group);
        rows.push_back(
            {fmt::format("{:.3f}", group.roughness()), fmt::format("{}", fmt::join(ids, " ")),
             pattern_title(first.layout.pattern), first.placed,
             devices.empty()
                 ? ""
                 : fmt::format("{}{}", devices[0], devices.size() > 1 ? fmt::format(" +{}", devices.size() - 1) : "")});
    }
    print_columns(rows);
}

nlohmann::ordered_json groups_json(const std::vector<Group>& groups, size_t top) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (size_t i = 0; i < std::min(groups.size(), top); i++) {
        nlohmann::ordered_json layouts = nlohmann::ordered_json::array();
        for (const PossibleLayout& choice : groups[i].choices)
            layouts.push_back({{"pattern", choice.pattern.empty() ? "linear" : choice.pattern},
                               {"title", pattern_title(choice.layout.pattern)},
                               {"mode", to_json(mode_of(choice.layout.pattern))},
                               {"placed", choice.placed},
                               {"devices", choice.devices},
                               {"layout", to_json(choice.layout)}});
        list.push_back({{"roughness", groups[i].roughness()}, {"layouts", layouts}});
    }
    return list;
}

std::string verdict_text(const Verdict& verdict) {
    std::string text =
        fmt::format("neighbours differ {:.3f} times as much as random pairs of texels", verdict.noise.first);
    if (verdict.rival)
        text += fmt::format("; where it and its nearest rival disagree, {:.3f} against {:.3f}", verdict.rival->first,
                            verdict.rival->second);
    text += fmt::format(" ({:.0f} standard errors)", verdict.standard_errors);
    if (verdict.broken)
        text += fmt::format(
            "\nbroken along {} at odd multiples of {}: {:.0f}% of the neighbours across the border differ more than "
            "those "
            "beside it",
            axis_name(verdict.broken->axis), verdict.broken->step, 100 * verdict.broken->rough);
    return text;
}

nlohmann::ordered_json broken_json(const Verdict& verdict) {
    if (!verdict.broken) return nullptr;
    return {{"axis", std::string(1, axis_name(verdict.broken->axis))},
            {"step", verdict.broken->step},
            {"rough", verdict.broken->rough}};
}

std::string why_not(const Verdict& verdict) {
    if (verdict.noise.standard_errors < min_standard_errors || verdict.noise.gain() < min_confidence)
        return "the best reading is not clearly smoother than noise; check extent, format and --base; or the contents "
               "are noise or compressed";
    if (verdict.broken)
        return fmt::format(
            "the best reading is broken along {} at multiples of {}; check extent and --base; or its layout "
            "is not in the database, or the picture itself is made of such cells",
            axis_name(verdict.broken->axis), verdict.broken->step);
    return "the best reading is not clearly smoother than the next; check extent, format and --base; or the picture "
           "has too little detail";
}

Subject subject_of(const IdentifyOptions& options, const InputBytes& dump) {
    if (options.format.empty() == (options.element_bytes == 0))
        throw UsageError("give the elements by either --format or --element-bytes");
    Subject subject = {dump.name(), dump.bytes(), {options.element_bytes, 1, 1}, unit_extent, {}};
    if (!options.format.empty()) {
        const probe::Format& format = probe::format_named(options.format);
        subject.element = format.element;
        subject.channels = channels_of(format);
    } else {
        subject.channels = byte_channels(options.element_bytes);
    }
    const ParsedExtent extent = parse_extent(options.extent);
    subject.extent = {ceil_div(extent.width, subject.element.width), ceil_div(extent.height, subject.element.height),
                      extent.depth, 1};
    const uint64_t least = rows_bytes(subject.element, subject.extent);
    if (subject.bytes.size() < least)
        throw Error(fmt::format("{} has {} bytes, but an image of {} needs at least {}; check extent and format",
                                subject.name, subject.bytes.size(), options.extent, least));
    return subject;
}

void write_winner(const IdentifyOptions& options, const Subject& subject, const PossibleLayout& winner) {
    std::vector<std::byte> rows(rows_bytes(subject.element, subject.extent));
    detile(winner.layout, {{}, subject.extent}, subject.bytes, rows);
    write_png(options.png, rows, subject.element, subject.extent, subject.channels);
}

void identify(const IdentifyOptions& options, const Globals& globals) {
    if (options.png == "-") throw UsageError("--png needs a file name: the result itself goes to standard output");
    const InputBytes dump(options.dump);
    const Subject subject = subject_of(options, dump);
    PossibleLayouts choices =
        possible_layouts(open_to_read(globals), subject.element, subject.extent, options.base, subject.bytes.size());
    if (choices.fitting.empty())
        throw Error(
            fmt::format("{} has {} bytes: too few for any of the {} layouts tried at {}; check extent and --base",
                        subject.name, subject.bytes.size(), choices.too_large, options.extent));
    const size_t tried = choices.fitting.size();
    Progress progress("layouts");
    std::vector<Group> groups = ranked_groups(subject, std::move(choices.fitting), progress);
    const Verdict verdict = verdict_of(subject, groups, progress);
    progress.hide();
    const PossibleLayout& winner = groups.front().choices.front();
    const std::string command = fmt::format("tilewise detile {} OUT {}", options.dump, detile_options(options, winner));
    if (globals.json) {
        nlohmann::ordered_json json = {{"file", options.dump},
                                       {"bytes", subject.bytes.size()},
                                       {"verdict", verdict.found ? "found" : "none"},
                                       {"confidence", verdict.confidence},
                                       {"standard_errors", verdict.standard_errors},
                                       {"broken", broken_json(verdict)},
                                       {"layouts_tried", tried},
                                       {"layouts_too_large", choices.too_large},
                                       {"pictures", groups.size()}};
        if (verdict.found) json["command"] = command;
        json["ranking"] = groups_json(groups, options.top);
        print_json(json);
    } else {
        print_text(fmt::format("{} layouts tried, giving {} different pictures; {} others need more than {} bytes\n\n",
                               tried, groups.size(), choices.too_large, subject.bytes.size()));
        print_groups(groups, options.top);
        if (const std::string name = pattern_name(winner.layout.pattern); verdict.found && !name.empty())
            print_text(fmt::format("\nmode: {}\n", name));
        print_text(fmt::format("\nconfidence {:.2f}: {}\n", verdict.confidence, verdict_text(verdict)));
        if (verdict.found) print_line(command);
    }
    if (!verdict.found) {
        flush_stdout();
        throw Error(fmt::format("no pattern stands out in {}: {}", subject.name, why_not(verdict)));
    }
    if (!options.png.empty()) write_winner(options, subject, winner);
}

}  // namespace

void add_identify_command(CLI::App& app, const Globals& globals) {
    auto* command = app.add_subcommand("identify", "find which known pattern the raw dump of an image has");
    auto options = std::make_shared<IdentifyOptions>();
    command->add_option("dump", options->dump, "the memory of the image; - reads standard input")->required();
    command->add_option("--extent", options->extent, "256x200, or 64x64x32")->required();
    command->add_option("--format", options->format, "R8G8B8A8_UNORM");
    command->add_option("--element-bytes", options->element_bytes, "bytes per element, where the format is unknown")
        ->check(CLI::Range(1, 32));
    command->add_option("--base", options->base, "bytes before the image in the dump")->capture_default_str();
    command->add_option("--png", options->png, "write the picture, read by the pattern found, as PNG");
    command->add_option("--top", options->top, "readings to print")->check(CLI::Range(1, 1000))->capture_default_str();
    command->callback([options, &globals] { identify(*options, globals); });
}

}  // namespace tilewise
