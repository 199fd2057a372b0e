// tilewise: how this GPU lays images out in memory. One file a command; this one reads the options and turns what goes
// wrong into one line and an exit code (0 done, 1 the work could not be done, 2 wrong usage).
#include "patterns/model/error.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/help/examples.h"
#include "tools/cli/help/suggest.h"
#include "tools/cli/terminal/print.h"
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <string>

namespace tilewise {

namespace {

int fail(std::string message, int code) {
    // Messages of drivers and libraries may end in line breaks.
    message.erase(message.find_last_not_of(" \n") + 1);
    print_warning("tilewise: " + message);
    return code;
}

void run(int argc, char** argv) {
    CLI::App app("Learns how GPUs lay out the texels of OPTIMAL-tiled images in memory.", "tilewise");
    Globals globals;
    app.fallthrough();             // inherited: global options may follow the command
    app.require_subcommand(0, 1);  // a missing one is reported below, so that an unknown one is named first
    app.set_version_flag("--version", "tilewise " TILEWISE_VERSION);
    app.add_option("--db", globals.database,
                   "the database file; by default $TILEWISE_DB, else in the user's data folder");
    app.add_flag("--json", globals.json, "print one JSON document on stdout");
    app.add_flag_callback("--wide", be_wide, "tables as wide as they are, on a terminal too");
    app.add_flag_callback("--quiet", be_quiet,
                          "no progress and no notes on stderr; errors, warnings and what had to be assumed stay");
    add_devices_command(app, globals);
    add_probe_command(app, globals);
    add_solve_command(app, globals);
    add_query_command(app, globals);
    add_show_command(app, globals);
    add_layout_command(app, globals);
    add_snippet_command(app, globals);
    add_advise_command(app, globals);
    add_measure_command(app, globals);
    add_validate_command(app, globals);
    add_tune_command(app, globals);
    add_tile_commands(app, globals);
    add_identify_command(app, globals);
    add_report_command(app, globals);
    add_db_commands(app, globals);
    add_help_commands(app);
    add_examples(app);
    try {
        app.parse(argc, argv);
        if (app.get_subcommands().empty()) throw UsageError("no command given; see tilewise --help");
    } catch (const CLI::CallForHelp&) {
        print_text(app.help());
    } catch (const CLI::CallForVersion& version) {
        print_text(std::string(version.what()) + "\n");
    } catch (const CLI::ExtrasError&) {
        throw UsageError(explain_extras(app));
    } catch (const CLI::ParseError& error) {
        const std::string command = chosen_command(app);
        throw UsageError(
            fmt::format("{}; see tilewise {}", error.what(), command.empty() ? "--help" : "help " + command));
    }
    flush_stdout();
}

}  // namespace

}  // namespace tilewise

int main(int argc, char** argv) {
    using namespace tilewise;
    std::signal(SIGPIPE, SIG_IGN);  // a closed pipe becomes an error of the write
    try {
        run(argc, argv);
        return 0;
    } catch (const StdoutError& error) {
        std::fclose(stdout);
        if (error.closed) return 1;
        return fail(
            fmt::format("cannot write the result: {}; free some space or write elsewhere", std::strerror(error.error)),
            1);
    } catch (const UsageError& error) {
        return fail(error.what(), 2);
    } catch (const std::bad_alloc&) {
        return fail("out of memory; try a smaller table or image", 1);
    } catch (const std::exception& error) {
        return fail(error.what(), 1);
    }
}
