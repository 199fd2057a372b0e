// The layout as the one JSON object that solve, query, the database and the bundles share.
#pragma once
#include "patterns/model/layout.h"
#include "patterns/model/names.h"
#include <nlohmann/json.hpp>

namespace tilewise {

/// Strides, base and the tile's size in bytes; the equation by address bits (of the element's index where it counts
/// elements); G as "outer_xor" and F as "stride"."xor".
/// Example:
///     assert(to_json(layout)["tile"]["bytes"] == 65536);
nlohmann::ordered_json to_json(const Layout& layout);
/// The number of a modifier is drm_fourcc.h's.
/// Example:
///     const Mode mode = {.name = "Intel TileY0", .size = "", .modifier = "I915_FORMAT_MOD_Y_TILED"};
///     assert(to_json(mode)["modifier_number"] == "0x0100000000000002");
nlohmann::ordered_json to_json(const Mode& mode);  ///< {"name","size","modifier","modifier_number"}

/// Throws Error naming the member that is missing or wrong (a tile that is no power of two, an equation that is not
/// injective, an unknown coordinate bit). Members that are not the layout's are left alone.
/// Example:
///     const nlohmann::json json = nlohmann::json::parse(solved);
///     assert(lie_alike(layout_from_json(json["layout"]), layout));
Layout layout_from_json(const nlohmann::json& json);

/// "x4^y4" for the set of coordinate bits in row `bit` of the map; "0" where there is none. `prefix` is "t" for maps
/// of tile coordinates ("tx0").
/// Example:
///     assert(equation_row(layout.pattern.equation, 9) == "x4^y4");
///     assert(equation_row(layout.pattern.outer_xor, 10, "t") == "tx0");
std::string equation_row(const LinearMap& map, unsigned bit, const char* prefix = "");

}  // namespace tilewise
