// What the commands write: columns, layouts, JSON. Everything but notes and warnings goes to stdout; a failed write
// ends the command.
#pragma once
#include "patterns/model/extent_text.h"
#include "patterns/model/layout.h"
#include "tools/cli/terminal/table.h"
#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise {

/// Prints bytes unchanged: the contents of files.
void print_bytes(std::string_view bytes);

/// Prints Tilewise's own lines; each is made printable (patterns/model/text.h).
void print_text(std::string_view text);

/// Prints one line that contains names and words from outside: it stays one line, whatever they are.
void print_line(std::string_view line);

/// Likewise on stderr, for text that helps but changes nothing; silent after be_quiet().
void print_note(std::string_view line);

/// Likewise for errors, and for what a reader must know about a result: what was assumed, chosen or left out.
void print_warning(std::string_view line);

/// From now on notes and progress are not shown: --quiet.
void be_quiet();
bool is_quiet();

/// From now on tables may be wider than the terminal: --wide.
void be_wide();

/// Prints rows in aligned columns, two spaces apart, each line indented by `indent` spaces. Rows may differ in length.
/// On a terminal, or if COLUMNS is set, cells are wrapped as needed to fit; none is cut.
void print_columns(const std::vector<Row>& rows, unsigned indent = 0);

/// Likewise for a table, whose first row names the columns (terminal/table.h).
void print_table(const std::vector<Row>& rows, unsigned indent = 0);

/// The characters in a line of the terminal, or COLUMNS; none if lines have no limit.
std::optional<size_t> line_width();

/// Whether output has colors: as be_colored() said; else if stdout is a terminal with colors, unless NO_COLOR is set or
/// TERM is dumb or missing.
bool has_colors();

/// From now on, output has colors or none, whatever stdout is: --color.
void be_colored(std::optional<bool> colored);

/// Prints one JSON document (terminal/json_text.h).
void print_json(const nlohmann::ordered_json& document);

enum class Placed : bool { no, yes };
/// Whether the mode found from the equation is named; `no` if another mode was asked for, which may have the same
/// layout.
enum class Named : bool { no, yes };

/// Prints, one per line: element, tile, strides, order and base if the tiles are placed in an image, the row of address
/// bits, and the equations.
void print_layout(const Layout& layout, Placed placed = Placed::yes, Named named = Named::yes);

/// Prints "4x4" and "8x8": the elements in memory order, as far as the tile and the image have them.
void print_memory_order(const Layout& layout);

/// The first few, and how many more: "a, b +3".
std::string some_of(const std::vector<std::string>& items, size_t max);
template <typename Item, typename TextOf>
std::string some_of(const std::vector<Item>& items, size_t max, TextOf text_of) {
    std::vector<std::string> texts(items.size());
    std::transform(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(std::min(items.size(), max)),
                   texts.begin(), text_of);
    return some_of(texts, max);
}

/// Flushes what was printed; throws StdoutError if it cannot be written.
void flush_stdout();

/// stdout cannot be written. `closed`: the reader went away (`| head`), which needs no message.
struct StdoutError {
    int error = 0;
    bool closed = false;
};

}  // namespace tilewise
