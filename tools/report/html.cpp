#include "patterns/picture/svg.h"
#include "tools/report/page.h"
#include "tools/report/report.h"
#include <array>
#include <fmt/format.h>
#include <string_view>

namespace tilewise {

namespace {

std::string_view part_of_page(std::string_view name) {
    for (const PagePart& part : embedded_page())
        if (part.name == name) return part.text;
    return {};
}

/// Each mark once, from the first to the last; what is put in is not looked at again.
std::string filled(std::string_view page, const std::array<std::pair<std::string_view, std::string>, 3>& marks) {
    std::string text;
    for (const auto& [mark, value] : marks) {
        const size_t at = page.find(mark);
        text += page.substr(0, at);
        text += value;
        page.remove_prefix(at + mark.size());
    }
    return text += page;
}

}  // namespace

std::string script_json(const nlohmann::ordered_json& json) {
    // ASCII alone: U+2028 and the like are escaped. "<" as a number: neither </script> nor <!-- is left.
    const std::string plain = json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    std::string text;
    text.reserve(plain.size() + plain.size() / 16);
    for (const char c : plain) {
        if (c == '<')
            text += "\\u003c";
        else
            text += c;
    }
    return text;
}

std::string report_page(const Report& report) {
    nlohmann::ordered_json data = to_json(report);
    data["colors"] = memory_colors();
    return filled(part_of_page("page.html"), {{{"/*page.css*/", std::string(part_of_page("page.css"))},
                                               {"{{data}}", script_json(data)},
                                               {"/*page.js*/", std::string(part_of_page("page.js"))}}});
}

}  // namespace tilewise
