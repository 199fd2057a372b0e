// tilewise solve: the layout behind a table of offsets.
#include "patterns/model/error.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/table_csv.h"
#include "patterns/solve/solution_json.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/files/files.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/terminal/progress.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>

namespace tilewise {

namespace {

struct SolveOptions {
    std::string table;
    uint32_t element_bytes = 0;
};

void solve_table(const SolveOptions& options, const Globals& globals) {
    const std::string name = options.table == "-" ? "standard input" : options.table;
    Progress progress("bytes");
    std::string text = read_whole_file(options.table);
    Table table;
    try {
        table = parse_table_csv(text, options.element_bytes, progress.listener());
    } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", name, error.what()));
    }
    text = {};  // the table is the larger half of the memory from here on
    const Solution solution = solve(table);
    progress.hide();
    const bool exact = solution.fit == Fit::exact;
    if (globals.json) {
        print_json(to_json(solution));
    } else {
        print_columns({{"status", exact ? "exact" : "no-fit"},
                       {"elements", fmt::format("{} ({})", solution.elements, extent_text(table.extent))}});
        if (exact)
            print_layout(solution.layout);
        else
            print_columns({{"mismatches", std::to_string(solution.mismatches)}, {"reason", solution.reason}});
    }
    if (!exact) {
        flush_stdout();
        throw Error(fmt::format("no layout fits {}: {}", name, solution.reason));
    }
}

}  // namespace

void add_solve_command(CLI::App& app, const Globals& globals) {
    auto* command = app.add_subcommand("solve", "find the exact layout behind a table of x,y[,z],byte_offset rows");
    auto options = std::make_shared<SolveOptions>();
    command->add_option("table", options->table, "the table as CSV; - reads standard input")->required();
    command->add_option("--element-bytes", options->element_bytes, "bytes per element; by default what the table says")
        ->check(CLI::Range(1U, max_element_bytes));
    command->callback([options, &globals] { solve_table(*options, globals); });
}

}  // namespace tilewise
