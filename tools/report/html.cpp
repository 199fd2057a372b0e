#include "patterns/picture/svg.h"
#include "tools/report/page.h"
#include "tools/report/report.h"
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewise {

namespace {

std::string_view part_of_page(std::string_view name) {
    for (const PagePart& part : embedded_page())
        if (part.name == name) return part.text;
    return {};
}

/// "<64 hexadecimal digits>  <file>" of sha256sum in base64, as a Content-Security-Policy has it.
std::string base64_hash(std::string_view of_file) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    constexpr size_t hash_digits = 64;
    std::string text;
    uint32_t bits = 0, count = 0;
    for (const char digit : of_file.substr(0, hash_digits)) {
        bits = bits << 4 | static_cast<uint32_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
        for (count += 4; count >= 6; count -= 6) text += digits[bits >> (count - 6) & 63];
    }
    return text + digits[bits << (6 - count) & 63] + "=";
}

/// Each mark once, from the first to the last; what is put in is not looked at again.
std::string filled(std::string_view page, const std::vector<std::pair<std::string_view, std::string>>& marks) {
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
    return filled(part_of_page("page.html"), {{"{{script hash}}", base64_hash(part_of_page("page.js.sha256"))},
                                              {"{{style hash}}", base64_hash(part_of_page("page.css.sha256"))},
                                              {"/*page.css*/", std::string(part_of_page("page.css"))},
                                              {"{{data}}", script_json(data)},
                                              {"/*page.js*/", std::string(part_of_page("page.js"))}});
}

}  // namespace tilewise
