// tilewise share: reads the most common images of a device, and prints everything found on it as one text for the
// catalog. It sends nothing.
#include "db/bundle/share.h"
#include "db/facts/json.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/files/files.h"
#include "tools/cli/files/shared_text.h"
#include "tools/cli/options/open.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/terminal/progress.h"
#include "tools/runs/interrupt.h"
#include "tools/runs/probe/facts.h"
#include "tools/runs/share/read_device.h"
#include "tools/runs/validate/workbench.h"
#include <CLI/CLI.hpp>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <utility>

namespace tilewise {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

/// The page that takes shared texts. Empty if this build names none.
constexpr std::string_view address = TILEWISE_SHARE_ADDRESS;

struct ShareOptions {
    std::string device, output;
    double seconds = 120;
    bool learn = false;
};

constexpr double learning_seconds = 600;

/// Says what will be done, and what the text will contain, before anything is read.
void tell_intent(const probe::DeviceInfo& device, const ShareOptions& options, const std::string& database) {
    std::vector<std::string> parts;
    for (const SharedPart& part : parts_to_share()) parts.emplace_back(part.name);
    print_note(
        fmt::format("Reads {}: {}; then which invocation runs in which lane, and in which order workgroups "
                    "start. At most {:.0f} s{}; kept in {}.",
                    device.name, fmt::join(parts, ", "), options.seconds,
                    options.learn ? fmt::format(", and {:.0f} s to learn rules", learning_seconds) : "", database));
    print_note(
        "The text will name the device, its driver and their versions, and say how images are laid out and what was "
        "timed here; it has no UUID and no name of a user, a host or a file. Nothing is sent: whether you send it is "
        "up to you.");
}

/// The contents of the text, as the rows of a table.
std::vector<Row> contents(const db::SharedFacts& shared) {
    std::vector<Row> rows = {
        {"in it", fmt::format("{} of {}, {}", counted(shared.observations, "reading"),
                              counted(shared.formats, "format"), counted(shared.patterns, "pattern"))}};
    std::vector<std::string> others;
    const std::pair<uint64_t, const char*> counts[] = {
        {shared.lane_orders, "lane order"}, {shared.launch_orders, "launch order"}, {shared.rules, "rule"},
        {shared.validations, "timing"},     {shared.tunings, "tune result"},        {shared.figures, "figure"}};
    if (shared.usage_sizes > 0) others.emplace_back("sizes by usage");
    for (const auto& [count, noun] : counts)
        if (count > 0) others.push_back(counted(count, noun));
    if (!others.empty()) rows.push_back({"", fmt::format("{}", fmt::join(others, ", "))});
    rows.push_back({"not in it", "UUIDs, names of users, hosts and files"});
    return rows;
}

void print_result(const db::SharedFacts& shared, const ReadForSharing& read, const std::string& file,
                  const std::string& text) {
    print_line(fmt::format("{}, {}", shared.device.name, driver_text(shared.driver)));
    std::vector<Row> rows = contents(shared);
    if (!read.left_out.empty())
        rows.push_back(
            {"left out", fmt::format("for lack of time: {}; the next run reads them", fmt::join(read.left_out, ", "))});
    for (const std::string& line : read.refused) rows.push_back({"left out", line});
    rows.push_back({"file", fmt::format("{}, {} characters", file.empty() ? "none" : file, text.size())});
    rows.push_back({"send to", address.empty() ? "the maintainer of the catalog that this program came with; this "
                                                 "build names no address (TILEWISE_SHARE_ADDRESS)"
                                               : std::string(address)});
    print_columns(rows);
    print_text("\n" + text);
}

Json document(const db::SharedFacts& shared, const ReadForSharing& read, const LearnedForSharing& learned,
              const std::string& file, const std::string& text, const std::string& database, double seconds) {
    return {{"tool_version", TILEWISE_VERSION},
            {"database", database},
            {"device", db::to_json(shared.device)},
            {"driver", db::to_json(shared.driver)},
            {"seconds", seconds},
            {"read", read.read},
            {"known", read.known},
            {"learned", learned.rules},
            {"left_out", read.left_out},
            {"refused", read.refused},
            {"contents",
             {{"observations", shared.observations},
              {"formats", shared.formats},
              {"patterns", shared.patterns},
              {"usage_sizes", shared.usage_sizes},
              {"lane_orders", shared.lane_orders},
              {"start_orders", shared.launch_orders},
              {"rules", shared.rules},
              {"validations", shared.validations},
              {"tunings", shared.tunings},
              {"figures", shared.figures}}},
            {"file", file.empty() ? Json(nullptr) : Json(file)},
            {"address", address.empty() ? Json(nullptr) : Json(address)},
            {"text", text}};
}

/// Writes the text, and returns the file's name; empty if there is no file. Even if no file can be written, the text is
/// printed: it took two minutes.
std::string write_text_file(const std::string& text, const probe::DeviceInfo& device, const ShareOptions& options) {
    if (options.output == "-") return "";
    std::string file =
        options.output.empty() ? fmt::format("tilewise-share-{}.txt", file_name_of(device.name)) : options.output;
    try {
        write_whole_file(file, text);
    } catch (const Error& error) {
        print_warning(fmt::format("The text was not saved to a file: {}.", error.what()));
        return "";
    }
    return file;
}

void share(const ShareOptions& options, const Globals& globals) {
    const Clock::time_point start = Clock::now();
    const auto after = [](Clock::time_point from, double seconds) {
        return from + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    };
    stop_on_signals();
    const probe::DeviceInfo device = choose_device(options.device);
    db::Database database = open_to_write(globals);
    tell_intent(device, options, database.path);
    ReadForSharing read;
    LearnedForSharing learned;
    {
        Progress progress("readings");
        read = read_for_sharing(device, database, after(start, options.seconds), interrupted,
                                [&](uint64_t done, const std::string& name) { progress.show(done, name); });
    }
    if (options.learn && !interrupted) {
        Progress progress("images");
        learned = learn_for_sharing(device, database, after(Clock::now(), learning_seconds), interrupted,
                                    [&](size_t images) { progress.show(images, "learning rules"); });
        if (learned.ran_out_of_time) read.left_out.emplace_back("rules of more formats");
    }
    if (interrupted)
        throw Error(fmt::format("interrupted; what was read is kept in {}: run it again for the rest", database.path));
    const db::SharedFacts shared = db::share_facts(database, device_fact(device), driver_fact(device));
    if (shared.observations == 0)
        throw Error(fmt::format("nothing could be read from {}: tilewise probe --device {} says why", device.name,
                                device.index));
    const std::string text = shared_text(shared.bundle);
    const std::string file = write_text_file(text, device, options);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (globals.json) return print_json(document(shared, read, learned, file, text, database.path, seconds));
    print_result(shared, read, file, text);
    flush_stdout();
    if (file.empty() && !options.output.empty() && options.output != "-")
        throw Error(fmt::format("{} was not written; the text is printed above", printable(options.output, 200)));
}

}  // namespace

void add_share_command(CLI::App& app, const Globals& globals) {
    auto* command = app.add_subcommand(
        "share", "write a text for the catalog, within two minutes, of what was found on this device; nothing is sent");
    auto options = std::make_shared<ShareOptions>();
    command->add_option("-g,--device,--gpu", options->device,
                        "a device's number, name, product or chip; default: the first GPU");
    command->add_option("-o,--output", options->output,
                        "the file for the text, or - for none; default: tilewise-share-DEVICE.txt in this folder");
    command->add_option("--seconds", options->seconds, "time for reading the device; what does not fit is left out")
        ->check(CLI::Range(1.0, 86400.0))
        ->capture_default_str();
    command->add_flag("--learn", options->learn, "also learn rules, for ten minutes at most");
    command->callback([options, &globals] { share(*options, globals); });
}

}  // namespace tilewise
