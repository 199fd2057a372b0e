// DRM format modifiers, as drm_fourcc.h puts them together: the vendor in the top 8 bits, and what the vendor says in
// the others. Each family of modifiers is a table of its fields, by which numbers are taken apart and names are read.
//
//   0x0200000020801b03   AMD(TILE_VERSION=GFX10_RBPLUS,TILE=64KB_R_X,PIPE_XOR_BITS=4,PACKERS=4)
//     |        |  | '- bits 7..0   TILE_VERSION 3
//     vendor   |  '--- bits 12..8  TILE 27
//              '------ bits 23..21 and 29..27
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise {

/// One field of a modifier, as its bits say.
struct ModifierField {
    std::string name;  ///< "PIPE_XOR_BITS"
    std::string bits;  ///< where it lies: "23..21"; "27..26,22" where it is in two places
    uint64_t value = 0;
    std::string meaning;  ///< "64KB_R_X", "16 GOBs high"; empty where the number says all
};

/// What a modifier's number says, of any chip.
struct DrmModifier {
    uint64_t number = 0;
    std::string vendor;                 ///< "NVIDIA"; "0x7f" of none that drm_fourcc.h knows
    std::string name;                   ///< with its fields, as drm_info writes it; empty where it is not known
    std::string libdrm_name;            ///< as drmGetFormatModifierName() of libdrm gives it; likewise
    std::vector<ModifierField> fields;  ///< those of its family; none where the number is all that there is to it
    std::string layout;                 ///< how texels lie, in words; empty where nothing is known
    /// Whether the data are compressed, so that where a texel lies is no matter of its place alone.
    bool is_compressed = false;
};

DrmModifier decode_modifier(uint64_t number);

/// {"number","vendor","name","libdrm_name","compressed","layout","fields"}
nlohmann::ordered_json to_json(const DrmModifier& modifier);

/// The number of a modifier as Mode has it: "NVIDIA_BLOCK_LINEAR_2D(0,1,2,0x06,4)", "I915_FORMAT_MOD_4_TILED"; and as
/// the kernel's header, libdrm, drm_info and drmdb write it, with and without its vendor, or as a number. None where
/// there is no modifier, and where a field is not known: a block as high as its image has another height in each.
std::optional<uint64_t> drm_modifier_number(std::string_view modifier);

/// Likewise; throws UsageError that names the ones most like it.
uint64_t parse_modifier(std::string_view text);

/// "0x0300000000606014", or empty.
std::string drm_modifier_text(std::string_view modifier);
std::string drm_modifier_text(uint64_t number);

/// The same modifier with the page kind that drivers mean by kind 0 (drm_fourcc.h: 16BX2_BLOCK); others as they are.
uint64_t canonical_modifier(uint64_t number);

}  // namespace tilewise
