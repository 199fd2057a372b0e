// tilewise: how this GPU lays out images in memory. Each command has a file of its own. This file reads the options,
// and turns failures into one line and an exit code (0: done, 1: the work could not be done, 2: wrong usage).
#include "kernels/shader/confined.h"
#include "kernels/try/spirv_code.h"
#include "patterns/model/error.h"
#include "patterns/model/error_text.h"
#include "probe/worker/child.h"
#include "system/signals.h"
#include "system/terminal.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/files/temporary_file.h"
#include "tools/cli/help/begin.h"
#include "tools/cli/help/examples.h"
#include "tools/cli/help/formatter.h"
#include "tools/cli/help/suggest.h"
#include "tools/cli/options/numbers.h"
#include "tools/cli/terminal/print.h"
#include "tools/runs/try/contents.h"
#include "tools/runs/try/trial_task.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <fmt/format.h>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

namespace tilewise {

namespace {

bool errors_are_json = false;  ///< --json anywhere, even if it is what is wrong with the command line

int fail(std::string message, int code) {
    // Messages from drivers and libraries may end in line breaks.
    message.erase(message.find_last_not_of(" \n") + 1);
    if (errors_are_json)
        system::print_to_stderr(error_json(message, code));
    else
        print_warning("tilewise: " + message);
    return code;
}

/// The destructor of a JSON library allocates memory: if there is none, it would terminate the program instead of
/// failing.
[[noreturn]] void end_without_memory() {
    const std::type_info* type = abi::__cxa_current_exception_type();
    if (type == nullptr || *type != typeid(std::bad_alloc)) std::abort();
    // stderr has no buffer that would have to be allocated.
    constexpr std::string_view line = "tilewise: out of memory; try a smaller table or image\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::_Exit(1);
}

/// Throws UsageError for an empty name: the person or script that wrote it meant a name, and without it the question is
/// a different one. An empty list, as for --usage, is allowed.
void require_names(const std::vector<std::string>& arguments) {
    constexpr std::string_view names[] = {"--db",       "--gpu",      "-g",    "--device", "--vendor",
                                          "--driver",   "--format",   "-f",    "--mode",   "--pattern",
                                          "--modifier", "--equation", "--keep"};
    for (size_t i = 0; i < arguments.size(); i++)
        for (const std::string_view name : names) {
            const bool is_empty =
                arguments[i] == std::string(name) + "=" || (arguments[i].empty() && i > 0 && arguments[i - 1] == name);
            if (is_empty) throw UsageError(fmt::format("{} is empty: give a value, or leave it out", name));
        }
}

/// Throws UsageError for help on a command that does not exist.
void print_help(const CLI::App& app, CLI::AppFormatMode mode) {
    if (app.get_subcommands().empty() && !app.remaining().empty()) throw UsageError(explain_extras(app));
    print_text(app.help("", mode));
}

void run(Globals& globals) {
    require_names(globals.arguments);
    CLI::App app("Learns how GPUs lay out the texels of OPTIMAL-tiled images in memory.", "tilewise");
    app.formatter(std::make_shared<HelpFormatter>());
    app.set_help_flag("--help", "show all options and examples");
    app.set_help_all_flag("-h", "show the usual options");
    app.allow_windows_style_options(false);  // inherited: what begins with / is a path everywhere
    app.fallthrough();                       // inherited: global options may follow the command
    app.require_subcommand(0, 1);            // a missing one is reported below: an unknown one is named first
    app.set_version_flag("--version", "tilewise " TILEWISE_VERSION);
    app.add_option("--db", globals.database,
                   "the database file; default: $TILEWISE_DB, else one in the user's data folder");
    app.add_flag("-j,--json", globals.json, "print one JSON document on stdout");
    app.add_flag_callback("--wide", be_wide, "do not fit tables to the terminal's width");
    app.add_flag_callback("--quiet", be_quiet,
                          "print no progress and no notes on stderr; errors, warnings and assumptions stay");
    add_color_option(app);
    add_devices_command(app, globals);
    add_probe_command(app, globals);
    add_solve_command(app, globals);
    add_gpus_command(app, globals);
    add_formats_command(app, globals);
    add_modes_command(app, globals);
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
    add_share_command(app, globals);
    add_db_commands(app, globals);
    add_help_commands(app);
    add_examples(app);
    read_plain_numbers(app);
    try {
        // CLI11 takes the arguments in reverse order.
        app.parse(std::vector<std::string>(globals.arguments.rbegin(), globals.arguments.rend()));
        if (app.get_subcommands().empty()) {
            if (globals.json) throw UsageError("no command given; see tilewise --help");
            print_text(how_to_begin());
        }
    } catch (const CLI::CallForHelp&) {
        print_help(app, CLI::AppFormatMode::Normal);
    } catch (const CLI::CallForAllHelp&) {
        print_help(app, CLI::AppFormatMode::All);
    } catch (const CLI::CallForVersion& version) {
        print_text(std::string(version.what()) + "\n");
    } catch (const CLI::ExtrasError&) {
        throw UsageError(explain_extras(app));
    } catch (const CLI::ParseError& error) {
        // A missing required option may be there, but mistyped.
        if (has_unknown_option(app)) throw UsageError(explain_extras(app));
        const std::string command = chosen_command(app);
        throw UsageError(fmt::format("{}; see tilewise {}", explain_parse_error(error.what()),
                                     command.empty() ? "--help" : "help " + command));
    }
    flush_stdout();
}

/// Returns the exit code.
int run_command(Globals globals) {
    system::let_writes_fail();
    system::prepare_standard_streams();
    remove_temporary_files_on_signals();
    std::set_terminate(end_without_memory);
    errors_are_json = asks_for_json(globals.arguments);
    try {
        run(globals);
        return 0;
    } catch (const StdoutError& error) {
        std::fclose(stdout);
        if (error.closed) return 1;
        return fail(
            fmt::format("cannot write the result: {}; free some space or write elsewhere", std::strerror(error.error)),
            1);
    } catch (const UsageError& error) {
        return fail(error.what(), 2);
    } catch (const std::exception& error) {
        return fail(error_text(error), 1);
    }
}

/// Runs the command for one of its several devices: the arguments are the device's number, then the command line.
int run_for_one_device(probe::worker::Playing& playing) {
    Globals globals;
    globals.one_device = playing.arguments.at(0);
    globals.arguments.assign(playing.arguments.begin() + 1, playing.arguments.end());
    return run_command(std::move(globals));
}

}  // namespace

}  // namespace tilewise

int main(int argc, char** argv) {
    using namespace tilewise;
    const probe::worker::Role roles[] = {
        probe::worker::vulkan_role,           kernels::compile_role, kernels::validate_role, png_role, trial_role,
        {one_device_role, run_for_one_device}};
    if (const std::optional<int> code = probe::worker::play_role(argc, argv, roles)) return *code;
    Globals globals;
    globals.arguments = probe::worker::arguments_of(argc, argv);
    return run_command(std::move(globals));
}
