#include "db/names/product_index.h"
#include "patterns/model/text.h"
#include <charconv>

namespace tilewise::db {

namespace {

std::string_view index_named(std::string_view name) {
    for (const NameList& file : embedded_product_index())
        if (file.name == name) return file.text;
    return {};
}

std::string_view key_at(std::string_view lines, size_t start) {
    return lines.substr(start, lines.find('\t', start) - start);
}

size_t end_of_line(std::string_view lines, size_t start) { return lines.find('\n', start) + 1; }

/// The lines with this key.
std::string_view lines_with(std::string_view lines, std::string_view key) {
    size_t begin = 0, end = lines.size();  // starts of lines; the first line with the key lies between
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        const size_t start = middle == 0 ? 0 : lines.rfind('\n', middle - 1) + 1;
        if (key_at(lines, start) < key)
            begin = end_of_line(lines, start);
        else
            end = start;
    }
    while (end < lines.size() && key_at(lines, end) == key) end = end_of_line(lines, end);
    return lines.substr(begin, end - begin);
}

/// The lines of each key.
void each_key(std::string_view lines, const std::function<void(std::string_view, std::string_view)>& use) {
    for (size_t begin = 0; begin < lines.size();) {
        const std::string_view key = key_at(lines, begin);
        size_t end = begin;
        while (end < lines.size() && key_at(lines, end) == key) end = end_of_line(lines, end);
        use(key, lines.substr(begin, end - begin));
        begin = end;
    }
}

}  // namespace

std::vector<Candidate> candidates_in(std::string_view lines) {
    std::vector<Candidate> candidates;
    for (size_t at = 0; at < lines.size(); at = end_of_line(lines, at)) {
        const std::vector<std::string> fields = split_fields(lines.substr(at, end_of_line(lines, at) - 1 - at), '\t');
        const auto number = [&](size_t field) {
            size_t value = 0;
            std::from_chars(fields.at(field).data(), fields[field].data() + fields[field].size(), value);
            return value;
        };
        candidates.push_back({number(1), static_cast<unsigned>(number(2)), fields.at(3), fields.at(4)});
    }
    return candidates;
}

std::vector<Candidate> candidates_of_words(const std::string& words) {
    return candidates_in(lines_with(index_named("by_words.txt"), words));
}

std::optional<Candidate> candidate_of_id(const std::string& id) {
    const std::vector<Candidate> found = candidates_in(lines_with(index_named("by_id.txt"), id));
    return found.empty() ? std::nullopt : std::optional(found.front());
}

void each_id(const std::function<void(std::string_view, std::string_view)>& use) {
    each_key(index_named("by_id.txt"), use);
}

void each_product(const std::function<void(std::string_view, std::string_view)>& use) {
    each_key(index_named("by_words.txt"), use);
}

}  // namespace tilewise::db
