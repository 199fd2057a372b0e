// tilewise identify: finds which known layout a raw dump has: the one that makes a picture of it.
#include "tools/answers/identify/identify.h"
#include "db/query/query.h"
#include "patterns/convert/convert.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/names.h"
#include "patterns/model/text.h"
#include "patterns/picture/picture.h"
#include "probe/formats/formats.h"
#include "tools/answers/question.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/files/mapped_file.h"
#include "tools/cli/files/png.h"
#include "tools/cli/options/open.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/terminal/progress.h"
#include "tools/cli/terminal/shell_word.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace tilewise {

namespace {

struct IdentifyOptions {
    std::string dump, extent, format, png;
    uint32_t element_bytes = 0;
    uint64_t base = 0;
    size_t top = 5;
};

struct Subject {
    std::string name;
    Element element;
    Dump dump;
};

/// The options that make detile read the dump in that layout.
std::string detile_options(const IdentifyOptions& options, const PossibleLayout& choice) {
    const Layout& layout = choice.layout;
    std::string text = fmt::format("--pattern {}", choice.pattern.empty() ? "linear" : choice.pattern);
    if (choice.mode) {
        text = "--mode " + choice.mode->mode;
        for (const auto& [name, value] : choice.mode->parameters) text += fmt::format(" --param {}={}", name, value);
    }
    text += " --extent " + options.extent;
    if (!options.format.empty())
        text += " --format " + shell_word(options.format);
    else if (choice.mode || choice.pattern.empty())
        text += fmt::format(" --element-bytes {}", options.element_bytes);
    for (const Axis a : {axis_x, axis_y, axis_z})
        if (layout.stride[a] != 0) text += fmt::format(" --stride-{} {}", axis_name(a), layout.stride[a]);
    if (layout.constant != 0) text += fmt::format(" --constant {}", layout.constant);
    if (layout.base != 0) text += fmt::format(" --base {}", layout.base);
    return text;
}

std::vector<std::string> devices_of(const Reading& reading) {
    std::vector<std::string> devices;
    for (const PossibleLayout& choice : reading.choices)
        for (const std::string& device : choice.devices)
            if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
    return devices;
}

void print_ranking(const std::vector<Reading>& ranking, size_t top) {
    std::vector<Row> rows = {{"roughness", "pattern", "tile", "strides", "devices"}};
    for (size_t i = 0; i < std::min(ranking.size(), top); i++) {
        const Reading& reading = ranking[i];
        const PossibleLayout& first = reading.choices.front();
        std::vector<std::string> ids;
        for (const PossibleLayout& choice : reading.choices) {
            const std::string id = choice.pattern.empty() ? "linear" : choice.pattern;
            if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
        }
        const std::vector<std::string> devices = devices_of(reading);
        rows.push_back(
            {fmt::format("{:.3f}", reading.roughness()), fmt::format("{}", fmt::join(ids, " ")),
             pattern_title(first.layout.pattern),
             first.placed + (first.layout.constant == 0 ? "" : fmt::format(", constant {}", first.layout.constant)),
             devices.empty()
                 ? ""
                 : fmt::format("{}{}", devices[0], devices.size() > 1 ? fmt::format(" +{}", devices.size() - 1) : "")});
    }
    print_table(rows);
}

nlohmann::ordered_json ranking_json(const std::vector<Reading>& ranking, size_t top) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (size_t i = 0; i < std::min(ranking.size(), top); i++) {
        nlohmann::ordered_json layouts = nlohmann::ordered_json::array();
        for (const PossibleLayout& choice : ranking[i].choices)
            layouts.push_back({{"pattern", choice.pattern.empty() ? "linear" : choice.pattern},
                               {"title", pattern_title(choice.layout.pattern)},
                               {"mode", to_json(mode_of(choice.layout.pattern))},
                               {"placed", choice.placed},
                               {"devices", choice.devices},
                               {"layout", to_json(choice.layout)}});
        list.push_back({{"roughness", ranking[i].roughness()}, {"layouts", layouts}});
    }
    return list;
}

std::string verdict_text(const Verdict& verdict) {
    std::string text =
        fmt::format("neighbours differ {:.3f} times as much as random pairs of texels", verdict.noise.first);
    if (verdict.rival)
        text += fmt::format("; where it and its nearest rival disagree, {:.3f} against {:.3f}", verdict.rival->first,
                            verdict.rival->second);
    const long errors = std::lround(verdict.standard_errors);
    text += fmt::format(" ({} standard error{})", errors, errors == 1 ? "" : "s");
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

std::string why_not(const Verdict& verdict, std::span<const std::byte> dump) {
    if (std::ranges::adjacent_find(dump, std::not_equal_to()) == dump.end())
        return "all its bytes are the same; give the dump of an image with a picture in it";
    if (verdict.noise.standard_errors < min_standard_errors || verdict.noise.gain() < min_confidence)
        return "the best reading is not clearly smoother than noise; check extent, format and --base; or the contents "
               "are noise, compressed or of one color";
    if (verdict.broken)
        return fmt::format(
            "the best reading is broken along {} at multiples of {}; check extent and --base; or its layout "
            "is not in the database, or the picture itself is made of such cells",
            axis_name(verdict.broken->axis), verdict.broken->step);
    return "the best reading is not clearly smoother than the next; check extent, format and --base; or the picture "
           "has too little detail";
}

/// Throws UsageError if the dump is a file with a header, whose rows would be read as if the header were texels.
void require_raw(std::span<const std::byte> bytes, const std::string& name) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> signatures = {
        {{"\xABKTX 20\xBB", "KTX2"}, {"\xABKTX 11\xBB", "KTX"}, {"DDS |", "DDS"}, {"\x89PNG", "PNG"}}};
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (const auto& [signature, kind] : signatures)
        if (text.starts_with(signature))
            throw UsageError(
                fmt::format("{} is a {} file, whose rows lie in row order; identify is for the raw memory "
                            "of an image: give --base if that follows a header",
                            name, kind));
}

Subject subject_of(const IdentifyOptions& options, const InputBytes& file) {
    if (options.format.empty() == (options.element_bytes == 0))
        throw UsageError("give either --format or --element-bytes");
    Subject subject = {file.name(), {options.element_bytes, 1, 1}, {file.bytes(), unit_extent, {}}};
    Dump& dump = subject.dump;
    if (options.base == 0) require_raw(dump.bytes, subject.name);
    if (!options.format.empty()) {
        require_one_aspect(asked_format(options.format));
        const probe::Format& format = probe::format_named(options.format);
        subject.element = format.element;
        dump.channels = channels_of(format);
    } else {
        dump.channels = byte_channels(options.element_bytes);
    }
    const Extent_px extent = parse_extent(options.extent);
    dump.extent = {ceil_div(extent[0], subject.element.width), ceil_div(extent[1], subject.element.height), extent[2],
                   1};
    const uint64_t least = rows_bytes(subject.element, dump.extent);
    if (dump.bytes.size() < least)
        throw Error(fmt::format("{} has {} bytes, but an image of {} needs at least {}; check extent and format",
                                subject.name, dump.bytes.size(), options.extent, least));
    return subject;
}

void write_winner(const IdentifyOptions& options, const Subject& subject, const PossibleLayout& winner) {
    const Dump& dump = subject.dump;
    std::vector<std::byte> rows(rows_bytes(subject.element, dump.extent));
    detile(winner.layout, {{}, dump.extent}, dump.bytes, rows);
    write_png(options.png, rows, subject.element, dump.extent, dump.channels);
}

void identify(const IdentifyOptions& options, const Globals& globals) {
    if (options.png == "-") throw UsageError("--png needs a file name: the result itself goes to standard output");
    const InputBytes file(options.dump);
    const Subject subject = subject_of(options, file);
    const Dump& dump = subject.dump;
    PossibleLayouts choices =
        possible_layouts(open_to_read(globals), subject.element, dump.extent, options.base, dump.bytes.size());
    if (choices.fitting.empty())
        throw Error(
            fmt::format("{} has {} bytes: too few for any of the {} layouts tried at {}; check extent and --base",
                        subject.name, dump.bytes.size(), choices.too_large, options.extent));
    const size_t tried = choices.fitting.size();
    Progress progress("layouts");
    const auto [ranking, verdict] = identify_dump(dump, std::move(choices.fitting), [&](const char* unit) {
        progress.begin(unit);
        return progress.listener();
    });
    progress.hide();
    const PossibleLayout& winner = ranking.front().choices.front();
    const std::string command =
        fmt::format("tilewise detile {} OUT {}", shell_word(options.dump), detile_options(options, winner));
    if (globals.json) {
        nlohmann::ordered_json json = {{"file", options.dump},
                                       {"bytes", dump.bytes.size()},
                                       {"verdict", verdict.found ? "found" : "none"},
                                       {"confidence", verdict.confidence},
                                       {"standard_errors", verdict.standard_errors},
                                       {"broken", broken_json(verdict)},
                                       {"layouts_tried", tried},
                                       {"layouts_too_large", choices.too_large},
                                       {"pictures", ranking.size()}};
        if (verdict.found) json["command"] = command;
        json["ranking"] = ranking_json(ranking, options.top);
        print_json(json);
    } else {
        print_text(fmt::format("{} tried, giving {}; {} need{} more than {} bytes\n\n", counted(tried, "layout"),
                               counted(ranking.size(), "different picture"), counted(choices.too_large, "other"),
                               choices.too_large == 1 ? "s" : "", dump.bytes.size()));
        print_ranking(ranking, options.top);
        if (const std::string name = pattern_name(winner.layout.pattern); verdict.found && !name.empty())
            print_text(fmt::format("\nmode: {}\n", name));
        print_text(fmt::format("\nconfidence {:.2f}: {}\n", verdict.confidence, verdict_text(verdict)));
        if (verdict.found) print_line(command);
    }
    const Pattern& pattern = winner.layout.pattern;
    const uint64_t end = tiled_bytes(winner.layout, whole_tiles(pattern, dump.extent));
    if (verdict.found && end < dump.bytes.size())
        print_note(
            fmt::format("{} bytes follow these {}. If a header precedes them instead, give its length by --base{}.",
                        dump.bytes.size() - end, pattern.is_linear() ? "rows" : "tiles: levels, layers, padding",
                        pattern.is_linear() ? ": a picture in rows is as smooth wherever it begins" : ""));
    if (!verdict.found) {
        flush_stdout();
        throw Error(fmt::format("no pattern stands out in {}: {}", subject.name, why_not(verdict, dump.bytes)));
    }
    if (!options.png.empty()) write_winner(options, subject, winner);
}

}  // namespace

void add_identify_command(CLI::App& app, const Globals& globals) {
    auto* command = app.add_subcommand("identify", "find which known pattern the raw dump of an image has");
    auto options = std::make_shared<IdentifyOptions>();
    command->add_option("dump", options->dump, "the memory of the image; - reads standard input")->required();
    command->add_option("-e,--extent", options->extent, "256x200, or 64x64x32")->required();
    command->add_option("-f,--format", options->format, "R8G8B8A8_UNORM");
    command->add_option("--element-bytes", options->element_bytes, "bytes per element, if the format is unknown")
        ->check(CLI::Range(1, 32));
    command->add_option("--base", options->base, "bytes before the image in the dump")->capture_default_str();
    command->add_option("--png", options->png, "write the picture, read with the pattern found, as PNG");
    command->add_option("--top", options->top, "readings to print")->check(CLI::Range(1, 1000))->capture_default_str();
    command->callback([options, &globals] { identify(*options, globals); });
}

}  // namespace tilewise
