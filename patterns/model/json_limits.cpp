#include "patterns/model/json_limits.h"
#include "patterns/model/error.h"
#include <fmt/format.h>

namespace tilewise {

using nlohmann::json;

namespace {

/// Extracts the place from "[json.exception.parse_error.101] parse error at line 1, column 2: .. - invalid literal;
/// last read: '[x'". The rest of the parser's message names parts of the parser, and quotes the foreign text.
std::string_view place_in(const json::exception& error) {
    std::string_view place = error.what();
    const size_t line = place.find("line ");
    if (line == place.npos) return "one of its numbers is too large";
    place.remove_prefix(line);
    return place.substr(0, place.find_first_not_of("0123456789", place.find("column ") + 7));
}

}  // namespace

void require_json_limits(std::string_view text, std::string_view what) {
    const auto refuse = [&](const char* has, auto most) {
        throw Error(fmt::format("{}: has {} {}: that is not a file of tilewise", what, has, most));
    };
    if (text.size() > max_json_bytes) refuse("more bytes than", max_json_bytes);
    if (const size_t zero = text.find('\0'); zero != text.npos)
        throw Error(fmt::format("{}: has a zero byte at {}: that is not JSON", what, zero));
    // Counted in the text, because the parser's own callback takes longer than the parser. For invalid JSON the count
    // may be wrong; the parser then refuses the text.
    int depth = 0;
    size_t values = 1, text_begin = 0;
    bool in_text = false;
    for (size_t i = 0; i < text.size(); i++) {
        const char c = text[i];
        if (in_text) {
            if (c == '\\') i++;
            if (c != '"') continue;
            in_text = false;
            if (i - text_begin > max_json_text_bytes) refuse("a text of more bytes than", max_json_text_bytes);
        } else if (c == '"') {
            in_text = true;
            text_begin = i + 1;
        } else if (c == '{' || c == '[') {
            if (depth++ >= max_json_depth) refuse("values nested deeper than", max_json_depth);
            if (++values > max_json_values) refuse("more values than", max_json_values);
        } else if (c == '}' || c == ']') {
            depth--;
        } else if (c == ',' && ++values > max_json_values) {
            refuse("more values than", max_json_values);
        }
    }
}

json parse_json(std::string_view text, std::string_view what) {
    require_json_limits(text, what);
    try {
        return json::parse(text);
    } catch (const json::exception& error) {
        throw Error(fmt::format("{}: is not JSON: {}", what, place_in(error)));
    }
}

}  // namespace tilewise
