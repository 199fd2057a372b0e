#include "patterns/model/text.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace tilewise {

namespace {

struct Characters {
    char32_t first, last;
};

/// Unicode's categories Cc, Cf, Zl and Zp, and the letters that look blank.
constexpr std::array unseen = std::to_array<Characters>({
    {0x0000, 0x001f},   {0x007f, 0x009f},   {0x00ad, 0x00ad},   {0x034f, 0x034f},   {0x0600, 0x0605},
    {0x061c, 0x061c},   {0x06dd, 0x06dd},   {0x070f, 0x070f},   {0x0890, 0x0891},   {0x08e2, 0x08e2},
    {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},
    {0x2060, 0x206f},   {0x3164, 0x3164},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
    {0xfff0, 0xfffb},   {0xfffe, 0xffff},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f},
    {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
});

/// Whether the byte begins a character in UTF-8.
bool is_first_byte(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

/// The number of bytes of the first character in the text; 0 if it is not valid UTF-8: cut short, overlong, a
/// surrogate, or too large.
size_t read_character(std::string_view text, char32_t& character) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    character = lead;
    if (lead < 0x80) return 1;
    const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return 0;
    character = lead & (0x7fu >> size);
    for (size_t i = 1; i < size; ++i) {
        if (is_first_byte(text[i])) return 0;
        character = character << 6 | (byte(i) & 0x3fu);
    }
    constexpr std::array<char32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
    const bool is_surrogate = character >= 0xd800 && character <= 0xdfff;
    return character < smallest[size] || is_surrogate || character > 0x10ffff ? 0 : size;
}

bool is_unseen(char32_t character) {
    return std::ranges::any_of(
        unseen, [=](const Characters& range) { return character >= range.first && character <= range.last; });
}

}  // namespace

std::string printable(std::string_view text, size_t max_characters) {
    const auto is_plain = [](char c) { return c >= ' ' && c <= '~'; };
    if (text.size() <= max_characters && std::ranges::all_of(text, is_plain)) return std::string(text);
    constexpr std::string_view replacement = "\xef\xbf\xbd", ellipsis = "...";
    const size_t room = max_characters < ellipsis.size() ? 0 : max_characters - ellipsis.size();
    std::string line;
    size_t characters = 0, cut = 0;
    while (!text.empty() && characters <= max_characters) {
        if (characters <= room) cut = line.size();
        char32_t character = 0;
        const size_t size = read_character(text, character), before = line.size();
        if (size == 0)
            line += replacement;
        else if (character >= '\t' && character <= '\r')
            line += ' ';
        else if (is_unseen(character))
            line += fmt::format("<U+{:04X}>", static_cast<uint32_t>(character));
        else
            line += text.substr(0, size);
        characters += static_cast<size_t>(std::ranges::count_if(std::string_view(line).substr(before), is_first_byte));
        text.remove_prefix(std::max<size_t>(size, 1));
    }
    if (characters > max_characters) line.replace(cut, std::string::npos, ellipsis);
    return line;
}

std::string to_lower(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

std::string to_upper(std::string_view text) {
    std::string upper(text);
    for (char& c : upper)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return upper;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts = split_fields(text, separator);
    std::erase(parts, "");
    return parts;
}

std::vector<std::string> split_fields(std::string_view text, char separator) {
    std::vector<std::string> fields;
    // Not std::views::split: clang 14 cannot compile it.
    for (;;) {
        const size_t end = text.find(separator);
        fields.emplace_back(text.substr(0, end));
        if (end == text.npos) return fields;
        text.remove_prefix(end + 1);
    }
}

std::string counted(uint64_t number, std::string_view noun) {
    return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

// Computes the table of distances between the prefixes of a and b row by row.
size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 0; i < a.size(); ++i) {
        size_t diagonal = std::exchange(row[0], i + 1);
        for (size_t j = 0; j < b.size(); ++j) {
            const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
        }
    }
    return row.back();
}

namespace {

/// Likewise, but neighbours that were swapped count once (optimal string alignment).
size_t typing_mistakes(std::string_view a, std::string_view b) {
    std::vector<std::vector<size_t>> rows(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); ++i) rows[i][0] = i;
    for (size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
    for (size_t i = 1; i <= a.size(); ++i)
        for (size_t j = 1; j <= b.size(); ++j) {
            size_t& least = rows[i][j];
            least =
                std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                least = std::min(least, rows[i - 2][j - 2] + 1);
        }
    return rows.back().back();
}

}  // namespace

std::string nearest_name(const std::vector<std::string>& names, std::string_view typed) {
    constexpr size_t most_letters = 100;  // no name is meant by anything longer
    if (typed.size() > most_letters) return "";
    const std::string wanted = to_lower(typed);
    std::string best;
    size_t fewest = 1 + std::max<size_t>(1, typed.size() / 3);  // a text that differs more was not mistyped
    for (const std::string& name : names) {
        const std::string lower = to_lower(name);
        const size_t mistakes = lower.starts_with(wanted) && wanted.size() > 1 ? 1 : typing_mistakes(lower, wanted);
        if (mistakes >= fewest) continue;
        fewest = mistakes;
        best = name;
    }
    return best;
}

std::string no_such_name(std::string_view kind, std::string_view typed, const std::vector<std::string>& names) {
    std::string text = fmt::format("no {} \"{}\"", kind, typed);
    const std::string meant = nearest_name(names, typed);
    text += meant.empty() ? "; there are: " : fmt::format("; did you mean {}? There are: ", meant);
    for (const std::string& name : names) text += (&name == names.data() ? "" : ", ") + name;
    return text;
}

}  // namespace tilewise
