#include "tools/cli/terminal/json_text.h"
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

namespace tilewise {

namespace {

using Json = nlohmann::ordered_json;

std::string shortest(double number) {
    // The longest of the shortest texts within these bounds: 1e16 has 17 digits, 1e-5 has 5 zeros before its digits.
    constexpr double least_fixed = 1e-5, most_fixed = 1e16;
    constexpr size_t most_characters = 40;
    const double size = std::fabs(number);
    const bool is_fixed = size == 0 || (size >= least_fixed && size < most_fixed);
    char text[most_characters];
    const auto ended = std::to_chars(text, text + most_characters, number,
                                     is_fixed ? std::chars_format::fixed : std::chars_format::scientific);
    std::string digits(text, ended.ptr);
    if (digits.find_first_of(".e") == std::string::npos) digits += ".0";  // so that it is read back as floating point
    return digits;
}

void add(std::string& text, const Json& value, size_t depth) {
    constexpr size_t step = 2;
    const auto begin_line = [&](size_t of_depth) { text.append("\n").append(of_depth * step, ' '); };
    const auto plain = [](const Json& one) { return one.dump(-1, ' ', true, Json::error_handler_t::replace); };
    if (value.is_number_float()) {
        text += number_text(value.get<double>());
    } else if (!value.is_structured() || value.empty()) {
        text += plain(value);
    } else {
        const bool is_object = value.is_object();
        text += is_object ? '{' : '[';
        bool is_first = true;
        for (const auto& [name, member] : value.items()) {
            if (!is_first) text += ',';
            is_first = false;
            begin_line(depth + 1);
            if (is_object) text += plain(Json(name)) + ": ";
            add(text, member, depth + 1);
        }
        begin_line(depth);
        text += is_object ? '}' : ']';
    }
}

}  // namespace

std::string number_text(double number) {
    if (!std::isfinite(number)) return "null";
    constexpr int few_digits = 12;
    char rounded[40];
    const auto ended =
        std::to_chars(rounded, rounded + sizeof rounded, number, std::chars_format::scientific, few_digits - 1);
    double near = 0;
    std::from_chars(rounded, ended.ptr, near);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const bool is_next = near == std::nextafter(number, infinity) || near == std::nextafter(number, -infinity);
    return shortest(is_next ? near : number);
}

std::string json_text(const Json& document) {
    std::string text;
    add(text, document, 0);
    return text;
}

}  // namespace tilewise
