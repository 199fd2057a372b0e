#include "patterns/model/json_limits.h"
#include "patterns/model/error.h"
#include <fmt/format.h>

namespace tilewise {

using nlohmann::json;

namespace {

/// "[json.exception.parse_error.101] parse error at line 1, column 2: .. - invalid literal; last read: '[x'", without
/// the name in front and without the foreign text at the end.
std::string_view reason_of(const json::exception& error) {
    std::string_view reason = error.what();
    if (const size_t end = reason.find("] "); end != reason.npos) reason.remove_prefix(end + 2);
    return reason.substr(0, reason.find("; last read"));
}

}  // namespace

json parse_json(std::string_view text, std::string_view what) {
    const auto refuse = [&](const char* has, auto most) {
        throw Error(fmt::format("{}: has {} {}: that is no file of tilewise", what, has, most));
    };
    if (text.size() > max_json_bytes) refuse("more bytes than", max_json_bytes);
    size_t values = 0;
    const auto check = [&](int depth, json::parse_event_t event, const json& value) {
        using Event = json::parse_event_t;
        if (event == Event::object_end || event == Event::array_end) return true;
        if (event != Event::value && event != Event::key && depth >= max_json_depth)
            refuse("values nested deeper than", max_json_depth);
        if (value.is_string() && value.get_ref<const std::string&>().size() > max_json_text_bytes)
            refuse("a text of more bytes than", max_json_text_bytes);
        if (event != Event::key && ++values > max_json_values) refuse("more values than", max_json_values);
        return true;
    };
    try {
        return json::parse(text, check);
    } catch (const json::exception& error) {
        throw Error(fmt::format("{}: is no JSON: {}", what, reason_of(error)));
    }
}

}  // namespace tilewise
