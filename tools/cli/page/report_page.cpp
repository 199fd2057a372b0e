#include "tools/cli/page/report_page.h"
#include "patterns/picture/svg.h"
#include "tools/cli/files/deflate.h"
#include "tools/cli/page/page.h"
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

/// Converts "<64 hexadecimal digits>  <file>" from sha256sum to base64, as needed in a Content-Security-Policy.
std::string base64_hash(std::string_view of_file) {
    constexpr size_t hash_digits = 64;
    std::string hash;
    for (size_t i = 0; i < hash_digits; i += 2)
        hash += static_cast<char>(std::stoi(std::string(of_file.substr(i, 2)), nullptr, 16));
    return base64(hash);
}

/// Replaces each mark once, in order; inserted text is not searched for marks.
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

std::string report_page(const Report& report) {
    nlohmann::ordered_json data = to_json(report);
    data["colors"] = memory_colors();
    const std::string text = data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return filled(part_of_page("page.html"), {{"{{script hash}}", base64_hash(part_of_page("page.js.sha256"))},
                                              {"{{style hash}}", base64_hash(part_of_page("page.css.sha256"))},
                                              {"/*page.css*/", std::string(part_of_page("page.css"))},
                                              {"{{data}}", base64(zlib_compress(text))},
                                              {"/*page.js*/", std::string(part_of_page("page.js"))}});
}

}  // namespace tilewise
