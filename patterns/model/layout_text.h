// The layout object of layout_json.h as compact text, for databases and bundles, which hold many.
#pragma once
#include "patterns/model/layout.h"
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilewise {

/// The text of to_json() on one line, written without building JSON values first.
std::string layout_text(const Layout& layout);

/// The members of that object that a layout adds to its pattern: "element"."width" and "height", "stride" without
/// "xor", "constant", "base".
std::string placement_text(const Layout& layout);

/// layout_from_json() for a pattern that was read before: the object's other members ("element"."width" and "height",
/// "stride", "constant", "base") are read and checked as there.
Layout layout_from_json(const nlohmann::json& json, const Pattern& pattern);

}  // namespace tilewise
