// tilewise: how this GPU lays images out in memory. One file a command; this one reads the options and turns what goes
// wrong into one line and an exit code (0 done, 1 the work could not be done, 2 wrong usage).
#include "patterns/model/error.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/files/temporary_file.h"
#include "tools/cli/help/examples.h"
#include "tools/cli/help/suggest.h"
#include "tools/cli/terminal/print.h"
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <string>
#include <string_view>
#include <typeinfo>
#include <unistd.h>

namespace tilewise {

namespace {

int fail(std::string message, int code) {
    // Messages of drivers and libraries may end in line breaks.
    message.erase(message.find_last_not_of(" \n") + 1);
    print_warning("tilewise: " + message);
    return code;
}

constexpr std::string_view no_memory = "out of memory; try a smaller table or image";

/// A JSON library's destructor takes memory: where there is none, it ends the program instead of failing.
[[noreturn]] void end_without_memory() {
    const std::type_info* type = abi::__cxa_current_exception_type();
    if (type == nullptr || *type != typeid(std::bad_alloc)) std::abort();
    for (const std::string_view part : {std::string_view("tilewise: "), no_memory, std::string_view("\n")})
        if (write(STDERR_FILENO, part.data(), part.size()) < 0) break;
    _exit(1);
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
    add_try_command(app, globals);
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
    // A closed pipe and a file beyond the limit of `ulimit -f` become errors of the write.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    remove_temporary_files_on_signals();
    std::set_terminate(end_without_memory);
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
        return fail(std::string(no_memory), 1);
    } catch (const std::exception& error) {
        return fail(error.what(), 1);
    }
}
