// Values that are names: as they are typed, in any case.
#pragma once
#include "patterns/model/text.h"
#include <CLI/Option.hpp>
#include <string>

namespace tilewise {

/// What the option takes becomes lower case, as the names of kernels, orders and methods are.
inline CLI::Option* in_any_case(CLI::Option* option) {
    return option->transform([](std::string text) { return to_lower(text); });
}

}  // namespace tilewise
