#include "tools/cli/terminal/shell_word.h"

namespace tilewise {

std::string quoted(std::string text) {
    for (size_t at = 0; (at = text.find('\'', at)) != text.npos; at += 4) text.replace(at, 1, "'\\''");
    return "'" + text + "'";
}

std::string shell_word(const std::string& text) {
    constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@%+,-";
    return !text.empty() && text.find_first_not_of(plain) == text.npos ? text : quoted(text);
}

}  // namespace tilewise
