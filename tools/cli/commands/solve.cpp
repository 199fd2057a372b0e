// tilewise solve: finds the layout behind a table of offsets.
#include "db/facts/kept_pattern.h"
#include "db/facts/rules.h"
#include "patterns/model/equation_text.h"
#include "patterns/model/error.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/table_csv.h"
#include "patterns/solve/solution_json.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/files/files.h"
#include "tools/cli/options/open.h"
#include "tools/cli/terminal/print.h"
#include "tools/cli/terminal/progress.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>

namespace tilewise {

namespace {

struct SolveOptions {
    std::string table, equation, keep;
    uint32_t element_bytes = 0;
};

/// Stores the layout under the name given by --keep.
void keep(const SolveOptions& options, const Globals& globals, const Layout& layout, const Coord& extent) {
    if (options.keep.empty()) return;
    db::KeptPattern kept;
    kept.name = options.keep;
    kept.layout = layout;
    kept.source = options.equation.empty() ? "table" : "equation";
    if (options.equation.empty()) kept.extent_el = {extent[axis_x], extent[axis_y], extent[axis_z]};
    kept.origin = options.equation.empty() ? options.table : options.equation;
    kept.time = db::utc_now();
    kept.tool_version = TILEWISE_VERSION;
    db::Database database = open_to_write(globals);
    const bool was_there = db::find_kept_pattern(database, kept.name).has_value();
    db::keep_pattern(database, kept);
    print_note(fmt::format("Kept as {} in {}{}; use it with --pattern {}.", kept.name, database.path,
                           was_there ? ", in place of the earlier one with that name" : "", kept.name));
}

/// An equation needs no search: the layout is given, and may be stored.
void solve_equation(const SolveOptions& options, const Globals& globals) {
    if (!options.table.empty()) throw UsageError("a table and --equation are two questions: leave one out");
    if (options.element_bytes == 0)
        throw UsageError("--equation: how many bytes does an element have? give --element-bytes");
    const Layout layout = layout_by_equation(options.equation, {options.element_bytes, 1, 1});
    keep(options, globals, layout, unit_extent);
    Solution solution;
    solution.fit = Fit::exact;
    solution.layout = layout;
    solution.extent = layout.pattern.tile;
    solution.elements = element_count(layout.pattern.tile);
    if (globals.json) return print_json(to_json(solution));
    print_columns({{"status", "as given"},
                   {"elements", fmt::format("{} ({}), one tile", solution.elements, extent_text(solution.extent))}});
    print_layout(layout);
}

void solve_table(const SolveOptions& options, const Globals& globals) {
    if (!options.keep.empty()) db::require_name(options.keep);
    if (!options.equation.empty()) return solve_equation(options, globals);
    if (options.table.empty()) throw UsageError("solve what? give a table, or --equation with --keep");
    const std::string name = options.table == "-" ? "standard input" : options.table;
    Progress progress("bytes");
    std::string text = read_whole_file(options.table);
    Table table;
    try {
        table = parse_table_csv(text, options.element_bytes, progress.listener());
    } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", name, error.what()));
    }
    text = {};  // from here on, the table takes most of the memory
    const Solution solution = solve(table);
    progress.hide();
    const bool exact = solution.fit == Fit::exact;
    if (exact) keep(options, globals, solution.layout, solution.extent);
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
    command->add_option("table", options->table, "the table as CSV; - reads standard input");
    command->add_option("--element-bytes", options->element_bytes, "bytes per element; by default what the table says")
        ->check(CLI::Range(1U, max_element_bytes));
    command->add_option(
        "--equation", options->equation,
        "in place of a table: address bits from 0 up, each an XOR of coordinate bits: \"x0 x1 y0 x2^y1\"");
    command->add_option("--keep", options->keep, "keep the pattern in the database under this name, for --pattern");
    command->callback([options, &globals] { solve_table(*options, globals); });
}

}  // namespace tilewise
