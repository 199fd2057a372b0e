// Prints JSON, with each number as short as it can be without changing its value.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace tilewise {

/// Like nlohmann's dump(2) in ASCII, except for floating-point numbers: dump() writes 59.732761000000004 for the number
/// 59.732761, because its Grisu2 finds the shortest text for most numbers, but not for all; std::to_chars always does.
/// A number one rounding away from one with at most 12 digits, such as 0.13999999999999999, is written as that one:
/// 0.14.
std::string json_text(const nlohmann::ordered_json& document);

/// One number likewise; "null" if it is not finite.
std::string number_text(double number);

}  // namespace tilewise
