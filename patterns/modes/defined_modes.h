// Modes that published texts define, whoever made the image: a name, its parameters and the element's size determine a
// pattern, without asking a GPU.
//
//   block_linear, gobs=16, elements of 4 bytes    "0 0 x0 x1 y0 y1 x2 y2 x3 | y3 y4 y5 y6"
//   tiley, elements of 16 bytes                   "0 0 0 0 y0 y1 y2 y3 y4 | x0 x1 x2"
//   amd, mode=64KB_R_X, gfx=10.3, pipes=4, ..     as read from a chip of that address configuration
#pragma once
#include "patterns/convert/assemble.h"
#include "patterns/model/layout.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise {

/// "gobs" -> "16".
using ModeParameters = std::map<std::string, std::string>;

/// A mode and its parameters, as a user asks for it.
struct ModeRequest {
    std::string mode;  ///< a name from defined_mode_names(), in any case, with or without "_" and "-"
    ModeParameters parameters;
    bool operator==(const ModeRequest&) const = default;
};

struct DefinedMode {
    std::string name;        ///< "block_linear"
    std::string parameters;  ///< "gobs=1..32 (16), kind=turing|fermi|tegra|blackwell (turing)"
    std::string meaning;     ///< "NVIDIA block-linear"
    std::string source;      ///< the text that defines it
};

/// All defined modes.
const std::vector<DefinedMode>& defined_modes();

/// The requests that need no knowledge of a chip: each mode with its usual parameters; NVIDIA's blocks in each kind and
/// height.
std::vector<ModeRequest> requests_without_a_chip();

/// Whether this is the name of a defined mode.
bool is_defined_mode(std::string_view name);

/// The request that corresponds to a modifier's number. Throws Error that says why there is none: compressed data, or a
/// mode that no text here defines.
ModeRequest request_of_modifier(uint64_t modifier);

/// The layout of an image of `extent` elements: tiles one after another without a gap, except where the mode requires
/// one. Its pattern is in canonical form (docs/address-model.md). Throws UsageError for a name, a parameter or an
/// element that the mode does not have.
Layout defined_layout(const ModeRequest& request, const Element& element, const Coord& extent);

/// The pattern that large images in the mode have.
Layout defined_layout(const ModeRequest& request, const Element& element);

/// What an image of `extent` elements takes in the memory: whole blocks of the mode, of which the canonical tile may be
/// a part. Throws as defined_layout() does.
PartMemory defined_memory(const ModeRequest& request, const Element& element, const Coord& extent);

/// Whether the mode also covers images with depth.
bool has_depth(const ModeRequest& request);

/// Bytes per row of texels in one tile of an image in the mode; 0 if its tiles do not lie in rows.
uint64_t tile_width_bytes(const ModeRequest& request, const Element& element, const Coord& extent);

/// "block_linear, gobs=16, kind=turing, as drm_fourcc.h and Mesa's nil define it"
std::string describe(const ModeRequest& request);

}  // namespace tilewise
