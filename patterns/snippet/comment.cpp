#include "patterns/snippet/comment.h"
#include "patterns/model/text.h"

namespace tilewise {

namespace {

/// The line may contain foreign names. A line ending in a backslash, or in ??/ where there are trigraphs, would draw
/// the next line into the comment.
std::string comment_line(std::string_view text, std::string_view mark) {
    constexpr size_t max_characters = 2000;
    std::string line = std::string(mark) + " " + printable(text, max_characters);
    line.erase(line.find_last_not_of(' ') + 1);
    if (line.ends_with('\\') || line.ends_with("?\?/")) line += '.';
    return line + '\n';
}

}  // namespace

std::string comment_lines(std::string_view text, std::string_view mark) {
    std::string lines;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        if (end > 0) lines += comment_line(text.substr(0, end), mark);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

}  // namespace tilewise
