// Words of a command that a shell is to read.
#pragma once
#include <string>

namespace tilewise {

/// In single quotes, for any shell.
std::string quoted(std::string text);

/// As it stands where no shell takes any of its characters for its own; else in quotes.
std::string shell_word(const std::string& text);

}  // namespace tilewise
