#include "patterns/model/equation_text.h"
#include "patterns/model/bits.h"
#include "patterns/model/error.h"
#include "patterns/model/layout_json.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <bit>
#include <charconv>
#include <fmt/format.h>

namespace tilewise {

namespace {

/// How many rows do not depend on the place: those of the bytes in an element.
unsigned bits_of_element(const Element& element) {
    return std::has_single_bit(element.bytes) ? log2_exact(element.bytes) : 0;
}

struct Term {
    bool of_tile = false;
    Axis axis = axis_x;
    unsigned bit = 0;
};

[[noreturn]] void fail(size_t row, const std::string& what) {
    throw UsageError(
        fmt::format("--equation: address bit {}: {}; write it as \"0 0 x0 x1 y0 x2^y1\", from bit 0 up", row, what));
}

Term parse_term(std::string_view text, size_t row) {
    const std::string shown = printable(text, 20);
    Term term;
    std::string_view rest = text;
    term.of_tile = rest.starts_with('t');
    if (term.of_tile) rest.remove_prefix(1);
    const size_t axis = rest.empty() ? std::string_view::npos : std::string_view("xyz").find(rest.front());
    if (axis == std::string_view::npos) fail(row, fmt::format("{} is not a coordinate bit", shown));
    term.axis = all_axes[axis];
    const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), term.bit);
    constexpr unsigned last_bit = 23;
    if (error != std::errc() || end != rest.data() + rest.size() || term.bit > last_bit)
        fail(row, fmt::format("{} is not a coordinate bit", shown));
    return term;
}

std::vector<std::string> rows_of(std::string_view equation) {
    std::string blanks(equation);
    for (char& c : blanks)
        if (c == ',' || c == '\t' || c == '|') c = ' ';
    return split(blanks, ' ');
}

}  // namespace

Layout layout_by_equation(std::string_view equation, const Element& element, bool by_columns) {
    std::vector<std::string> rows = rows_of(equation);
    if (rows.empty()) throw UsageError("--equation: it is empty; write \"x0 x1 y0 y1\", address bits from 0 up");
    const unsigned own = bits_of_element(element);
    const size_t zeros = static_cast<size_t>(
        std::ranges::find_if(rows, [](const std::string& row) { return row != "0"; }) - rows.begin());
    if (zeros == 0) {
        rows.insert(rows.begin(), own, "0");
    } else if (zeros < own) {
        fail(zeros,
             fmt::format("elements of {} bytes have {} bits of their own, and {} are 0", element.bytes, own, zeros));
    }
    if (rows.size() > max_address_bits)
        throw UsageError(fmt::format("--equation: {} address bits; at most {}", rows.size(), max_address_bits));

    nlohmann::json json = {{"equation", nlohmann::json::array()}, {"outer_xor", nlohmann::json::object()}};
    std::array<unsigned, axis_count> bits = {}, seen = {};
    for (size_t row = 0; row < rows.size(); row++) {
        std::string inner, outer;
        if (rows[row] != "0")
            for (const std::string& text : split_fields(rows[row], '^')) {
                const Term term = parse_term(text, row);
                std::string& terms = term.of_tile ? outer : inner;
                terms += (terms.empty() ? "" : "^") + text;
                if (term.of_tile) continue;
                bits[term.axis] = std::max(bits[term.axis], term.bit + 1);
                seen[term.axis] |= 1U << term.bit;
            }
        json["equation"].push_back(inner.empty() ? "0" : inner);
        if (!outer.empty()) json["outer_xor"][std::to_string(row)] = outer;
    }
    for (const Axis a : {axis_x, axis_y, axis_z})
        for (unsigned bit = 0; bit < bits[a]; bit++)
            if (!(seen[a] >> bit & 1))
                throw UsageError(
                    fmt::format("--equation: {0}{1} is missing, and {0}{2} is there: two elements would have one place",
                                axis_name(a), bit, bits[a] - 1));
    if (const size_t places = bits[axis_x] + bits[axis_y] + bits[axis_z], room = rows.size() - own; places > room)
        throw UsageError(fmt::format("--equation: {} coordinate bits in {}: two elements would have one place", places,
                                     counted(room, "address bit")));
    json["element"] = {{"bytes", element.bytes}, {"width", element.width}, {"height", element.height}};
    const uint64_t tile_bytes = (uint64_t{1} << rows.size()) * (std::has_single_bit(element.bytes) ? 1 : element.bytes);
    json["tile"] = {{"width", 1U << bits[axis_x]},
                    {"height", 1U << bits[axis_y]},
                    {"depth", 1U << bits[axis_z]},
                    {"bytes", tile_bytes}};
    const uint64_t near = tile_bytes, far = tile_bytes << 10;
    json["stride"] = {{"x", by_columns ? far : near},
                      {"y", by_columns ? near : far},
                      {"z", bits[axis_z] > 0 ? tile_bytes << 20 : 0},
                      {"xor", nlohmann::json::object()}};
    json["constant"] = 0;
    json["base"] = 0;
    try {
        return layout_from_json(json);
    } catch (const Error& error) {
        std::string why = error.what();
        if (why.starts_with("layout: ")) why.erase(0, 8);
        throw UsageError(fmt::format("--equation: {}", why));
    }
}

}  // namespace tilewise
