// tilewise db: carry facts between machines, and maintain the file.
#include "db/bundle/bundle.h"
#include "db/query/check.h"
#include "db/query/query.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "tools/answers/image/plausible.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/files/files.h"
#include "tools/cli/files/shared_text.h"
#include "tools/cli/options/open.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/terminal/progress.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

namespace tilewise {

namespace {

using Json = nlohmann::ordered_json;

/// The texts of the contradictions that an import or a report found.
template <typename Found>
std::vector<std::string> contradiction_texts(const Found& found) {
    std::vector<std::string> texts;
    for (const db::Contradiction& contradiction : found.contradictions) texts.push_back(contradiction.text);
    for (const db::LaneContradiction& contradiction : found.lane_contradictions) texts.push_back(contradiction.text);
    return texts;
}

void print_contradictions(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) print_line("contradiction: " + text);
}

void export_database(const std::string& file, db::Facts which, const Globals& globals) {
    Progress progress("observations");
    const std::string text = db::export_bundle(open_to_read(globals), {}, progress.listener(), which);
    progress.hide();
    write_whole_file(file, text);
    if (globals.json && file != "-") print_json({{"file", file}, {"bytes", text.size()}});
}

void import_files(const std::vector<std::string>& files, const Globals& globals) {
    Progress progress("observations");
    std::vector<db::Bundle> bundles;
    bundles.reserve(files.size());
    for (const std::string& file : files)
        bundles.push_back({input_name(file),
                           [&file, &files, &progress] {
                               const auto number = static_cast<size_t>(&file - files.data()) + 1;
                               progress.begin(files.size() == 1 ? "observations"
                                                                : fmt::format("observations of bundle {} of {}", number,
                                                                              files.size()));
                               return bundle_in(read_whole_file(file), input_name(file));
                           },
                           [](const db::ObservationFact& fact) {
                               if (const std::string why = why_implausible(fact); !why.empty()) throw Error(why);
                           }});
    // A single bundle is read before the database is created, so that a mistyped name leaves no database behind.
    if (bundles.size() == 1) bundles[0].read = [text = bundles[0].read()]() mutable { return std::move(text); };
    db::Database database = open_to_write(globals);
    const db::Imported imported = db::import_bundles(database, bundles, progress.listener());
    progress.hide();
    if (globals.json) {
        Json json = {{"devices", imported.devices},
                     {"drivers", imported.drivers},
                     {"patterns", imported.patterns},
                     {"observations", imported.observations},
                     {"disagreements", imported.disagreements},
                     {"lane_orders", imported.lane_orders},
                     {"start_orders", imported.launch_orders},
                     {"rules", imported.rules},
                     {"validations", imported.validations},
                     {"tunings", imported.tunings},
                     {"figures", imported.figures},
                     {"usage_sizes", imported.usage_sizes},
                     {"known_observations", imported.known_observations},
                     {"contradictions", contradiction_texts(imported)}};
        return print_json(json);
    }
    const std::string counts[] = {counted(imported.devices, "device"),
                                  counted(imported.drivers, "driver"),
                                  counted(imported.patterns, "pattern"),
                                  counted(imported.observations, "observation"),
                                  counted(imported.disagreements, "disagreement"),
                                  counted(imported.lane_orders, "lane order"),
                                  counted(imported.launch_orders, "launch order"),
                                  counted(imported.rules, "rule"),
                                  counted(imported.validations, "validation"),
                                  counted(imported.tunings, "tune result"),
                                  counted(imported.figures, "figure"),
                                  fmt::format("{} by usage", counted(imported.usage_sizes, "size"))};
    print_line(fmt::format("new: {}; {} known already", fmt::join(counts, ", "),
                           counted(imported.known_observations, "observation")));
    print_contradictions(contradiction_texts(imported));
}

void check_file(const Globals& globals) {
    require_named_database(globals);  // a mistyped name must not count as a sound file
    const db::Database database = open_to_read(globals);
    Progress progress("observations");
    db::Report report = db::check_database(database, progress.listener());
    if (report.faults.empty())  // if there are faults, reading the rows may fail
        for (const db::ObservationRow& row : db::find_observations(database, {}))
            if (const std::string why = why_implausible(row.fact); !why.empty())
                report.faults.push_back(fmt::format("observation {}: {}", row.row, why));
    progress.hide();
    const std::vector<std::string> contradictions = contradiction_texts(report);
    if (globals.json) {
        print_json(db::to_json(report));
    } else {
        for (const std::string& fault : report.faults) print_line("fault: " + fault);
        print_contradictions(contradictions);
        if (report.faults.empty())
            print_line(fmt::format("{} is sound, with {} contradictions", database.path, contradictions.size()));
    }
    if (report.faults.empty()) return;
    flush_stdout();
    throw Error(fmt::format("{} has {} faults, the first: {}; import a bundle into a new file", database.path,
                            report.faults.size(), report.faults.front()));
}

void init_database(const Globals& globals) {
    const std::filesystem::path path = chosen_path(globals);
    std::error_code unknown;
    const bool was_there = std::filesystem::exists(path, unknown);
    const db::Stats stats = db::database_stats(open_to_write(globals));
    if (globals.json)
        return print_json({{"file", stats.path},
                           {"made", !was_there},
                           {"devices", stats.devices},
                           {"observations", stats.observations}});
    print_line(fmt::format("{}: {}, {}, {}", stats.path, was_there ? "was there already" : "made",
                           counted(stats.devices, "device"), counted(stats.observations, "observation")));
}

void print_statistics(const Globals& globals) {
    const db::Stats stats = db::database_stats(open_to_read(globals));
    if (globals.json) return print_json(db::to_json(stats));
    std::vector<Row> rows = {{"file", stats.path},
                             {"bytes", std::to_string(stats.bytes)},
                             {"schema", std::to_string(stats.schema)},
                             {"devices", std::to_string(stats.devices)},
                             {"drivers", std::to_string(stats.drivers)},
                             {"formats", std::to_string(stats.formats)},
                             {"patterns", std::to_string(stats.patterns)},
                             {"observations", std::to_string(stats.observations)}};
    for (const auto& [result, count] : stats.results) rows.push_back({"  " + result, std::to_string(count)});
    for (const auto& [provenance, count] : stats.provenance) rows.push_back({"  " + provenance, std::to_string(count)});
    rows.push_back({"disagreements", std::to_string(stats.disagreements)});
    rows.push_back({"lane orders", std::to_string(stats.lane_orders)});
    rows.push_back({"launch orders", std::to_string(stats.launch_orders)});
    rows.push_back({"rules", std::to_string(stats.rules)});
    rows.push_back({"validations", std::to_string(stats.validations)});
    rows.push_back({"tune results", std::to_string(stats.tunings)});
    rows.push_back({"figures", std::to_string(stats.figures)});
    rows.push_back({"sizes by usage", std::to_string(stats.usage_sizes)});
    print_columns(rows);
}

}  // namespace

void add_db_commands(CLI::App& app, const Globals& globals) {
    auto* commands = app.add_subcommand(
        "db",
        "carry facts between machines and maintain the database file: init, export, import, merge, diff, check, stats");
    commands->require_subcommand(0, 1);
    commands->callback([commands] {
        if (commands->get_subcommands().empty()) throw UsageError("no command of db given; see tilewise db --help");
    });

    auto export_to = std::make_shared<std::string>();
    auto which = std::make_shared<db::Facts>(db::Facts::all);
    auto* exporting = commands->add_subcommand("export", "write all facts as one JSON bundle");
    exporting->add_option("file", *export_to, "the file; - is standard output")->required();
    exporting->add_flag_callback(
        "--own", [which] { *which = db::Facts::own; },
        "only what was found here or imported, without the shipped catalog");
    exporting->callback([export_to, which, &globals] { export_database(*export_to, *which, globals); });

    auto import_from = std::make_shared<std::string>();
    auto* importing =
        commands->add_subcommand("import", "add the facts of a bundle, or of what tilewise share printed");
    importing->add_option("file", *import_from, "the file; - reads standard input")->required();
    importing->callback([import_from, &globals] { import_files({*import_from}, globals); });

    auto merged = std::make_shared<std::vector<std::string>>();
    auto* merging = commands->add_subcommand("merge", "add the facts of several bundles: of all of them, or of none");
    merging->add_option("files", *merged, "the files")->required();
    merging->callback([merged, &globals] { import_files(*merged, globals); });

    commands->add_subcommand("init", "create the database, with the shipped catalog in it")->callback([&globals] {
        init_database(globals);
    });

    add_db_diff_command(*commands, globals);

    commands->add_subcommand("check", "check that the file is sound, and list contradictions")->callback([&globals] {
        check_file(globals);
    });
    commands->add_subcommand("stats", "count what is in the file")->callback([&globals] { print_statistics(globals); });
}

}  // namespace tilewise
