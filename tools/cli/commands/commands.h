// The commands of `tilewise`. Each function adds its command to the parser. The command runs once all options are
// parsed, and throws Error (exit code 1) or UsageError (2) if it cannot do its work.
#pragma once
#include "tools/cli/options/globals.h"

namespace CLI {
class App;
}

namespace tilewise {

/// The role of a process that runs a command for one of several devices: main() plays it.
inline constexpr const char* one_device_role = "one device";

void add_devices_command(CLI::App& app, const Globals& globals);
void add_probe_command(CLI::App& app, const Globals& globals);
void add_solve_command(CLI::App& app, const Globals& globals);
void add_gpus_command(CLI::App& app, const Globals& globals);
void add_formats_command(CLI::App& app, const Globals& globals);
void add_modes_command(CLI::App& app, const Globals& globals);
void add_query_command(CLI::App& app, const Globals& globals);
void add_show_command(CLI::App& app, const Globals& globals);
void add_layout_command(CLI::App& app, const Globals& globals);
void add_snippet_command(CLI::App& app, const Globals& globals);
void add_advise_command(CLI::App& app, const Globals& globals);
void add_measure_command(CLI::App& app, const Globals& globals);
void add_validate_command(CLI::App& app, const Globals& globals);
void add_tune_command(CLI::App& app, const Globals& globals);
void add_try_command(CLI::App& app, const Globals& globals);
void add_share_command(CLI::App& app, const Globals& globals);
void add_tile_commands(CLI::App& app, const Globals& globals);
void add_identify_command(CLI::App& app, const Globals& globals);
void add_report_command(CLI::App& app, const Globals& globals);
void add_db_commands(CLI::App& app, const Globals& globals);
void add_help_commands(CLI::App& app);
void add_db_diff_command(CLI::App& db_commands, const Globals& globals);

}  // namespace tilewise
