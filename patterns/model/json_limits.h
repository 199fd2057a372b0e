// JSON from strangers: its cost is limited before it is parsed.
#pragma once
#include <nlohmann/json.hpp>
#include <string_view>

namespace tilewise {

constexpr int max_json_depth = 64;                       ///< nested arrays and objects
constexpr size_t max_json_bytes = size_t{1} << 30;       ///< of the document
constexpr size_t max_json_text_bytes = size_t{1} << 20;  ///< of one string or name
constexpr size_t max_json_values = size_t{1} << 24;      ///< each takes up to a hundred bytes of memory

/// Throws Error with the one line "WHAT: has ..", naming the limit that the text exceeds, or a zero byte, which the
/// parser would take for the end of the text. Whether the text is valid JSON otherwise is not checked.
void require_json_limits(std::string_view text, std::string_view what);

/// Throws Error with the one line "WHAT: is not JSON: ..", with line and column, or with the limit that the text
/// exceeds.
nlohmann::json parse_json(std::string_view text, std::string_view what);

}  // namespace tilewise
