// Values that are names may be typed in any case.
#pragma once
#include "patterns/model/text.h"
#include <CLI/Option.hpp>
#include <string>

namespace tilewise {

/// Converts the option's value to lower case, as in the names of kernels, orders and methods.
inline CLI::Option* in_any_case(CLI::Option* option) {
    return option->transform([](std::string text) { return to_lower(text); });
}

}  // namespace tilewise
