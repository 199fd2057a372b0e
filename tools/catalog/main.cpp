// tilewise_catalog: rewrites one file of db/catalog. tools/make-catalog says what it is made from.
#include "db/bundle/bundle.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/text.h"
#include "patterns/rules/rule_json.h"
#include "probe/formats/formats.h"
#include "probe/learn/learn_rules.h"
#include "probe/learn/verify_rules.h"
#include "tools/catalog/amd_levels.h"
#include "tools/catalog/facts.h"
#include "tools/catalog/intake.h"
#include "tools/catalog/older_gobs.h"
#include "tools/catalog/tiling_program.h"
#include "tools/cli/files/files.h"
#include "tools/cli/terminal/print.h"
#include "tools/runs/probe/facts.h"
#include "tools/runs/probe/learning.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace tilewise {

namespace {

struct Options {
    std::string file;
    std::vector<std::string> sources;
    std::string vendor_id = "0", program, formats, extents;
    uint32_t levels = max_image_levels, layers = max_image_layers;
    size_t count = 200;
    bool keeps_earlier = false, learns = false, only_checks = false;
    CatalogFact about;
};

void write_catalog(const Options& options, const std::vector<CatalogFact>& facts, const CatalogOrders& orders = {}) {
    std::vector<CatalogFact> earlier;
    CatalogOrders earlier_orders;
    if (std::filesystem::exists(options.file)) {
        const std::string text = read_whole_file(options.file);
        earlier = bundle_facts(text, options.file);
        earlier_orders = bundle_orders(text, options.file);
    }
    const std::string bundle = catalog_bundle(facts, earlier, orders, earlier_orders);
    write_whole_file(options.file, bundle);
    const std::vector<CatalogFact> now = bundle_facts(bundle, options.file);
    print_line(fmt::format("{}: {} observations", options.file, now.size()));
    for (const std::string& line : changed_patterns(earlier, now)) print_line("  changed: " + line);
    for (const std::string& line : contradicting_orders(bundle, options.file)) print_line("  changed: " + line);
}

/// The facts that `read` finds in the text of a file; errors name the file.
template <typename Read>
std::vector<CatalogFact> facts_of(const std::string& file, Read read) {
    const std::string text = read_whole_file(file);
    std::vector<CatalogFact> facts;
    try {
        facts = read(text);
    } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", file, error.what()));
    }
    return facts;
}

[[noreturn]] void nothing_belongs(const std::string& file) {
    throw Error(fmt::format("{}: nothing in it belongs in the catalog", file));
}

template <typename Read>
std::vector<CatalogFact> facts_of_all(const std::vector<std::string>& files, Read read) {
    std::vector<CatalogFact> all;
    for (const std::string& file : files) {
        std::vector<CatalogFact> facts = facts_of(file, read);
        if (facts.empty()) nothing_belongs(file);
        std::ranges::move(facts, std::back_inserter(all));
    }
    return all;
}

/// A bundle. `device`: the name to use for its device if the driver's name (and probably its id) says nothing.
struct Source {
    std::string file, text, device = {};
};

/// Parses FILE or FILE=NAME.
Source source_of(const std::string& given) {
    const size_t equals = given.find('=');
    const std::string file = given.substr(0, equals);
    return {file, read_whole_file(file), equals == std::string::npos ? "" : given.substr(equals + 1)};
}

void write_bundles(const Options& options, const std::vector<Source>& sources) {
    std::vector<CatalogFact> all;
    CatalogOrders orders;
    for (const Source& source : sources) {
        const auto take = [&](auto rows, auto& into) {
            for (auto& row : rows) {
                if (!source.device.empty()) {
                    row.device.name = source.device;
                    row.device.device_id = 0;
                }
                into.push_back(std::move(row));
            }
        };
        std::vector<CatalogFact> facts = curated(bundle_facts(source.text, source.file));
        CatalogOrders found = bundle_orders(source.text, source.file);
        std::vector<db::ImageRuleRow> rules = curated_rules(std::move(found.rules));
        std::vector<db::UsageSizesRow> sizes = curated_sizes(std::move(found.sizes));
        // A driver with a substitute device name has no GPU that could run anything.
        found = source.device.empty() ? curated_orders(std::move(found)) : CatalogOrders();
        if (facts.empty() && rules.empty() && found.validations.empty() && found.tunings.empty() &&
            found.figures.empty() && sizes.empty())
            nothing_belongs(source.file);
        take(std::move(facts), all);
        take(std::move(rules), orders.rules);
        take(std::move(sizes), orders.sizes);
        std::ranges::move(found.lanes, std::back_inserter(orders.lanes));
        std::ranges::move(found.launches, std::back_inserter(orders.launches));
        std::ranges::move(found.validations, std::back_inserter(orders.validations));
        std::ranges::move(found.tunings, std::back_inserter(orders.tunings));
        std::ranges::move(found.figures, std::back_inserter(orders.figures));
    }
    if (options.keeps_earlier) {
        const std::string text = read_whole_file(options.file);
        std::ranges::move(bundle_facts(text, options.file), std::back_inserter(all));
        std::ranges::move(rules_left(bundle_orders(text, options.file).rules, orders.rules),
                          std::back_inserter(orders.rules));
    }
    drop_opaque_of_read_aspects(all);
    write_catalog(options, all, orders);
}

void read_bundles(const Options& options) {
    std::vector<Source> sources;
    for (const std::string& given : options.sources) sources.push_back(source_of(given));
    write_bundles(options, sources);
}

/// All texts are checked before any file is written.
void take_in(const Options& options) {
    db::Database catalog = catalog_of_folder(options.file);
    std::vector<Intake> taken;
    for (const std::string& source : options.sources) {
        Intake intake = checked_intake(read_whole_file(source), input_name(source), catalog, options.learns);
        const db::Imported imported = db::import_bundle(catalog, intake.bundle, source);
        for (const db::Contradiction& found : imported.contradictions)
            intake.remarks.push_back("contradiction: " + found.text);
        for (const db::LaneContradiction& found : imported.lane_contradictions)
            intake.remarks.push_back("contradiction: " + found.text);
        taken.push_back(std::move(intake));
    }
    const std::filesystem::path folder = std::filesystem::path(options.file) / "shared";
    for (const Intake& intake : taken) {
        for (const std::string& remark : intake.remarks) print_line(remark);
        if (options.only_checks) continue;
        std::filesystem::create_directories(folder);
        Options write;
        write.file = (folder / intake.file).string();
        write.keeps_earlier = std::filesystem::exists(write.file);
        write_bundles(write, {{write.file, intake.bundle}});
    }
}

void rewrite(const std::string& file) {
    const std::string text = read_whole_file(file);
    write_whole_file(file, catalog_bundle(bundle_facts(text, file), {}, {}, bundle_orders(text, file)));
}

void add_rules_before_turing(const std::string& file, const std::string& h100) {
    const std::string text = read_whole_file(file);
    const std::vector<CatalogFact> facts = bundle_facts(text, file);
    CatalogOrders orders = bundle_orders(text, file);
    orders.rules = rules_before_turing(bundle_orders(read_whole_file(h100), h100).rules, facts);
    write_whole_file(file, catalog_bundle(facts, {}, {}, orders));
}

std::vector<Extent_px> extents_of(const Options& options) {
    std::vector<Extent_px> extents;
    for (const std::string& extent : split(options.extents)) extents.push_back(parse_extent(extent));
    return extents;
}

/// Writes the images that a program lays out for one device into a file of the catalog.
void write_images(Options& options) {
    options.about.device.vendor_id = static_cast<uint32_t>(std::stoul(options.vendor_id, nullptr, 16));
    options.about.fact.time += "T00:00:00Z";
    std::vector<CatalogFact> facts =
        image_facts(images_of_program(options.program), probe::format_names_in(split(options.formats)),
                    extents_of(options), options.about);
    if (options.keeps_earlier)
        std::ranges::move(bundle_facts(read_whole_file(options.file), options.file), std::back_inserter(facts));
    write_catalog(options, facts);
}

/// Reduces a bundle to the sizes by usage of one device and driver, and writes into it how a program lays out images for
/// it: a few images, and rules. 3D images are left out: no rule explains those of AMD's GPUs before RDNA, of which the
/// program is.
void learn_from_program(const Options& options) {
    const std::string text = read_whole_file(options.file);
    CatalogOrders orders;
    for (db::UsageSizesRow& row : bundle_orders(text, options.file).sizes)
        if (row.device.name.find(options.about.device.name) != std::string::npos)
            orders.sizes.push_back(std::move(row));
    if (orders.sizes.empty())
        throw Error(fmt::format("{} has no sizes by usage of {}", options.file, options.about.device.name));
    CatalogFact about = options.about;
    about.device = orders.sizes.front().device;
    about.driver = orders.sizes.front().driver;
    about.fact.time = db::utc_now();
    about.fact.tool_version = TILEWISE_VERSION;
    const std::vector<std::string> formats = probe::format_names_in(split(options.formats));
    const std::vector<Extent_px> extents = extents_of(options);
    ImageSource images = images_of_program(options.program);
    images.max_levels = options.levels;
    images.max_layers = std::min(images.max_layers, options.layers);
    const std::vector<CatalogFact> facts = image_facts(images, formats, extents, about);
    std::vector<Rule> known;
    for (const std::string& source : options.sources)
        for (const db::ImageRuleRow& row : bundle_orders(read_whole_file(source), source).rules)
            known.push_back(rule_from_json(row.fact.rule));
    const LearnedImages wanted = {.formats = formats, .types = {ImageType::two_d, ImageType::one_d}, .samples = {1}};
    ImageSource with_levels = images;
    with_levels.max_levels = max_image_levels;
    /// Whether drawn images lie as the rule says; prints what differs.
    const auto is_true = [&](Rule rule, const std::vector<std::string>& of, const char* what) {
        constexpr size_t count = 500;
        constexpr uint32_t max_side = 4096;
        rule.formats = of;
        const Verification v = verify_rules(with_levels, {rule}, count, 3, max_side, {});
        print_line(fmt::format("  {}: {} of {} drawn images lie as it says{}", what, v.exact, v.drawn,
                               v.differences.empty() ? "" : "; " + v.differences.front()));
        return v.exact == v.drawn;
    };
    /// The rule, if possible of several levels; none if it does not hold.
    const auto checked = [&](const LearnedKind& kind) -> std::optional<Rule> {
        const std::optional<Rule> extended = with_amd_levels(*kind.rule);
        if (extended && is_true(*extended, kind.formats, "several levels")) return extended;
        if (is_true(*kind.rule, kind.formats, "as learned")) return kind.rule;
        return std::nullopt;
    };
    const auto keep = [&](const LearnedKind& kind) {
        print_line(outcome_of(kind));
        flush_stdout();
        if (!kind.rule) return;
        const std::optional<Rule> rule = checked(kind);
        if (!rule) return;
        db::ImageRuleRow row;
        row.device = about.device;
        row.driver = about.driver;
        row.fact = rule_fact(*rule, kind.formats);
        row.fact.provenance = about.fact.provenance;
        orders.rules.push_back(std::move(row));
    };
    constexpr uint64_t seed = 1;
    learn_device(images, wanted, seed, std::move(known), keep);
    write_whole_file(options.file, catalog_bundle(facts, {}, orders));
}

/// Prints how many random images lie where the rules of a device say. Throws Error if one does not.
void verify_by_program(const Options& options) {
    std::vector<Rule> rules;
    for (const db::ImageRuleRow& row : bundle_orders(read_whole_file(options.file), options.file).rules)
        if (row.device.name.find(options.about.device.name) != std::string::npos) {
            rules.push_back(rule_from_json(row.fact.rule));
            rules.back().formats = split(row.fact.formats);
        }
    if (rules.empty()) throw Error(fmt::format("{} has no rule of {}", options.file, options.about.device.name));
    constexpr uint64_t seed = 77;
    constexpr uint32_t max_side = 4096;
    const Verification v = verify_rules(images_of_program(options.program), rules, options.count, seed, max_side, {});
    for (const std::string& difference : v.differences) print_line(difference);
    print_line(fmt::format("{}: {} images drawn, {} exact, {} different, {} refused, {} not read",
                           options.about.device.name, v.drawn, v.exact, v.different, v.refused, v.unread));
    if (v.different > 0 || v.unread > 0) throw Error("an image does not lie as its rule says");
}

void read_columns(Options& options) {
    options.about.device.vendor_id = static_cast<uint32_t>(std::stoul(options.vendor_id, nullptr, 16));
    options.about.fact.time += "T00:00:00Z";
    write_catalog(options, facts_of_all(options.sources,
                                        [&](const std::string& text) { return column_facts(text, options.about); }));
}

void run(int argc, char** argv) {
    CLI::App app("Writes one file of the catalog anew; what it said before keeps its date.", "tilewise_catalog");
    app.require_subcommand(1);
    Options options;
    const auto add = [&](const char* name, const char* what) {
        CLI::App* command = app.add_subcommand(name, what);
        command->add_option("file", options.file, "the file of db/catalog")->required();
        command->add_option("sources", options.sources)->required();
        return command;
    };
    CLI::App* bundles =
        add("bundles", "FILE or FILE=DEVICE: what belongs in the catalog of what `tilewise db export` wrote");
    bundles->add_flag("--keep", options.keeps_earlier, "add to what the file has, rather than write it anew");

    CLI::App* tables = add("tables", "published tables");

    CLI::App* columns = add("columns", "XOR columns of whole images");
    db::ObservationFact& fact = options.about.fact;
    columns->add_option("--vendor-id", options.vendor_id, "0x8086");
    columns->add_option("--type", options.about.device.type);
    columns->add_option("--driver", options.about.driver.name);
    columns->add_option("--driver-id", options.about.driver.id);
    columns->add_option("--driver-info", options.about.driver.info);
    columns->add_option("--driver-version", options.about.driver.version);
    columns->add_option("--usage", fact.usage);
    columns->add_option("--route", fact.route);
    columns->add_option("--provenance", fact.provenance);
    columns->add_option("--source", fact.reason, "where the columns are from, in one line");
    columns->add_option("--time", fact.time, "the day: 2026-11-21");

    CLI::App* rewritten = app.add_subcommand("rewrite", "what a file says, as this version writes it");
    rewritten->add_option("file", options.file, "the file of db/catalog")->required();

    CLI::App* learned =
        app.add_subcommand("learn", "adds images and rules from a program (tiling_program.h) to a bundle");
    learned->add_option("file", options.file, "a bundle with the device's sizes by usage")->required();
    learned->add_option("--device", options.about.device.name, "a part of the device's name")->required();
    learned->add_option("sources", options.sources, "bundles whose rules are tried first");
    learned->add_option("--program", options.program, "a command of the shell")->required();
    learned->add_option("--formats", options.formats)->required();
    learned->add_option("--extents", options.extents, "the images to keep besides")->required();
    learned->add_option("--source", fact.reason, "what the program is, in one line")->required();
    learned->add_option("--route", fact.route)->required();
    learned->add_option("--levels", options.levels, "the most levels of the images that are asked for");
    learned->add_option("--layers", options.layers, "the most layers");
    learned->add_option("--provenance", fact.provenance)->required();

    CLI::App* images = app.add_subcommand("images", "images of one device, from a program (tiling_program.h)");
    images->add_option("file", options.file, "the file of db/catalog")->required();
    images->add_option("--device", options.about.device.name)->required();
    images->add_option("--vendor-id", options.vendor_id)->required();
    images->add_option("--driver", options.about.driver.name)->required();
    images->add_option("--provenance", fact.provenance)->required();
    images->add_option("--route", fact.route)->required();
    images->add_option("--source", fact.reason)->required();
    images->add_option("--time", fact.time)->required();
    images->add_option("--program", options.program)->required();
    images->add_option("--formats", options.formats)->required();
    images->add_option("--extents", options.extents)->required();
    images->add_flag("--keep", options.keeps_earlier, "add to what the file has");

    CLI::App* verified = app.add_subcommand("verify", "compares the rules of one device in a file with a program");
    verified->add_option("file", options.file, "the file of db/catalog")->required();
    verified->add_option("--device", options.about.device.name, "part of the device's name")->required();
    verified->add_option("--program", options.program, "a command of the shell")->required();
    verified->add_option("--count", options.count, "how many images");

    CLI::App* older =
        add("rules-before-turing", "the rules that an H100's file has, as those of the file's older chips");

    CLI::App* intake = add("intake", "FILE: what `tilewise share` printed; the file is the folder db/catalog");
    intake->add_flag("--learn", options.learns, "learn the rules that its images suffice for");
    intake->add_flag("--check", options.only_checks, "write nothing");

    CLI::App* page = add("page", "docs/catalog.md, of the files of db/catalog");

    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp& help) {
        app.exit(help);
        return;
    }
    if (bundles->parsed()) read_bundles(options);
    if (tables->parsed()) write_catalog(options, facts_of_all(options.sources, published_facts));
    if (columns->parsed()) read_columns(options);
    if (images->parsed()) write_images(options);
    if (verified->parsed()) verify_by_program(options);
    if (learned->parsed()) learn_from_program(options);
    if (older->parsed()) add_rules_before_turing(options.file, options.sources.front());
    if (rewritten->parsed()) rewrite(options.file);
    if (intake->parsed()) take_in(options);
    if (page->parsed()) {
        const auto all = [](const std::string& text) { return bundle_facts(text, "bundle"); };
        std::vector<db::ImageRuleRow> rules;
        for (const std::string& file : options.sources)
            std::ranges::move(bundle_orders(read_whole_file(file), file).rules, std::back_inserter(rules));
        write_whole_file(options.file, catalog_page(facts_of_all(options.sources, all), rules));
    }
}

}  // namespace

}  // namespace tilewise

int main(int argc, char** argv) {
    try {
        tilewise::run(argc, argv);
        return 0;
    } catch (const CLI::Error& error) {
        tilewise::print_note(fmt::format("tilewise_catalog: {}", error.what()));
        return 2;
    } catch (const std::exception& error) {
        tilewise::print_note(fmt::format("tilewise_catalog: {}", error.what()));
        return 1;
    }
}
