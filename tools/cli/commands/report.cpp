// tilewise report: shows what is known about a device, about two, or in the whole database.
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/text.h"
#include "system/files.h"
#include "system/folders.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/files/files.h"
#include "tools/cli/options/filter_options.h"
#include "tools/cli/options/open.h"
#include "tools/cli/page/report_page.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/terminal/progress.h"
#include "tools/cli/texts/assumptions.h"
#include "tools/cli/texts/report_text.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace tilewise {

namespace {

struct ReportOptions {
    std::vector<std::string> gpus, drivers;
    AskedFormat format;
    std::string extent = "1920x1080", output;
    bool open = false;
};

void write_report(const ReportOptions& options, const Globals& globals) {
    if (options.output == "-" && globals.json)
        throw UsageError("page and JSON would both go to standard output: write the page to a file");
    if (options.open && (options.output.empty() || options.output == "-"))
        throw UsageError("--open needs a page in a file: name it with --output");
    ReportRequest request = {options.gpus, options.drivers, parse_extent(options.extent), {}};
    if (!options.format.said.empty()) {
        require_known(options.format);
        request.format = options.format.name;
    }
    if (std::ranges::max(request.extent_px) > max_image_side_px)
        throw UsageError(fmt::format("--extent {}: larger than any image can be", options.extent));
    const db::Database database = open_to_read(globals);
    Progress progress("devices");
    const Report report = collect_report(database, request, {progress.listener(), progress.listener("patterns")});
    progress.hide();
    for (const std::string& note : report.notes) {
        const bool is_assumed = std::ranges::find(report.assumed, note) != report.assumed.end();
        is_assumed ? tell_assumed(note) : print_note(note + ".");
    }
    if (!options.output.empty()) {
        write_whole_file(options.output, report_page(report));
        print_note(fmt::format("{} (counted by driver) and {} (also predicted ones): open {} in a browser",
                               counted(report.devices.size(), "device"), counted(report.patterns.size(), "pattern"),
                               options.output));
        if (options.open && !system::open_for_user(system::path_of(options.output)))
            print_warning(fmt::format("no program here opens {} by itself: open it in a browser", options.output));
    }
    if (globals.json)
        print_json(to_json(report));
    else if (options.output.empty())
        print_report(report);
}

}  // namespace

void add_report_command(CLI::App& app, const Globals& globals) {
    auto* command = app.add_subcommand(
        "report", "write an HTML page about one device, two side by side, or the whole database; or the same as text");
    auto options = std::make_shared<ReportOptions>();
    command
        ->add_option("-g,--gpu", options->gpus,
                     "a product, chip or device; give it twice for two side by side; default: everything")
        ->expected(1)
        ->take_all();
    command
        ->add_option("--driver", options->drivers,
                     "part of a driver's name or version; give it twice for two side by side")
        ->expected(1)
        ->take_all();
    add_format_option(*command, options->format, "the format whose tile comes first; default: R8G8B8A8_UNORM");
    command->add_option("-e,--extent", options->extent, "size in texels of the images that are drawn as maps of memory")
        ->capture_default_str();
    command->add_option("--output,-o", options->output, "write the page to this file; without it, the report is text");
    command->add_flag("--open", options->open, "open the page of --output in a browser");
    command->callback([options, &globals] {
        if (options->gpus.size() > 2 || options->drivers.size() > 2)
            throw UsageError("--gpu and --driver are given twice at most: two are compared");
        write_report(*options, globals);
    });
}

}  // namespace tilewise
