#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/solve/guess.h"
#include "patterns/solve/solve.h"
#include "probe/formats/formats.h"
#include "tools/catalog/facts.h"
#include <algorithm>
#include <bit>
#include <charconv>
#include <fmt/format.h>

namespace tilewise {

namespace {

uint64_t number(std::string_view text, int base) {
    if (base == 16 && text.starts_with("0x")) text.remove_prefix(2);
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size()) throw Error(fmt::format("\"{}\" is no number", text));
    return value;
}

uint32_t small_number(std::string_view text, int base) {
    const uint64_t value = number(text, base);
    if (value > UINT32_MAX) throw Error(fmt::format("\"{}\" is too large", text));
    return static_cast<uint32_t>(value);
}

/// Calls `take` with each line that is not empty; errors name the line.
template <typename Take>
void each_line(std::string_view text, Take take) {
    for (const std::string& line : split(text, '\n')) {
        try {
            take(line);
        } catch (const Error& error) {
            throw Error(fmt::format("\"{}\": {}", line, error.what()));
        }
    }
}

// ------------------------------------------------------------------------------------------------- published tables

struct PublishedTable {
    CatalogFact about;
    std::vector<Coord> order;  ///< the elements in memory order
};

/// Parses "key value", or a row of elements.
void take_published_line(const std::string& line, CatalogFact& common, std::vector<PublishedTable>& tables) {
    if (line.starts_with('#')) return;
    const size_t space = std::min(line.find(' '), line.size());
    const std::string key = line.substr(0, space), value = line.substr(std::min(space + 1, line.size()));
    if (key == "source") {
        common.fact.reason = value;
    } else if (key == "format") {
        common.fact.format = probe::format_named(value).name;
    } else if (key == "time") {
        common.fact.time = value + "T00:00:00Z";
    } else if (key == "device") {
        tables.push_back({common, {}});
        tables.back().about.device.name = value;
    } else if (tables.empty()) {
        throw Error("must come after a device");
    } else if (key == "vendor") {
        tables.back().about.device.vendor_id = small_number(value, 16);
    } else if (key == "type") {
        tables.back().about.device.type = value;
    } else {
        for (const std::string& element : split(line, ' ')) {
            const std::vector<std::string> at = split(std::string_view(element).substr(1, element.size() - 2));
            if (!element.starts_with('[') || !element.ends_with(']') || at.size() != 2)
                throw Error(fmt::format("\"{}\" is neither a known word nor an element [x,y]", element));
            tables.back().order.push_back({small_number(at[0], 10), small_number(at[1], 10), 0, 0});
        }
    }
}

Table table_in_order(const std::vector<Coord>& order, const Element& element) {
    Table table{element, unit_extent, {}, {}};
    for (const Coord& at : order)
        for (const Axis a : {axis_x, axis_y}) table.extent[a] = std::max(table.extent[a], at[a] + 1);
    if (element_count(table.extent) != order.size() || !std::has_single_bit(table.extent[axis_x]) ||
        !std::has_single_bit(table.extent[axis_y]))
        throw Error(fmt::format("{} elements do not fill {}x{}, a power of two each way", order.size(),
                                table.extent[axis_x], table.extent[axis_y]));
    table.offsets.assign(order.size(), Table::missing_offset);
    for (size_t i = 0; i < order.size(); ++i) table.offsets[element_index(table.extent, order[i])] = i * element.bytes;
    return table;
}

/// The layout with the whole table as one tile, checked against the table.
Layout one_tile(const Table& table) {
    Guess guess;
    for (const Axis a : all_axes) guess.tile[a] = log2_exact(table.extent[a]);
    Layout tile;
    const bool exact = try_guess(Probes(table, 0), guess, [&](const Layout& layout) {
        tile = layout;
        for (uint64_t i = 0; i < table.offsets.size(); ++i)
            if (offset_of(layout, element_at_index(table.extent, i)) != table.offsets[i]) return false;
        return true;
    });
    if (!exact) throw Error("the table is no GF(2)-affine tile");
    return tile;
}

// ------------------------------------------------------------------------------------------------------- XOR columns

/// The words of a line, separated by blanks, and what follows a given word.
struct Words {
    std::vector<std::string> all;

    bool has(std::string_view word) const { return std::ranges::find(all, word) != all.end(); }
    /// The hexadecimal numbers after "x:", up to the next word that ends with a colon.
    std::vector<uint64_t> numbers_after(std::string_view name) const {
        std::vector<uint64_t> numbers;
        auto word = std::ranges::find(all, name);
        if (word == all.end()) return numbers;
        for (++word; word != all.end() && !word->ends_with(':'); ++word) numbers.push_back(number(*word, 16));
        return numbers;
    }
};

Table table_of_columns(const Words& words, const Extent_px& extent, const Element& element) {
    LinearMap map;
    Table table{element, {extent[0], extent[1], 1, 1}, {}, {}};
    const char* names[] = {"x:", "y:"};
    for (const Axis a : {axis_x, axis_y}) {
        map.columns[a] = words.numbers_after(names[a]);
        const auto bits = static_cast<size_t>(std::bit_width(table.extent[a] - 1));
        if (map.columns[a].size() != bits)
            throw Error(fmt::format("{} has {} numbers for {} bits", names[a], map.columns[a].size(), bits));
    }
    const std::vector<uint64_t> constants = words.numbers_after("c:");
    const uint64_t constant = constants.empty() ? 0 : constants.front();
    table.offsets.resize(element_count(table.extent));
    for (uint64_t i = 0; i < table.offsets.size(); ++i)
        table.offsets[i] = map(element_at_index(table.extent, i)) ^ constant;
    return table;
}

}  // namespace

std::vector<CatalogFact> published_facts(std::string_view text) {
    CatalogFact common;
    std::vector<PublishedTable> tables;
    each_line(text, [&](const std::string& line) { take_published_line(line, common, tables); });
    std::vector<CatalogFact> facts;
    for (PublishedTable& published : tables) {
        CatalogFact& row = published.about;
        try {
            const Table table = table_in_order(published.order, probe::format_named(row.fact.format).element);
            row.fact.layout = one_tile(table);
            row.fact.extent_px = {table.extent[axis_x], table.extent[axis_y], 1};
            row.fact.elements = table.offsets.size();
        } catch (const Error& error) {
            throw Error(fmt::format("{}: {}", row.device.name, error.what()));
        }
        row.driver.name = "unknown";
        row.fact.route = "table";
        row.fact.result = "exact";
        row.fact.provenance = "published table";
        facts.push_back(std::move(row));
    }
    return facts;
}

std::vector<CatalogFact> column_facts(std::string_view text, const CatalogFact& about) {
    std::string device, source = about.fact.reason;
    std::vector<CatalogFact> facts;
    each_line(text, [&](const std::string& line) {
        const Words words{split(line, ' ')};
        if (line.starts_with('#')) {
            // "# file the device's name", then possibly "# source where the columns are from"
            if (words.all.size() <= 2) return;
            const std::string rest = line.substr(line.find(words.all[1]) + words.all[1].size() + 1);
            if (device.empty())
                device = rest;
            else if (words.all[1] == "source")
                source = rest;
            return;
        }
        if (words.all.size() < 5 || !is_common_format(words.all[1]) || words.all[2] != "mip0" ||
            words.all[3] != "layer0")
            return;
        const bool flat = words.all[0] == "2D" || words.all[0] == "npot";
        if (!flat || !words.has("TILED") || !words.has("GF2-mismatch=0")) return;
        const Extent_px extent = parse_extent(words.all[4]);
        const Table table = table_of_columns(words, extent, probe::format_named(words.all[1]).element);
        const Solution solution = solve(table);
        if (solution.fit != Fit::exact) throw Error(solution.reason);
        CatalogFact& row = facts.emplace_back(about);
        row.device.name = device;
        row.fact.reason = source;
        row.fact.format = words.all[1];
        row.fact.extent_px = {extent[0], extent[1], 1};
        row.fact.result = "exact";
        row.fact.elements = solution.elements;
        row.fact.layout = solution.layout;
    });
    return facts;
}

}  // namespace tilewise
