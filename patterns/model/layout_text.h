// The layout object of layout_json.h where there are many of them: in databases and bundles.
#pragma once
#include "patterns/model/layout.h"
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilewise {

/// to_json() on one line, without making JSON values first.
std::string layout_text(const Layout& layout);

/// What a layout adds to its pattern in that object: "element"."width" and "height", "stride" without "xor",
/// "constant", "base".
std::string placement_text(const Layout& layout);

/// layout_from_json() of a pattern that was read before: the object's other members ("element"."width" and "height",
/// "stride", "constant", "base") are read and proved as there.
Layout layout_from_json(const nlohmann::json& json, const Pattern& pattern);

}  // namespace tilewise
