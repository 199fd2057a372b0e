#include "tools/cli/terminal/print.h"
#include "patterns/model/drm_modifier.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/names.h"
#include "patterns/model/text.h"
#include "patterns/picture/picture.h"
#include "system/folders.h"
#include "system/terminal.h"
#include "tools/cli/terminal/json_text.h"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>

namespace tilewise {

namespace {

constexpr size_t max_line = 4000;  ///< characters of a line or cell
bool quiet = false;
bool wide = false;
std::optional<bool> colors;  ///< as --color says; none: as the terminal does

std::string strides_text(const Layout& layout) {
    std::string text;
    for (Axis axis : all_axes)
        if (layout.stride[axis] != 0)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", axis_name(axis), layout.stride[axis]);
    return text.empty() ? "none: one tile holds the whole image" : text + " bytes from tile to tile";
}

std::string order_text(const Pattern& pattern) {
    std::string text;
    for (Axis axis : pattern.order) text += axis_name(axis);
    return fmt::format("{} (from the smallest stride)", text);
}

/// The rows of a map that are not zero, as {"bit 10", "tx0"}.
void add_map_rows(std::vector<Row>& rows, const LinearMap& map, const char* what, const char* prefix) {
    for (unsigned bit = 0; bit < 64; ++bit) {
        const std::string bits = equation_row(map, bit, prefix);
        if (bits != "0") rows.push_back({fmt::format("{}[{}]", what, bit), fmt::format("= {}", bits)});
    }
}

}  // namespace

void print_bytes(std::string_view bytes) {
    errno = 0;
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size())
        throw StdoutError{errno, system::reader_went_away(errno)};
}

void print_text(std::string_view text) {
    while (!text.empty()) {
        const size_t size = std::min(text.find('\n'), text.size());
        print_bytes(printable(text.substr(0, size)));
        if (size < text.size()) print_bytes("\n");
        text.remove_prefix(std::min(size + 1, text.size()));
    }
}

void print_line(std::string_view line) { print_bytes(printable(line, max_line) + '\n'); }

void print_note(std::string_view line) {
    if (!quiet) print_warning(line);
}

// Not fmt's print: that throws if stderr is closed, and work must not end because nobody reads its warnings.
void print_warning(std::string_view line) { system::print_to_stderr(printable(line, max_line) + '\n'); }

void be_quiet() { quiet = true; }
bool is_quiet() { return quiet; }
void be_wide() { wide = true; }

namespace {

void print_rows(std::vector<Row> rows, unsigned indent, bool is_table) {
    for (Row& row : rows)
        for (std::string& cell : row) cell = printable(cell, max_line);
    print_bytes(table_text(rows, line_width(), indent, is_table));
}

}  // namespace

void print_columns(const std::vector<Row>& rows, unsigned indent) { print_rows(rows, indent, false); }
void print_table(const std::vector<Row>& rows, unsigned indent) { print_rows(rows, indent, true); }

std::optional<size_t> line_width() {
    if (wide) return {};
    if (const char* columns = std::getenv("COLUMNS")) {
        size_t width = 0;
        const std::string_view text = columns;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
        if (error == std::errc() && end == text.data() + text.size() && width > 0) return width;
    }
    return system::terminal_columns(system::Output::out);
}

void be_colored(std::optional<bool> colored) { colors = colored; }

bool has_colors() {
    if (colors) return *colors;
    return system::is_terminal(system::Output::out) && system::environment("NO_COLOR").empty() &&
           system::terminal_has_colors();
}

void print_json(const nlohmann::ordered_json& document) {
    // Names come from outside: invalid UTF-8 is replaced, not rejected, and the output is ASCII.
    print_bytes(json_text(document) + '\n');
}

void print_layout(const Layout& layout, Placed placed, Named named) {
    const Pattern& pattern = layout.pattern;
    std::vector<Row> rows = {
        {"pattern", pattern_id(pattern) + "  " + pattern_title(pattern)},
        {"element", fmt::format("{}, {}", counted(pattern.element.bytes, "byte"),
                                pattern.element.width * pattern.element.height == 1
                                    ? "1 texel"
                                    : fmt::format("{}x{} texels", pattern.element.width, pattern.element.height))},
        {"tile", fmt::format("{} elements, {} bytes", extent_text(pattern.tile), pattern.tile_bytes)},
    };
    if (placed == Placed::yes) {
        rows.push_back({"stride", strides_text(layout)});
        rows.push_back({"order", order_text(pattern)});
        rows.push_back({"base", fmt::format("{} bytes", layout.base)});
    }
    if (const std::string number = drm_modifier_text(mode_of(pattern).modifier); !number.empty() && named == Named::yes)
        rows.insert(rows.begin() + 1, {"DRM", "modifier " + number});
    if (const std::string name = pattern_name(pattern); !name.empty())
        rows.insert(rows.begin() + 1, {named == Named::yes ? "name" : "laid out as", name});
    if (layout.constant != 0) rows.push_back({"constant", fmt::format("0x{:x}", layout.constant)});
    print_columns(rows);
    print_text(fmt::format("\n{}", address_bits(layout)));
    rows.clear();
    add_map_rows(rows, pattern.equation, "E", "");
    add_map_rows(rows, pattern.outer_xor, "G", "t");
    add_map_rows(rows, pattern.index_xor, "F", "t");
    if (rows.empty()) return;
    print_text("\n");
    print_columns(rows);
}

void print_memory_order(const Layout& layout) {
    for (uint32_t side : {4U, 8U})
        print_text(
            fmt::format("\nfirst {0}x{0} elements in memory order\n{1}", side, memory_order(layout, side, side)));
}

std::string some_of(const std::vector<std::string>& items, size_t max) {
    std::string text;
    for (size_t i = 0; i < std::min(items.size(), max); ++i) text += (i > 0 ? ", " : "") + items[i];
    if (items.size() > max) text += fmt::format(" +{}", items.size() - max);
    return text;
}

void flush_stdout() {
    errno = 0;
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw StdoutError{errno, system::reader_went_away(errno)};
}

}  // namespace tilewise
