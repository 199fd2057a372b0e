#include "tests/docs/examples.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

namespace tilewise {

namespace {

using Lines = std::vector<std::string>;

std::string trimmed(const std::string& line) {
    const size_t first = line.find_first_not_of(" \t");
    return first == std::string::npos ? "" : line.substr(first, line.find_last_not_of(" \t") + 1 - first);
}

struct Mark {
    std::string key, subject;
};

std::optional<Mark> mark_of(const std::string& line) {
    static const std::regex form("<!-- example: ([a-z ]+?)(: (.+))? -->");
    std::smatch found;
    if (!std::regex_match(line, found, form)) return {};
    return Mark{found[1], found[3]};
}

void add_mark(Block& block, const Mark& mark) {
    static const std::vector<std::pair<std::string, BlockKind>> kinds = {{"file", BlockKind::file},
                                                                         {"quoted from", BlockKind::quoted},
                                                                         {"recorded in", BlockKind::recorded_in},
                                                                         {"recorded on", BlockKind::recorded_on},
                                                                         {"not run", BlockKind::not_run}};
    if (mark.key == "figures vary" && mark.subject.empty()) {
        block.figures_vary = true;
        return;
    }
    if (mark.subject.empty()) throw Error(fmt::format("the mark '{}' is unknown or lacks its subject", mark.key));
    if (mark.key == "before") {
        block.before.push_back(mark.subject);
        return;
    }
    const auto kind = std::ranges::find(kinds, mark.key, &std::pair<std::string, BlockKind>::first);
    if (kind == kinds.end()) throw Error(fmt::format("the mark '{}' is unknown", mark.key));
    if (block.kind != BlockKind::console) throw Error("two marks that each say how the block is kept true");
    block.kind = kind->second;
    block.subject = mark.subject;
}

void check_language(const Block& block, const std::string& language) {
    if (language.empty()) throw Error("a code block names its language: ```console, ```glsl, ```text");
    if (block.kind == BlockKind::console && language != "console")
        throw Error("nothing says how this block is kept true: make it a ```console block or mark it");
    if (block.figures_vary && block.kind != BlockKind::console)
        throw Error("'figures vary' is for blocks that are run");
}

// "0.1691", "10", "1.361" of "1.358..1.361", but not the digits of "R8G8", "2x128" or "5f37014b".
const std::regex& figure() {
    static const std::regex form("(^|[^A-Za-z0-9_.-]|\\.\\.)(\\d+(?:\\.\\d+)*)(?![A-Za-z0-9_])");
    return form;
}

std::string without_figures(const std::string& line) {
    static const std::regex spaces(" +");
    return std::regex_replace(std::regex_replace(line, figure(), "$1#"), spaces, " ");
}

bool line_stands_for(const std::string& shown, const std::string& printed) {
    const size_t gap = shown.find("...");
    if (gap == std::string::npos) return shown == printed;
    if (printed.compare(0, gap, shown, 0, gap) != 0) return false;
    const std::string rest = shown.substr(gap + 3);
    for (size_t at = gap; at <= printed.size(); at++)
        if (line_stands_for(rest, printed.substr(at))) return true;
    return false;
}

bool rest_stands_for(std::span<const std::string> shown, std::span<const std::string> printed) {
    if (shown.empty()) return printed.empty();
    if (trimmed(shown.front()) != "...")
        return !printed.empty() && line_stands_for(shown.front(), printed.front()) &&
               rest_stands_for(shown.subspan(1), printed.subspan(1));
    for (size_t left_out = 1; left_out <= printed.size(); left_out++)
        if (rest_stands_for(shown.subspan(1), printed.subspan(left_out))) return true;
    return false;
}

/// Trailing spaces, and empty lines at the end, say nothing.
Lines comparable(const Lines& lines, bool figures_vary) {
    Lines result;
    for (const std::string& line : lines) {
        const size_t end = line.find_last_not_of(" \t\r") + 1;
        result.push_back(figures_vary ? without_figures(line.substr(0, end)) : line.substr(0, end));
    }
    while (!result.empty() && result.back().empty()) result.pop_back();
    return result;
}

/// What one object of the JSON says: its words, and its numbers.
struct Record {
    std::set<std::string> words;
    std::vector<double> numbers;
};

void add_to_record(Record& record, const nlohmann::json& value) {
    if (value.is_number()) record.numbers.push_back(value.get<double>());
    if (value.is_string())
        for (const std::string& word : split(value.get<std::string>(), ' ')) record.words.insert(word);
    if (!value.is_array()) return;
    std::string shape;
    for (const nlohmann::json& part : value) {
        add_to_record(record, part);
        if (part.is_number_unsigned()) shape += fmt::format("{}{}", shape.empty() ? "" : "x", part.get<uint64_t>());
    }
    record.words.insert(shape);
}

void collect_records(const nlohmann::json& json, std::vector<Record>& records) {
    if (json.is_object()) {
        Record record;
        for (const nlohmann::json& value : json) add_to_record(record, value);
        records.push_back(std::move(record));
    }
    if (json.is_structured())
        for (const nlohmann::json& value : json) collect_records(value, records);
}

bool is_rounding_of(const std::string& shown, double number) {
    const size_t point = shown.find('.');
    const auto decimals = point == std::string::npos ? 0 : static_cast<int>(shown.size() - point - 1);
    const double unit = std::pow(10.0, -decimals);
    return std::abs(std::stod(shown) - number) <= 0.5000001 * unit;
}

}  // namespace

Lines lines_of(const std::string& text) {
    Lines lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::vector<Block> blocks_of(const std::string& page) {
    std::vector<Block> blocks;
    const Lines lines = lines_of(page);
    Block next;
    size_t at = 0;
    try {
        for (; at < lines.size(); at++) {
            const std::string& line = lines[at];
            if (line.starts_with("    ") || line.starts_with("\t") || line.starts_with("~~~"))
                throw Error("an indented line reads as a code block: fence it with ```");
            if (line.starts_with("```")) {
                next.line = at + 1;
                check_language(next, line.substr(3));
                while (++at < lines.size() && !lines[at].starts_with("```")) next.lines.push_back(lines[at]);
                if (at == lines.size()) throw Error("a code block that does not end");
                blocks.push_back(std::exchange(next, {}));
            } else if (const std::optional<Mark> mark = mark_of(line)) {
                add_mark(next, *mark);
            } else if (line.find("<!-- example") != std::string::npos) {
                throw Error("a mark is a line of its own: <!-- example: KEY: SUBJECT -->");
            } else if (!line.empty() &&
                       (next.kind != BlockKind::console || next.figures_vary || !next.before.empty())) {
                throw Error("a mark without its block");
            }
        }
    } catch (const Error& error) {
        throw Error(fmt::format("line {}: {}", at + 1, error.what()));
    }
    return blocks;
}

std::vector<Example> examples_of(const Block& block) {
    std::vector<Example> examples;
    for (const std::string& line : block.lines) {
        if (line.starts_with("$ "))
            examples.push_back({line.substr(2), {}});
        else if (examples.empty())
            throw Error(fmt::format("line {}: a console block begins with '$ ' and a command", block.line));
        else if (examples.back().command.ends_with('\\') && examples.back().output.empty())
            examples.back().command += '\n' + line;
        else
            examples.back().output.push_back(line);
    }
    if (examples.empty()) throw Error(fmt::format("line {}: an empty block", block.line));
    return examples;
}

bool stands_for(const Lines& shown, const Lines& printed, bool figures_vary) {
    return rest_stands_for(comparable(shown, figures_vary), comparable(printed, figures_vary));
}

bool is_quoted(const Lines& lines, const std::string& file) {
    Lines there;
    for (const std::string& line : lines_of(file)) there.push_back(trimmed(line));
    Lines paragraph;
    const auto is_there = [&] {
        return paragraph.empty() ||
               std::search(there.begin(), there.end(), paragraph.begin(), paragraph.end()) != there.end();
    };
    for (const std::string& line : lines) {
        if (!trimmed(line).empty()) {
            paragraph.push_back(trimmed(line));
        } else {
            if (!is_there()) return false;
            paragraph.clear();
        }
    }
    return is_there();
}

std::string unrecorded_line(const Lines& lines, const nlohmann::json& json) {
    std::vector<Record> records;
    collect_records(json, records);
    for (const std::string& line : lines) {
        Lines figures;
        for (auto found = std::sregex_iterator(line.begin(), line.end(), figure()); found != std::sregex_iterator();
             ++found)
            figures.push_back((*found)[2]);
        // Whole numbers alone are counts and radii: titles have them, too.
        if (std::ranges::none_of(figures, [](const std::string& text) { return text.find('.') != std::string::npos; }))
            continue;
        static const std::regex word("[A-Za-z]\\w*|\\d+x\\d+");
        Lines words;
        for (auto found = std::sregex_iterator(line.begin(), line.end(), word); found != std::sregex_iterator();
             ++found)
            words.push_back(found->str());
        const bool known = std::ranges::any_of(records, [&](const Record& record) {
            return std::ranges::all_of(words, [&](const std::string& text) { return record.words.contains(text); }) &&
                   std::ranges::all_of(figures, [&](const std::string& text) {
                       return std::ranges::any_of(record.numbers,
                                                  [&](double number) { return is_rounding_of(text, number); });
                   });
        });
        if (!known) return line;
    }
    return {};
}

Lines file_links(const std::string& page) {
    static const std::regex form("\\]\\(([^)#:]+)(#[^)]*)?\\)");
    static const std::regex inline_code("`[^`\n]*`");
    const std::string text = std::regex_replace(page, inline_code, "");
    Lines links;
    for (auto found = std::sregex_iterator(text.begin(), text.end(), form); found != std::sregex_iterator(); ++found)
        links.push_back((*found)[1]);
    return links;
}

Lines named_paths(const std::string& page) {
    static const std::regex form("`((?:patterns|probe|kernels|db|tools|tests|docs)/[a-z0-9_./-]*)(?=[ `])");
    Lines paths;
    for (auto found = std::sregex_iterator(page.begin(), page.end(), form); found != std::sregex_iterator(); ++found)
        paths.push_back((*found)[1]);
    return paths;
}

}  // namespace tilewise
