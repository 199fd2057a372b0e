#include "patterns/model/text.h"
#include <algorithm>
#include <numeric>
#include <utility>

namespace tilewise {

std::string to_lower(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
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

// Row by row of the table of distances between the beginnings of a and b.
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

}  // namespace tilewise
