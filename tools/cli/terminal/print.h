// What the commands write: columns, layouts, JSON. All but notes and warnings goes to stdout; a failed write ends the
// command.
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

/// Prints bytes as they are: files.
void print_bytes(std::string_view bytes);

/// Prints lines of Tilewise's own making; each is made printable (patterns/model/text.h).
void print_text(std::string_view text);

/// Prints one line, with names and words from outside in it: whatever they are, it stays one.
void print_line(std::string_view line);

/// The same on stderr, for what helps, but changes nothing: nothing after be_quiet().
void print_note(std::string_view line);

/// The same for errors, and for what a result must not be read without: what was assumed, chosen or left out.
void print_warning(std::string_view line);

/// From now on notes and progress are not shown: --quiet.
void be_quiet();
bool is_quiet();

/// From now on tables may be wider than the terminal: --wide.
void be_wide();

/// Prints rows in aligned columns, two spaces apart, each line behind `indent` spaces. Rows may differ
/// in length. On a terminal, or where COLUMNS is set, cells are wrapped, as far as it takes to fit; none is cut.
void print_columns(const std::vector<Row>& rows, unsigned indent = 0);

/// The same of a table, whose first row names the columns (terminal/table.h).
void print_table(const std::vector<Row>& rows, unsigned indent = 0);

/// Characters of a line of the terminal, or of COLUMNS; none where there is no end to a line.
std::optional<size_t> line_width();

/// Whether what is printed has colours: as be_colored() said; else where stdout is a terminal that shows them, not with
/// NO_COLOR in the environment, nor where TERM is dumb or missing.
bool has_colors();

/// From now on with colours, or without, whatever stdout is: --color.
void be_colored(std::optional<bool> colored);

/// Prints one JSON document (terminal/json_text.h).
void print_json(const nlohmann::ordered_json& document);

enum class Placed : bool { no, yes };
/// Whether the mode by the equation is its name; no where another one was asked for, which may be laid out alike.
enum class Named : bool { no, yes };

/// Element, tile, strides, order and base if the tiles are placed in an image, the row of address bits and the
/// equations, one thing a line.
void print_layout(const Layout& layout, Placed placed = Placed::yes, Named named = Named::yes);

/// "4x4" and "8x8": the elements in memory order, as far as the tile and the image have them.
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

/// Pushes out what was printed; throws StdoutError if it cannot be written.
void flush_stdout();

/// stdout cannot be written. `closed` where the reader went away (`| head`), which nobody needs to be told.
struct StdoutError {
    int error = 0;
    bool closed = false;
};

}  // namespace tilewise
