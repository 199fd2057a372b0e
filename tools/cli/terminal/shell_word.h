// Words of a command for a shell.
#pragma once
#include <string>

namespace tilewise {

/// The text in single quotes, for any shell.
std::string quoted(std::string text);

/// The text unchanged if none of its characters is special in any shell; else in quotes.
std::string shell_word(const std::string& text);

}  // namespace tilewise
