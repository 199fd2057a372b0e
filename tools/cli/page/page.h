// The files that the page is made of, as they lie beside this one.
#pragma once
#include <span>
#include <string_view>

namespace tilewise {

struct PagePart {
    std::string_view name, text;
};
std::span<const PagePart> embedded_page();

}  // namespace tilewise
