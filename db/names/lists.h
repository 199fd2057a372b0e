// The lists of names, compiled into the program.
#pragma once
#include <span>
#include <string_view>

namespace tilewise::db {

struct NameList {
    std::string_view name;  ///< "pci.txt"
    std::string_view text;
};

std::span<const NameList> embedded_names();

}  // namespace tilewise::db
