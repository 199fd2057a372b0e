#include "tools/cli/terminal/table.h"
#include "patterns/model/text.h"
#include "tools/cli/terminal/width.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace tilewise {

namespace {

constexpr size_t gap = 2;  ///< spaces between columns

std::vector<std::string> words_in(std::string_view text) {
    std::vector<std::string> words;
    for (std::string& word : split(text, ' ')) words.push_back(std::move(word));
    return words;
}

std::vector<std::string> wrapped_lines(std::string_view text, size_t first_width, size_t width) {
    std::vector<std::string> lines(1);
    for (const std::string& word : words_in(text)) {
        std::string& line = lines.back();
        const size_t room = lines.size() == 1 ? first_width : width;
        if (line.empty())
            line = word;
        else if (display_width(line) + 1 + display_width(word) <= room)
            line += " " + word;
        else
            lines.push_back(word);
    }
    return lines;
}

std::string joined(const std::vector<std::string>& lines, size_t indent, std::string_view end = "") {
    std::string text;
    for (const std::string& line : lines) {
        if (&line != lines.data()) text += fmt::format("{}\n{:{}}", end, "", indent);
        text += line;
    }
    return text;
}

using Widths = std::vector<size_t>;

template <typename WidthOf>
Widths widths_of(const std::vector<Row>& rows, const WidthOf& width_of) {
    Widths width;
    for (const Row& row : rows) {
        width.resize(std::max(width.size(), row.size()));
        for (size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], width_of(row[i]));
    }
    return width;
}

size_t widest_word(const std::string& cell) {
    size_t widest = 0;
    for (const std::string& word : words_in(cell)) widest = std::max(widest, display_width(word));
    return widest;
}

size_t total(const Widths& width) {
    return width.empty() ? 0 : std::accumulate(width.begin(), width.end(), gap * (width.size() - 1));
}

/// Narrows the widest columns as needed, but none below its widest word.
Widths fitted(Widths width, const Widths& least, size_t line) {
    while (total(width) > line) {
        size_t widest = width.size();
        for (size_t i = 0; i < width.size(); ++i)
            if (width[i] > least[i] && (widest == width.size() || width[i] > width[widest])) widest = i;
        if (widest == width.size()) break;
        width[widest]--;
    }
    return width;
}

void add_line(std::string& text, std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
}

/// The number of lines that the highest row takes.
size_t height_of(const std::vector<Row>& rows, const Widths& width) {
    size_t height = 1;
    for (const Row& row : rows)
        for (size_t i = 0; i < row.size(); ++i)
            height = std::max(height, wrapped_lines(row[i], width[i], width[i]).size());
    return height;
}

std::string in_columns(const std::vector<Row>& rows, const Widths& width, size_t indent) {
    std::string text;
    for (const Row& row : rows) {
        std::vector<std::vector<std::string>> cells;
        size_t height = 1;
        for (size_t i = 0; i < row.size(); ++i) {
            cells.push_back(display_width(row[i]) <= width[i] ? std::vector{row[i]}
                                                              : wrapped_lines(row[i], width[i], width[i]));
            height = std::max(height, cells.back().size());
        }
        for (size_t at = 0; at < height; ++at) {
            std::string line(indent, ' ');
            for (size_t i = 0; i < cells.size(); ++i) {
                const std::string part = at < cells[i].size() ? cells[i][at] : "";
                line += part;
                if (i + 1 < cells.size()) line.append(width[i] + gap - display_width(part), ' ');
            }
            add_line(text, std::move(line));
        }
    }
    return text;
}

/// Takes out the columns in which all rows have the same value: "drivers: NVK Mesa 26.2.6" for each.
std::string take_common_columns(std::vector<Row>& rows, size_t width, size_t indent) {
    std::string text;
    if (rows.size() < 3) return text;
    const size_t columns = rows.front().size();
    if (std::ranges::any_of(rows, [&](const Row& row) { return row.size() != columns; })) return text;
    for (size_t i = columns; i-- > 1;) {  // the first column names the row
        const std::string value = rows[1][i];
        if (!std::ranges::all_of(rows.begin() + 1, rows.end(), [&](const Row& row) { return row[i] == value; }))
            continue;
        if (!rows.front()[i].empty() && !value.empty())
            text = fmt::format("{:{}}{}\n", "", indent,
                               wrapped(fmt::format("{}, of all: {}", rows.front()[i], value), width, indent + gap)) +
                   text;
        for (Row& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return text;
}

/// Each row as its first cell, and below it one line for each other cell.
std::string stacked(const std::vector<Row>& rows, size_t width, size_t indent) {
    const Row& header = rows.front();
    size_t widest = 0;
    for (size_t i = 1; i < header.size(); ++i) widest = std::max(widest, display_width(header[i]));
    const size_t inner = indent + gap + (widest == 0 ? 0 : widest + gap);
    std::string text;
    for (auto row = rows.begin() + 1; row != rows.end(); ++row) {
        if (row->empty()) continue;
        add_line(text, std::string(indent, ' ') + wrapped(row->front(), width, indent + gap));
        for (size_t i = 1; i < row->size(); ++i) {
            if ((*row)[i].empty()) continue;
            const std::string name = i < header.size() ? header[i] : "";
            std::string line = std::string(indent + gap, ' ') + name;
            line.append(inner - std::min(inner, indent + gap + display_width(name)), ' ');
            add_line(text, line + wrapped((*row)[i], width > inner ? width + indent - inner : 1, inner));
        }
    }
    return text;
}

}  // namespace

std::string wrapped(std::string_view text, size_t width, size_t indent) {
    return joined(wrapped_lines(text, width, width), indent);
}

std::string wrapped_command(std::string_view line, size_t width) {
    constexpr size_t further = 4;
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    if (display_width(line) <= width || width <= indent + further + 2) return std::string(line);
    std::vector<std::string> lines = wrapped_lines(line, width - indent - 2, width - indent - further - 2);
    return std::string(indent, ' ') + joined(lines, indent + further, " \\");
}

std::string table_text(const std::vector<Row>& all_rows, std::optional<size_t> width, size_t indent, bool is_table) {
    std::vector<Row> rows = all_rows;
    Widths natural = widths_of(rows, display_width);
    const size_t line = width ? (*width > indent ? *width - indent : 1) : std::string::npos;
    if (total(natural) <= line) return in_columns(rows, natural, indent);
    std::string above;
    if (is_table) {
        above = take_common_columns(rows, line, indent);
        natural = widths_of(rows, display_width);
    }
    const Widths least = widths_of(rows, widest_word);
    const Widths narrow = fitted(natural, least, line);
    constexpr size_t highest = 3;  // higher rows are hard to read across
    if (is_table && (total(least) > line || height_of(rows, narrow) > highest))
        return above + stacked(rows, line, indent);
    return above + in_columns(rows, narrow, indent);
}

}  // namespace tilewise
