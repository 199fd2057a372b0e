// JSON from strangers: what it may cost is limited before anything is made of it.
#pragma once
#include <nlohmann/json.hpp>
#include <string_view>

namespace tilewise {

constexpr int max_json_depth = 64;                       ///< arrays and objects in one another
constexpr size_t max_json_bytes = size_t{1} << 30;       ///< of the document
constexpr size_t max_json_text_bytes = size_t{1} << 20;  ///< of one string or name
constexpr size_t max_json_values = size_t{1} << 24;      ///< each takes up to a hundred bytes of memory

/// Throws Error of one line: "WHAT: has ..", the limit that it exceeds, or a zero byte, which the parser would take for
/// the text's end. Whether it is JSON else does not matter.
void require_json_limits(std::string_view text, std::string_view what);

/// Throws Error of one line: "WHAT: is not JSON: .." with line and column, or the limit that it exceeds.
nlohmann::json parse_json(std::string_view text, std::string_view what);

}  // namespace tilewise
