// tilewise formats: which formats there are, and for which of them a GPU is known.
#include "probe/formats/formats.h"
#include "patterns/model/text.h"
#include "probe/formats/names.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/image/predicted_image.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/options/filter_options.h"
#include "tools/cli/options/open.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/texts/assumptions.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>
#include <set>

namespace tilewise {

namespace {

/// What is known about a device in one format.
struct FormatUse {
    std::set<std::string> patterns;
    bool has_rule = false;
};

/// "depth, stencil" for a format that has both.
std::string kind_text(const probe::Format& format) {
    switch (format.kind) {
        case probe::FormatKind::color:
            return "color";
        case probe::FormatKind::compressed:
            return "compressed";
        case probe::FormatKind::depth_stencil: {
            std::vector<std::string> names;
            for (const probe::Aspect& aspect : probe::aspects_of(format))
                names.push_back(probe::aspect_name(aspect.bit));
            return fmt::format("{}", fmt::join(names, ", "));
        }
        case probe::FormatKind::ycbcr:
            return "YCbCr";
    }
    return "";
}

bool has_kind(const probe::Format& format, const std::string& word) {
    const std::vector<std::string> kinds = split(to_lower(kind_text(format)), ' ');
    return std::ranges::any_of(kinds, [&](const std::string& kind) { return kind.starts_with(to_lower(word)); });
}

std::map<std::string, FormatUse> uses_of(const db::Database& database, const Scope& asked) {
    std::map<std::string, FormatUse> uses;
    for (const db::PatternSummary& pattern : db::find_patterns(database, asked.filter))
        for (const std::string& format : pattern.formats) uses[format].patterns.insert(pattern.id);
    for (const db::ImageRuleRow& rule : find_rules(database, asked.filter))
        if (rule.fact.flags.empty())
            for (const std::string& format : split(rule.fact.formats)) uses[format].has_rule = true;
    return uses;
}

void list_formats(const Question& question, const std::vector<std::string>& words, const Globals& globals) {
    std::optional<Scope> asked;
    std::map<std::string, FormatUse> uses;
    if (names_origin(question)) {
        const db::Database database = open_to_read(globals);
        asked = ask(database, question);
        tell_gpu(*asked);
        uses = uses_of(database, *asked);
        if (uses.empty()) throw Error(db::why_nothing(database, asked->filter));
    }
    const auto has_words = [&](const probe::Format& format) {
        return std::ranges::all_of(words, [&](const std::string& word) {
            const probe::Format* named = probe::find_format(word);
            return to_lower(format.name).find(to_lower(word)) != std::string::npos || named == &format ||
                   has_kind(format, word) || (named == nullptr && probe::has_usual_name(format, word));
        });
    };
    nlohmann::ordered_json json = {{"formats", nlohmann::ordered_json::array()}};
    if (asked && asked->gpu) json["gpu"] = to_json(*asked->gpu);
    std::vector<Row> rows = {{"format", "kind", "bytes", "texels"}};
    if (asked) rows.front().insert(rows.front().end(), {"patterns read", "rule"});
    for (const probe::Format& format : probe::known_formats()) {
        if (!has_words(format) || (asked && !uses.contains(format.name))) continue;
        const Element& element = format.element;
        rows.push_back({format.name, kind_text(format), std::to_string(element.bytes),
                        fmt::format("{}x{}", element.width, element.height)});
        nlohmann::ordered_json one = {
            {"format", format.name},
            {"kind", kind_text(format)},
            {"id", format.id},
            {"element", {{"bytes", element.bytes}, {"width", element.width}, {"height", element.height}}}};
        if (asked) {
            const FormatUse& use = uses.at(format.name);
            rows.back().insert(rows.back().end(), {std::to_string(use.patterns.size()), use.has_rule ? "yes" : "no"});
            one["patterns"] = use.patterns;
            one["rule"] = use.has_rule;
        }
        json["formats"].push_back(std::move(one));
    }
    if (rows.size() == 1) {
        if (const auto known = std::ranges::count_if(probe::known_formats(), has_words); asked && known > 0)
            throw Error(fmt::format("nothing is known about {} on that GPU: no image was read, and no rule was learned",
                                    known == 1 ? "that format" : fmt::format("any of these {} formats", known)));
        if (words.size() == 1) probe::format_named(words.front());  // names those that are near it
        throw UsageError("no format's name has all these words; tilewise formats lists all formats");
    }
    if (globals.json) return print_json(json);
    print_table(rows);
}

}  // namespace

void add_formats_command(CLI::App& app, const Globals& globals) {
    auto* command = app.add_subcommand("formats", "list the formats; with --gpu, those that are known on that GPU");
    auto options = std::make_shared<Question>();
    auto words = std::make_shared<std::vector<std::string>>();
    command->add_option("words", *words, "parts of a name, or a kind: BC, SRGB, RGBA8, depth");
    add_gpu_option(*command, "-g,--gpu", options->gpu, "a product, chip, PCI id or architecture");
    command->add_option("--driver", options->driver, "part of a driver's name or version");
    command->callback([options, words, &globals] {
        list_formats(*options, split(fmt::format("{}", fmt::join(*words, " ")), ' '), globals);
    });
}

}  // namespace tilewise
