#include "tools/cli/terminal/width.h"
#include <algorithm>
#include <utf8proc.h>

namespace tilewise {

namespace {

/// Removes the first character from the text, and returns its columns. Bytes that are not UTF-8 take one column each.
size_t take_character(std::string_view& text) {
    utf8proc_int32_t character = 0;
    const utf8proc_ssize_t size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                                   static_cast<utf8proc_ssize_t>(text.size()), &character);
    text.remove_prefix(static_cast<size_t>(std::max<utf8proc_ssize_t>(size, 1)));
    return size > 0 ? static_cast<size_t>(utf8proc_charwidth(character)) : 1;
}

}  // namespace

size_t display_width(std::string_view text) {
    size_t width = 0;
    while (!text.empty()) width += take_character(text);
    return width;
}

std::string cut_to_width(std::string_view text, size_t width) {
    constexpr std::string_view dots = "..";
    if (display_width(text) <= width) return std::string(text);
    const size_t room = width < dots.size() ? 0 : width - dots.size();
    size_t used = 0, end = 0;
    for (std::string_view rest = text; !rest.empty(); end = text.size() - rest.size()) {
        used += take_character(rest);
        if (used > room) break;
    }
    return std::string(text.substr(0, end)) += dots;
}

}  // namespace tilewise
