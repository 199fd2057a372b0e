// The layout as the one JSON object that `solve`, `query`, the database and the bundles share.
#pragma once
#include "patterns/model/layout.h"
#include "patterns/model/names.h"
#include <nlohmann/json.hpp>

namespace tilewise {

/// Strides, base and the tile's size are in bytes; the equation is a list of address bits (of bits of the element's
/// index if it counts elements); G is "outer_xor", F is "stride"."xor".
/// Example:
///     assert(to_json(layout)["tile"]["bytes"] == 65536);
nlohmann::ordered_json to_json(const Layout& layout);
/// "modifier_number" is the number that drm_fourcc.h gives the modifier.
/// Example:
///     const Mode mode = {.name = "Intel TileY0", .size = "", .modifier = "I915_FORMAT_MOD_Y_TILED"};
///     assert(to_json(mode)["modifier_number"] == "0x0100000000000002");
nlohmann::ordered_json to_json(const Mode& mode);  ///< {"name","size","modifier","modifier_number"}

/// Throws Error naming the member that is missing or wrong (a tile that is not a power of two, an equation that is not
/// injective, an unknown coordinate bit). Members that do not belong to the layout are ignored.
/// Example:
///     const nlohmann::json json = nlohmann::json::parse(solved);
///     assert(lie_alike(layout_from_json(json["layout"]), layout));
Layout layout_from_json(const nlohmann::json& json);

/// "x4^y4" for the set of coordinate bits in row `bit` of the map; "0" for an empty row. `prefix` is "t" for maps of
/// tile coordinates ("tx0").
/// Example:
///     assert(equation_row(layout.pattern.equation, 9) == "x4^y4");
///     assert(equation_row(layout.pattern.outer_xor, 10, "t") == "tx0");
std::string equation_row(const LinearMap& map, unsigned bit, const char* prefix = "");

}  // namespace tilewise
