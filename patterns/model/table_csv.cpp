#include "patterns/model/table_csv.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>

namespace tilewise {

namespace {

struct Row {
    Coord at;
    uint64_t offset;
};

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

uint64_t parse_number(std::string_view field, size_t line) {
    auto fail = [&](const char* what) {
        throw Error(fmt::format("line {}: '{}' {}", line, printable(field, 40), what));
    };
    if (field.empty()) fail("is empty where a number should be");
    if (field.front() == '-') fail("is negative; coordinates and offsets count from 0");
    const bool hexadecimal = field.starts_with("0x") || field.starts_with("0X");
    std::string_view digits = hexadecimal ? field.substr(2) : field;
    uint64_t value = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
    if (error == std::errc::result_out_of_range) fail("does not fit 64 bits");
    if (error != std::errc() || end != digits.data() + digits.size()) fail("is not a number");
    return value;
}

/// Rows begin with a number, or with an attempt at one.
bool is_header(std::string_view line) {
    if (line.starts_with('"')) line.remove_prefix(1);
    return line.find_first_of("0123456789-+.,;") != 0;
}

/// A comma or, if a line has none, a semicolon or a tab, as spreadsheets write them.
char separator_of(std::string_view line) {
    for (const char separator : {',', ';', '\t'})
        if (line.find(separator) != line.npos) return separator;
    return ',';
}

/// A field without surrounding blanks and without the quotation marks that some programs write around every field.
std::string_view field_text(std::string_view field) {
    field = trimmed(field);
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
        field = trimmed(field.substr(1, field.size() - 2));
    return field;
}

/// The content of each column: a coordinate, or the offset.
using Columns = std::vector<unsigned>;
constexpr unsigned offset_column = axis_count;

/// The columns of a header that has these names and no others.
Columns named_columns(std::string_view header, size_t line) {
    Columns columns;
    for (const std::string& field : split_fields(header, separator_of(header))) {
        const std::string name = to_lower(field_text(field));
        if (name == "aspect" || name == "level" || name == "layer")
            throw Error(
                fmt::format("line {}: the table has a column {}, but a layout is that of one subresource; "
                            "tilewise layout --table writes one with --level N --layer N --aspect A",
                            line, name));
        const size_t axis = name.size() == 1 ? std::string_view("xyzs").find(name[0]) : std::string_view::npos;
        if (axis == std::string_view::npos && name != "byte_offset")
            throw Error(fmt::format("line {}: no column is called \"{}\": a header names x, y, z, s and byte_offset",
                                    line, printable(name, 40)));
        columns.push_back(axis == std::string_view::npos ? offset_column : static_cast<unsigned>(axis));
    }
    Columns sorted = columns;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end() || sorted.back() != offset_column)
        throw Error(fmt::format("line {}: a header names each of x, y, z, s once, and byte_offset", line));
    return columns;
}

/// x,y,byte_offset; x,y,z,byte_offset; x,y,z,s,byte_offset.
Columns columns_in_order(size_t count, size_t line) {
    if (count < 3 || count > 5)
        throw Error(fmt::format("line {}: {} columns; a row is x,y,byte_offset or x,y,z,byte_offset", line, count));
    Columns columns;
    for (unsigned axis = 0; axis + 1 < count; axis++) columns.push_back(axis);
    columns.push_back(offset_column);
    return columns;
}

Row parse_row(std::string_view text, size_t line, Columns& columns) {
    std::array<uint64_t, 5> values{};
    size_t count = 0;
    const char separator = separator_of(text);
    for (std::string_view rest = text;;) {
        const size_t comma = rest.find(separator);
        if (count < values.size()) values[count] = parse_number(field_text(rest.substr(0, comma)), line);
        count++;
        if (comma == rest.npos) break;
        rest.remove_prefix(comma + 1);
    }
    if (columns.empty()) columns = columns_in_order(count, line);
    if (count != columns.size())
        throw Error(fmt::format("line {}: {} columns where the rows before have {}", line, count, columns.size()));

    Row row{};
    for (size_t i = 0; i < count; i++) {
        if (columns[i] == offset_column) {
            row.offset = values[i];
            continue;
        }
        if (values[i] >= std::numeric_limits<uint32_t>::max())
            throw Error(fmt::format("line {}: coordinate {} is beyond any image", line, values[i]));
        row.at[columns[i]] = static_cast<uint32_t>(values[i]);
    }
    if (row.offset == Table::missing_offset)
        throw Error(fmt::format("line {}: offset {} is beyond any memory", line, row.offset));
    return row;
}

uint32_t bytes_from_comment(std::string_view comment, size_t line) {
    constexpr std::string_view key = "bytes_per_texel:";
    size_t at = comment.find(key);
    if (at == comment.npos) return 0;
    uint64_t bytes = parse_number(trimmed(comment.substr(at + key.size())), line);
    if (bytes == 0 || bytes > max_element_bytes)
        throw Error(fmt::format("line {}: {} bytes an element are impossible", line, bytes));
    return static_cast<uint32_t>(bytes);
}

uint32_t smallest_distance(const std::vector<Row>& rows) {
    std::vector<uint64_t> offsets;
    offsets.reserve(rows.size());
    for (const Row& row : rows) offsets.push_back(row.offset);
    std::ranges::sort(offsets);
    uint64_t smallest = std::numeric_limits<uint64_t>::max();
    for (size_t i = 1; i < offsets.size(); i++)
        if (offsets[i] != offsets[i - 1]) smallest = std::min(smallest, offsets[i] - offsets[i - 1]);
    if (smallest > max_element_bytes) throw Error("the table does not give the element's size: give --element-bytes");
    return static_cast<uint32_t>(smallest);
}

/// The extent that most rows fill: along each axis up to the last value that occurs in at least half as many rows as
/// the most common value, and below which at most half of the values are unused. A stray row does not stretch it.
Coord filled_extent(const std::vector<Row>& rows) {
    Coord extent = unit_extent;
    std::vector<uint32_t> values(rows.size());
    for (Axis a : all_axes) {
        std::ranges::transform(rows, values.begin(), [a](const Row& row) { return row.at[a]; });
        std::ranges::sort(values);
        std::vector<std::pair<size_t, uint32_t>> counts;  // rows with the value, value
        for (size_t i = 0, j = 0; i < values.size(); i = j) {
            while (j < values.size() && values[j] == values[i]) j++;
            counts.emplace_back(j - i, values[i]);
        }
        const size_t max_count = std::ranges::max_element(counts)->first;
        auto last =
            std::ranges::find_if(counts.rbegin(), counts.rend(), [&](auto& c) { return c.first * 2 >= max_count; });
        while (counts.rend() - last > 1 && static_cast<size_t>(counts.rend() - last) * 2 < last->second + 1) last++;
        extent[a] = last->second + 1;
    }
    return extent;
}

}  // namespace

Table parse_table_csv(std::string_view text, uint32_t element_bytes) {
    return parse_table_csv(text, element_bytes, {});
}

Table parse_table_csv(std::string_view text, uint32_t element_bytes, const Advance& advance) {
    const uint64_t whole = text.size();
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    std::vector<Row> rows;
    uint32_t commented_bytes = 0;
    Columns columns;
    bool header_seen = false;
    for (size_t line = 1; !text.empty(); line++) {
        size_t end = text.find('\n');
        std::string_view content = trimmed(text.substr(0, end));
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
        if (content.empty()) continue;
        if (content.front() == '#') {
            if (uint32_t bytes = bytes_from_comment(content, line)) commented_bytes = bytes;
        } else if (rows.empty() && !header_seen && is_header(content)) {
            header_seen = true;
            columns = named_columns(content, line);
        } else {
            rows.push_back(parse_row(content, line, columns));
        }
        constexpr size_t lines_between_words = 1 << 16;
        if (line % lines_between_words == 0) tell(advance, whole - text.size(), whole);
    }
    if (rows.empty()) throw Error("the table is empty: rows of x,y,byte_offset are expected");

    if (element_bytes > max_element_bytes)
        throw Error(fmt::format("elements of {} bytes: they have at most {}", element_bytes, max_element_bytes));
    Table table;
    table.element.bytes = element_bytes ? element_bytes : commented_bytes ? commented_bytes : smallest_distance(rows);
    table.extent = filled_extent(rows);
    if (element_count(table.extent) > 4 * rows.size() + 1024)
        throw Error(fmt::format("{} rows are too few for an image of {}x{}x{} elements", rows.size(),
                                table.extent[axis_x], table.extent[axis_y], table.extent[axis_z]));
    table.offsets.assign(element_count(table.extent), Table::missing_offset);
    for (const Row& row : rows) {
        if (!std::ranges::equal(row.at, table.extent, std::less<>())) {
            table.faults.push_back(fmt::format("element ({},{},{}) is foreign: the others fill {}x{}x{}",
                                               row.at[axis_x], row.at[axis_y], row.at[axis_z], table.extent[axis_x],
                                               table.extent[axis_y], table.extent[axis_z]));
            continue;
        }
        uint64_t& offset = table.offsets[element_index(table.extent, row.at)];
        if (offset != Table::missing_offset && offset != row.offset)
            table.faults.push_back(fmt::format("element ({},{},{}) is there twice, at {:#x} and at {:#x}",
                                               row.at[axis_x], row.at[axis_y], row.at[axis_z], offset, row.offset));
        offset = row.offset;
    }
    return table;
}

}  // namespace tilewise
