// The names of an enum's values, defined once for both printing and parsing.
#pragma once
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include <array>
#include <string_view>

namespace tilewise {

template <typename Enum, size_t count>
struct EnumNames {
    const char* kind;                      ///< what a value is: "language"
    std::array<const char*, count> names;  ///< in the order of the values, which count from 0

    constexpr const char* operator[](Enum value) const { return names.at(static_cast<size_t>(value)); }

    /// The value with that name; case does not matter. Throws UsageError that lists the names.
    /// Example:
    ///     constexpr EnumNames<ConvertDirection, 2> names = {"direction", {"tile", "detile"}};
    ///     assert(names.parse("Detile") == ConvertDirection::detile);
    ///     assert(names[names.parse("tile")] == std::string("tile"));
    Enum parse(std::string_view name) const {
        for (size_t i = 0; i < count; i++)
            if (to_lower(names[i]) == to_lower(name)) return static_cast<Enum>(i);
        throw UsageError(no_such_name(kind, name, {names.begin(), names.end()}));
    }
};

}  // namespace tilewise
