#include "patterns/model/mode_words.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <iterator>
#include <string>

namespace tilewise {

namespace {

bool is_alphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); }

/// The prefixes of modifiers in drm_fourcc.h.
constexpr std::string_view makers[] = {"nvidia_", "i915_format_mod_", "qcom_", "arm_", "broadcom_", "apple_"};

/// Whether the wanted words, which are followed by this text, end with a word, or with the first field of one.
bool end_a_word(std::string_view wanted, std::string_view behind) {
    if (behind.empty() || !is_alphanumeric(wanted.back())) return true;
    if (behind.front() != '_' && behind.front() != '-') return !is_alphanumeric(behind.front());
    return behind.starts_with("_2d") || wanted.find_first_of("_-") == wanted.npos;
}

/// Whether a word begins at the end of the text.
bool is_before_a_word(std::string_view before) {
    const size_t end_of_last = before.find_last_of(" ,:()");
    const std::string_view begun = end_of_last == before.npos ? before : before.substr(end_of_last + 1);
    return begun.empty() || std::ranges::find(makers, begun) != std::end(makers);
}

}  // namespace

bool is_called(const Mode& mode, std::string_view wanted) {
    std::string name = to_lower(full_name(mode)), words = to_lower(wanted);
    if (words.empty()) return true;
    // "block linear" is "block-linear".
    if (words.find(' ') != words.npos)
        for (std::string* text : {&name, &words}) std::ranges::replace(*text, '-', ' ');
    for (size_t at = name.find(words); at != name.npos; at = name.find(words, at + 1)) {
        const std::string_view all = name;
        if (end_a_word(words, all.substr(at + words.size())) && is_before_a_word(all.substr(0, at))) return true;
    }
    return false;
}

bool has_mode(const ImageLayout& image, std::string_view wanted) {
    return is_called(mode_of(image.subresources.front().layout.pattern), wanted);
}

}  // namespace tilewise
