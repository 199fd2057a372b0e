#include "tools/cli/options/numbers.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace tilewise {

namespace {

bool consists_of(std::string_view text, std::string_view characters) {
    return !text.empty() && text.find_first_not_of(characters) == text.npos;
}

/// Without the zeros that it begins with; returns what is wrong with it.
std::string read_whole_number(std::string& text, bool has_sign) {
    if (text.starts_with("0x") && consists_of(std::string_view(text).substr(2), "0123456789abcdefABCDEF")) return "";
    const bool is_negative = has_sign && text.starts_with('-');
    const std::string_view number = std::string_view(text).substr(is_negative ? 1 : 0);
    if (!consists_of(number, "0123456789"))
        return fmt::format("Value {} not a whole number without {}unit", text, has_sign ? "" : "sign or ");
    const std::string_view rest = number.substr(std::min(number.find_first_not_of('0'), number.size() - 1));
    text = (is_negative ? "-" : "") + std::string(rest);
    return "";
}

std::string read_number(std::string& text) {
    double value = 0;
    if (CLI::detail::lexical_cast(text, value) && std::isfinite(value)) return "";
    return fmt::format("Value {} not a number", text);
}

}  // namespace

void read_plain_numbers(CLI::App& app) {
    for (CLI::Option* option : app.get_options()) {
        const std::string type = option->get_type_name();
        if (type.starts_with("UINT") || type.starts_with("INT")) {
            const bool has_sign = type.starts_with("INT");
            option->transform(
                CLI::Validator([has_sign](std::string& text) { return read_whole_number(text, has_sign); }, ""));
        } else if (type.starts_with("FLOAT")) {
            option->transform(CLI::Validator(read_number, ""));
        }
    }
    for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) read_plain_numbers(*command);
}

}  // namespace tilewise
