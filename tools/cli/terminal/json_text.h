// JSON as it is printed: each number as short as it can be read back.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace tilewise {

/// As nlohmann's dump(2) in ASCII, but for floating point: that writes 59.732761000000004 where 59.732761 is the same
/// number (its Grisu2 finds the shortest text for most numbers, not for all), std::to_chars the shortest always. What
/// is one rounding away from a number of at most 12 digits, 0.13999999999999999, is written as that: 0.14.
std::string json_text(const nlohmann::ordered_json& document);

/// One number likewise; "null" for what is none.
std::string number_text(double number);

}  // namespace tilewise
