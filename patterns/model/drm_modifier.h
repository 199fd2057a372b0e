// DRM format modifiers as drm_fourcc.h composes them: the vendor in the top 8 bits, vendor-defined fields in the
// others. Each family of modifiers is a table of its fields, which serves to decode numbers and to read names.
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

/// One field of a modifier, decoded from its bits.
struct ModifierField {
    std::string name;  ///< "PIPE_XOR_BITS"
    std::string bits;  ///< where it lies: "23..21"; "27..26,22" if it is split in two
    uint64_t value = 0;
    std::string meaning;  ///< "64KB_R_X", "16 GOBs high"; empty where the value needs no explanation
};

/// What a modifier's number says, for any chip.
struct DrmModifier {
    uint64_t number = 0;
    std::string vendor;                 ///< "NVIDIA"; "0x7f" for a vendor that drm_fourcc.h does not list
    std::string name;                   ///< with its fields, as drm_info writes it; empty if not known
    std::string libdrm_name;            ///< as libdrm's drmGetFormatModifierName() gives it; empty if not known
    std::vector<ModifierField> fields;  ///< the fields of its family; empty if the number has none
    std::string layout;                 ///< how texels lie, in words; empty if nothing is known
    /// Whether the data are compressed: then a texel's address does not follow from its coordinates alone.
    bool is_compressed = false;
};

DrmModifier decode_modifier(uint64_t number);

/// {"number","vendor","name","libdrm_name","compressed","layout","fields"}
nlohmann::ordered_json to_json(const DrmModifier& modifier);

/// The number of a modifier from its name: as Mode writes it ("NVIDIA_BLOCK_LINEAR_2D(0,1,2,0x06,4)",
/// "I915_FORMAT_MOD_4_TILED") or as the kernel's header, libdrm, drm_info and drmdb write it, with or without the
/// vendor; a number in text form is accepted, too. Returns none if there is no such modifier, or if a field is not
/// known (a block as high as its image has a different height in each image).
std::optional<uint64_t> drm_modifier_number(std::string_view modifier);

/// Like drm_modifier_number(), but throws UsageError that names the most similar modifiers.
uint64_t parse_modifier(std::string_view text);

/// "0x0300000000606014"; empty if the name has no number.
std::string drm_modifier_text(std::string_view modifier);
std::string drm_modifier_text(uint64_t number);

/// The same modifier with page kind 0 replaced by the kind that drivers mean by it (drm_fourcc.h: 16BX2_BLOCK); other
/// modifiers are returned unchanged.
uint64_t canonical_modifier(uint64_t number);

}  // namespace tilewise
