// tilewise db diff: how two chips, two drivers or two databases differ on the same images.
#include "db/query/difference.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "system/files.h"
#include "tools/answers/add_once.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/image/rule_difference.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/files/files.h"
#include "tools/cli/options/open.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/terminal/progress.h"
#include "tools/cli/terminal/shell_word.h"
#include "tools/cli/texts/assumptions.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

namespace tilewise {

namespace {

struct DiffOptions {
    std::vector<std::string> files, gpus, drivers;
    std::string format;
    bool all = false;  ///< also what only one side knows
};

/// The value for one side: an option that was given once holds for both sides.
std::string one_of_two(const std::vector<std::string>& given, size_t side) {
    return given.empty() ? "" : given[std::min(side, given.size() - 1)];
}

/// A database, the scope of the question to it, and the name of this side.
struct NamedSide {
    db::Database database;
    Scope asked;
    std::string name;
};

NamedSide open_side(const DiffOptions& options, const Globals& globals, size_t side) {
    // One file is compared with the database of --db, or the user's own.
    const bool named = options.files.size() == 2 || (options.files.size() == 1 && side == 1);
    const std::string file = named ? options.files[options.files.size() == 2 ? side : 0] : "";
    std::error_code unknown;
    if (named && std::filesystem::is_regular_file(system::path_of(file), unknown) && !is_sqlite_file(file))
        throw Error(fmt::format("{}: is not a database; to make one from a bundle: tilewise --db NEW db import {}",
                                file, shell_word(file)));
    if (named && !std::filesystem::exists(system::path_of(file), unknown))
        throw Error(fmt::format("{}: no such file; two chips of one database are compared by --gpu, given twice",
                                printable(file)));
    // The note that the user has no database yet is printed once only.
    NamedSide opened{named       ? db::open_database(file, db::Access::read_only)
                     : side == 0 ? open_to_read(globals)
                                 : open_if_there(globals),
                     {},
                     {}};
    Question question;
    question.gpu = asked_gpu(one_of_two(options.gpus, side));
    question.driver = one_of_two(options.drivers, side);
    question.format = asked_format(options.format);
    opened.asked = ask(opened.database, question, GpuAnswer::all);
    tell_gpu(opened.asked);
    std::vector<std::string> parts;
    if (options.files.size() > 0) parts.push_back(opened.database.path);
    if (options.gpus.size() == 2) parts.push_back(fmt::format("{}", fmt::join(opened.asked.gpu->names, ", ")));
    if (options.drivers.size() == 2) parts.push_back("driver " + question.driver);
    opened.name = fmt::format("{}", fmt::join(parts, ", "));
    return opened;
}

std::vector<db::DriverFact> drivers_of(const NamedSide& side) {
    return side.asked.gpu ? db::drivers_of(side.database, side.asked.gpu->devices) : std::vector<db::DriverFact>();
}

/// If a GPU was seen with several driver versions, chooses one version for each side: the newest that both GPUs were
/// seen with, else each GPU's newest.
void choose_drivers(NamedSide& a, NamedSide& b) {
    std::vector<db::DriverFact> common = drivers_of(a);
    const std::vector<db::DriverFact> others = drivers_of(b);
    std::erase_if(common, [&](const db::DriverFact& driver) {
        return std::ranges::none_of(others, [&](const db::DriverFact& other) {
            return other.name == driver.name && other.info == driver.info;
        });
    });
    for (NamedSide* side : {&a, &b}) {
        std::optional<Scope> narrowed = of_newest_driver(side->database, side->asked);
        if (!narrowed) continue;  // there is only one version
        // Published tables on both sides have the driver "unknown", which is no version of this driver.
        std::vector<db::DriverFact> versions = common;
        std::erase_if(versions, [&](const db::DriverFact& driver) {
            return !narrowed->filter.driver.starts_with(driver.name + " ");
        });
        if (const auto newest = std::ranges::max_element(versions, has_older_version); newest != versions.end())
            narrowed->filter.driver = newest->name + " " + newest->info;
        side->asked = *std::move(narrowed);
    }
}

/// "86afc4ba55d19eb6 16x8 tile of 512 bytes, 4-byte elements"; or a result, such as "opaque".
std::string text_of(const std::set<std::string>& patterns, const db::Database& database) {
    std::vector<std::string> texts;
    texts.reserve(patterns.size());
    for (const std::string& pattern : patterns) {
        const std::vector<db::PatternSummary> known = db::find_patterns(database, {.pattern = pattern});
        texts.push_back(known.empty() ? pattern : pattern + " " + known.front().title);
    }
    return fmt::format("{}", fmt::join(texts, "; "));
}

/// Prints one line for all images that differ in the same way.
void print_pairs(const std::string& title, const std::vector<db::SubresourcePair>& pairs, const NamedSide& a,
                 const NamedSide& b) {
    if (pairs.empty()) return;
    using Alike = std::tuple<std::string, std::string, std::string, std::set<std::string>, std::set<std::string>>;
    std::map<Alike, std::vector<const db::SubresourcePair*>> alike;
    for (const db::SubresourcePair& pair : pairs)
        alike[{pair.of.device, pair.of.driver, pair.of.format, pair.a, pair.b}].push_back(&pair);
    print_line("");
    print_line(fmt::format("{}: {}", title, pairs.size()));
    const auto& first = pairs.front();
    std::vector<Row> rows = {{"format", "extents", "levels and layers"}};
    if (!first.of.device.empty() || !first.of.driver.empty()) rows.front().insert(rows.front().begin(), "whose");
    if (!first.a.empty()) rows.front().push_back(first.b.empty() || first.a == first.b ? "pattern" : "a");
    if (!first.b.empty() && first.a != first.b) rows.front().push_back(first.a.empty() ? "pattern" : "b");
    for (const auto& [same, members] : alike) {
        const auto& [device, driver, format, of_a, of_b] = same;
        std::vector<std::string> extents;
        for (const db::SubresourcePair* pair : members)
            if (const std::string extent = extent_text(pair->of.extent);
                std::ranges::find(extents, extent) == extents.end())
                extents.push_back(extent);
        Row row = {format, some_of(extents, 3), std::to_string(members.size())};
        if (!device.empty() || !driver.empty())
            row.insert(row.begin(),
                       device.empty() || driver.empty() ? device + driver : fmt::format("{} ({})", device, driver));
        if (!of_a.empty()) row.push_back(text_of(of_a, a.database));
        if (!of_b.empty() && of_a != of_b) row.push_back(text_of(of_b, b.database));
        rows.push_back(std::move(row));
    }
    print_table(rows, 2);
}

std::string formats_text(const std::vector<std::string>& formats) { return some_of(formats, 4); }

/// Prints how the rules that choose an image's layout differ, where both sides have learned them.
void print_rules(const RuleDifference& rules, bool same_device, bool all) {
    print_line("");
    print_line(fmt::format("rules: the same for {}, different for {}", counted(rules.same_formats.size(), "format"),
                           rules.other_formats.size()));
    std::vector<std::string> lines;  // rules for several usages may differ in the same way
    for (const RulePair& pair : rules.pairs) {
        if (pair.differing == 0 && !all) continue;
        const std::string device = same_device ? pair.a.device.name + ", " : "";
        add_once(lines, fmt::format("  {}{} {}: {} of {} images drawn at random are laid out differently{}", device,
                                    formats_text(pair.formats), image_type_name(pair.a.fact.image_type), pair.differing,
                                    pair.images, pair.first.empty() ? "" : ", first " + pair.first));
    }
    for (const std::string& line : lines) print_line(line);
    for (const auto& [side, rows] : {std::pair("a", &rules.only_a), {"b", &rules.only_b}}) {
        if (!all && !rows->empty())
            print_line(fmt::format("  only {} has {} more", side, counted(rows->size(), "rule")));
        if (!all) continue;
        for (const db::ImageRuleRow& row : *rows)
            print_line(fmt::format("  only {} has a rule of {} {} ({})", side, formats_text(split(row.fact.formats)),
                                   image_type_name(row.fact.image_type), row.device.name));
    }
}

/// "learned in 64x8, tiles of 1x16: 0.5069 ms"
std::string value_text(const db::TuningFact& fact) {
    return fmt::format("{}, {} in {}x{}{}: {:.4g} ms", fact.method, fact.order, fact.shape[0], fact.shape[1],
                       fact.group_order == "linear" ? "" : ", workgroups in " + fact.group_order, fact.median_ms);
}

std::string cell_text(const db::TuningFact& fact) {
    return fmt::format("{} {}{}, {}x{}", fact.kernel, fact.format,
                       fact.radius == 0 ? "" : fmt::format(", radius {}", fact.radius), fact.extent[0], fact.extent[1]);
}

/// "texels_2x2_per_us of R8G8B8A8_UNORM"
std::string cell_text(const db::FigureFact& fact) {
    return fact.format.empty() ? fact.name : fmt::format("{} of {}", fact.name, fact.format);
}

std::string value_text(const db::FigureFact& fact) {
    if (fact.interval[1] == 0) return fmt::format("{:.4g}", fact.value);
    return fmt::format("{:.4g} ({:.5g} to {:.5g})", fact.value, fact.interval[0], fact.interval[1]);
}

/// Prints what both sides have, and what only one of them `has`.
template <typename Fact>
void print_facts(const db::FactDifference<Fact>& facts, const std::string& title, const char* has, bool all) {
    if (facts.is_empty()) return;
    print_line("");
    print_line(title);
    for (const auto& pair : facts.other) {
        print_line(fmt::format("  {}", cell_text(pair.a.fact)));
        for (const auto& [side, row] : {std::pair("a", &pair.a), {"b", &pair.b}})
            print_line(fmt::format("    {}: {} ({})", side, value_text(row->fact), row->device.name));
    }
    for (const auto& [side, rows] : {std::pair("a", &facts.only_a), {"b", &facts.only_b}}) {
        if (!all && !rows->empty()) print_line(fmt::format("  only {} has {} {} more", side, has, rows->size()));
        if (!all) continue;
        for (const auto& row : *rows)
            print_line(fmt::format("  only {} has {} {}: {} ({})", side, has, cell_text(row.fact), value_text(row.fact),
                                   row.device.name));
    }
}

void diff(const DiffOptions& options, const Globals& globals) {
    if (options.files.empty() && options.gpus.size() < 2 && options.drivers.size() < 2)
        throw UsageError(
            "nothing to compare: give --gpu twice, --driver twice, or the file of another database; see tilewise db "
            "diff --help");
    NamedSide a = open_side(options, globals, 0), b = open_side(options, globals, 1);
    if (options.gpus.size() == 2 && options.drivers.empty()) choose_drivers(a, b);
    // Two files from one machine, before and after a driver update, have no version in common: then the two versions
    // are compared.
    std::vector<db::VersionPair> versions;
    if (!options.files.empty() && options.gpus.size() < 2 && options.drivers.size() < 2)
        versions = db::versions_to_compare({a.database, a.asked.filter}, {b.database, b.asked.filter});
    // An architecture beside itself has the same devices on both sides.
    const bool same_gpus = options.gpus.empty() || (options.gpus.size() == 2 && a.asked.gpu && b.asked.gpu &&
                                                    a.asked.gpu->names == b.asked.gpu->names);
    const db::SameOrigin same = {.device = same_gpus,
                                 .driver = options.gpus.size() < 2 && options.drivers.size() < 2,
                                 .versions = db::compared_as_one(versions)};
    const db::Difference found =
        db::difference_between({a.database, a.asked.filter}, {b.database, b.asked.filter}, same);
    for (const auto& [side, count] : {std::pair(&a, found.subresources_a), {&b, found.subresources_b}})
        if (count == 0) throw Error(db::why_nothing(side->database, side->asked.filter));
    Progress progress("rules");
    const auto rules_of = [&](const NamedSide& side) {
        std::vector<db::ImageRuleRow> rows = find_rules(side.database, side.asked.filter);
        const std::string& format = side.asked.filter.format;
        if (format.empty()) return rows;
        std::erase_if(rows, [&](const db::ImageRuleRow& row) { return !has_names(row.fact.formats, format); });
        for (db::ImageRuleRow& row : rows) row.fact.formats = format;
        return rows;
    };
    const RuleDifference rules = rule_difference(rules_of(a), rules_of(b), same, progress.listener());
    progress.hide();
    const db::TuningDifference tunings =
        db::tuning_difference({a.database, a.asked.filter}, {b.database, b.asked.filter}, same);
    const db::FigureDifference figures =
        db::figure_difference({a.database, a.asked.filter}, {b.database, b.asked.filter}, same);
    if (globals.json) {
        nlohmann::ordered_json json = {{"a", a.name}, {"b", b.name}, {"versions", nlohmann::ordered_json::array()}};
        for (const db::VersionPair& pair : versions)
            json["versions"].push_back({{"device", pair.device}, {"a", pair.a}, {"b", pair.b}});
        if (options.gpus.size() == 2) json["drivers"] = {{"a", a.asked.filter.driver}, {"b", b.asked.filter.driver}};
        json.update(db::to_json(found));
        json["rules"] = to_json(rules);
        json["tunings"] = db::to_json(tunings);
        json["figures"] = db::to_json(figures);
        return print_json(json);
    }
    print_columns({{"a", a.name, counted(found.subresources_a, "subresource")},
                   {"b", b.name, counted(found.subresources_b, "subresource")}});
    if (options.gpus.size() == 2)
        for (const auto& [letter, side] : {std::pair("a", &a), {"b", &b}})
            if (!side->asked.filter.driver.empty())
                print_line(fmt::format("driver of {}: {}", letter, side->asked.filter.driver));
    for (const db::VersionPair& pair : versions)
        print_line(fmt::format("versions compared, of {}: a {}, b {}", pair.device, pair.a, pair.b));
    print_line(fmt::format("same: {}; another pattern: {}; the same pattern placed differently: {}", found.same,
                           found.other_pattern.size(), found.other_placement.size()));
    if (const size_t one_side = found.only_a.size() + found.only_b.size(); one_side > 0)
        print_line(fmt::format("known of only one: {} of a, {} of b{}", found.only_a.size(), found.only_b.size(),
                               options.all ? "" : "; --all lists them"));
    print_pairs("another pattern (a, b)", found.other_pattern, a, b);
    print_pairs("the same pattern, with other strides, another base or other bytes", found.other_placement, a, b);
    if (options.all) {
        print_pairs("only in a", found.only_a, a, b);
        print_pairs("only in b", found.only_b, a, b);
    }
    if (rules.same > 0 || !rules.pairs.empty() || !rules.only_a.empty() || !rules.only_b.empty())
        print_rules(rules, same.device, options.all);
    print_facts(
        tunings,
        fmt::format("tune results: the same order for {} kernels, another for {}", tunings.same, tunings.other.size()),
        "tuned", options.all);
    print_facts(figures,
                fmt::format("figures: {} the same within their intervals, {} not", figures.same, figures.other.size()),
                "measured", options.all);
}

}  // namespace

void add_db_diff_command(CLI::App& commands, const Globals& globals) {
    auto* command = commands.add_subcommand("diff", "compare what is known of two chips, two drivers or two databases");
    auto options = std::make_shared<DiffOptions>();
    command->add_option("files", options->files, "another database, or two to be compared")->expected(0, 2);
    const auto twice = [&](const char* name, std::vector<std::string>& values, const char* what) {
        command->add_option(name, values, what)->expected(1)->take_all();
    };
    twice("-g,--gpu", options->gpus, "a product, chip, PCI id or architecture; give it twice to compare two");
    twice("--driver", options->drivers, "part of a driver's name or version; give it twice to compare two");
    command->add_option("-f,--format", options->format, "R8G8B8A8_UNORM");
    command->add_flag("--all", options->all, "also list what is known of only one of the two");
    command->callback([options, &globals] {
        if (options->gpus.size() > 2 || options->drivers.size() > 2)
            throw UsageError("give --gpu and --driver twice at most: two are compared");
        diff(*options, globals);
    });
}

}  // namespace tilewise
