// The terminal, or what stdout and stderr are in its place.
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

namespace tilewise::system {

enum class Output { out = 1, err = 2 };

bool is_terminal(Output output);
/// Of a line; none where it is no terminal, or does not say.
std::optional<size_t> terminal_columns(Output output);
/// Whether escape sequences colour a terminal's text.
bool terminal_has_colors();

/// Once, before anything is printed: text is UTF-8, and bytes stay as they are.
void prepare_standard_streams();

/// Whether a failure to write to stdout, by its errno, which was the last failure of all, is that its reader went away.
bool reader_went_away(int error);

/// In one piece: a console takes a part of a character for a wrong one.
void print_to_stderr(std::string_view text);

}  // namespace tilewise::system
