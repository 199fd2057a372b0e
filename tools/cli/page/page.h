// The files that make up the page, as they are in this folder.
#pragma once
#include <span>
#include <string_view>

namespace tilewise {

struct PagePart {
    std::string_view name, text;
};
std::span<const PagePart> embedded_page();

}  // namespace tilewise
