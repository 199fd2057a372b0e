// AMD's modes whose equations depend on a chip's address configuration, as RADV lays out images for that chip.
#pragma once
#include "patterns/model/layout.h"
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tilewise {

/// The fields are those of a DRM format modifier (patterns/model/drm_modifier.h).
struct AmdEquation {
    uint32_t version;  ///< TILE_VERSION: 2 GFX10, 3 GFX10_RBPLUS, 4 GFX11
    uint32_t tile;     ///< TILE: 22 4KB_D_X, 27 64KB_R_X
    uint32_t pipes;    ///< PIPE_XOR_BITS
    uint32_t packers;  ///< PACKERS
    uint32_t element_bytes;
    std::string_view equation;  ///< as layout_by_equation() reads it
    std::string_view slices;  ///< "11 10 9": the address bits that bits 0, 1, 2 of a slice's (a layer's) number change
    std::string_view chips;   ///< chips that are known to have it; empty if none is
};

std::span<const AmdEquation> amd_equations();

}  // namespace tilewise
