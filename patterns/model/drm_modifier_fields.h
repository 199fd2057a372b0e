// The DRM format modifiers that drm_fourcc.h lists, and the fields of those that have some: the tables by which modifiers
// are decoded and their names are read.
//
// Sources: drm_fourcc.h of Linux and Mesa for the fields; libdrm's xf86drm.c and drm_info for the way they are written.
// The bits of Blackwell's sector layouts (27 and 26) are those that Mesa's NVK writes.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tilewise::drm {

enum Vendor : uint64_t {
    none,
    intel,
    amd,
    nvidia,
    samsung,
    qualcomm,
    vivante,
    broadcom,
    arm,
    allwinner,
    amlogic,
    mtk,
    apple,
};
inline constexpr std::string_view vendor_names[] = {"NONE",    "INTEL",   "AMD",      "NVIDIA", "SAMSUNG",
                                                    "QCOM",    "VIVANTE", "BROADCOM", "ARM",    "ALLWINNER",
                                                    "AMLOGIC", "MTK",     "APPLE"};
inline constexpr unsigned vendor_shift = 56;
inline constexpr uint64_t vendor_mask = uint64_t{0xff} << vendor_shift;

constexpr uint64_t code(uint64_t vendor, uint64_t value) { return vendor << vendor_shift | value; }

/// A modifier without fields.
struct Named {
    std::string_view name;  ///< in drm_fourcc.h, without DRM_FORMAT_MOD_
    uint64_t number;
    std::string_view layout;
    bool is_compressed = false;
};
inline constexpr uint64_t arm_miscellaneous = uint64_t{1} << 52;
inline constexpr std::string_view y_tiles = "tiles of 4 KiB, 128 bytes x 32 rows, in columns of 16 bytes",
                                  tiles_4 = "tiles of 4 KiB, 128 bytes x 32 rows, of blocks of 64 bytes";
inline constexpr Named named[] = {
    {"LINEAR", 0, "rows in scan order"},
    {"INVALID", 0x00ffffffffffffff, "no modifier: the driver knows the layout by itself"},
    {"I915_FORMAT_MOD_X_TILED", code(intel, 1), "tiles of 4 KiB, 512 bytes x 8 rows in scan order"},
    {"I915_FORMAT_MOD_Y_TILED", code(intel, 2), y_tiles},
    {"I915_FORMAT_MOD_Yf_TILED", code(intel, 3), "tiles of 4 KiB, of units of 256 bytes by 2x2"},
    {"I915_FORMAT_MOD_Y_TILED_CCS", code(intel, 4), y_tiles, true},
    {"I915_FORMAT_MOD_Yf_TILED_CCS", code(intel, 5), "tiles of 4 KiB, of units of 256 bytes by 2x2", true},
    {"I915_FORMAT_MOD_Y_TILED_GEN12_RC_CCS", code(intel, 6), y_tiles, true},
    {"I915_FORMAT_MOD_Y_TILED_GEN12_MC_CCS", code(intel, 7), y_tiles, true},
    {"I915_FORMAT_MOD_Y_TILED_GEN12_RC_CCS_CC", code(intel, 8), y_tiles, true},
    {"I915_FORMAT_MOD_4_TILED", code(intel, 9), tiles_4},
    {"I915_FORMAT_MOD_4_TILED_DG2_RC_CCS", code(intel, 10), tiles_4, true},
    {"I915_FORMAT_MOD_4_TILED_DG2_MC_CCS", code(intel, 11), tiles_4, true},
    {"I915_FORMAT_MOD_4_TILED_DG2_RC_CCS_CC", code(intel, 12), tiles_4, true},
    {"I915_FORMAT_MOD_4_TILED_MTL_RC_CCS", code(intel, 13), tiles_4, true},
    {"I915_FORMAT_MOD_4_TILED_MTL_MC_CCS", code(intel, 14), tiles_4, true},
    {"I915_FORMAT_MOD_4_TILED_MTL_RC_CCS_CC", code(intel, 15), tiles_4, true},
    {"I915_FORMAT_MOD_4_TILED_LNL_CCS", code(intel, 16), tiles_4, true},
    {"I915_FORMAT_MOD_4_TILED_BMG_CCS", code(intel, 17), tiles_4, true},
    {"NVIDIA_TEGRA_TILED", code(nvidia, 1), "tiles of 16 bytes x 16 rows in scan order"},
    {"SAMSUNG_64_32_TILE", code(samsung, 1), "macroblocks of 64x32 texels in a Z shape (NV12MT)"},
    {"SAMSUNG_16_16_TILE", code(samsung, 2), "tiles of 16x16 texels in scan order"},
    {"QCOM_COMPRESSED", code(qualcomm, 1), "macrotiles of 4x4 tiles, compressed (UBWC)", true},
    {"QCOM_TILED2", code(qualcomm, 2), "tiles as in the GPU's own memory"},
    {"QCOM_TILED3", code(qualcomm, 3),
     "macrotiles of 4x4 tiles of 256 bytes; the rows that choose the bank differ by chip"},
    {"BROADCOM_VC4_T_TILED", code(broadcom, 1), "tiles of 4 KiB, whose rows run to and fro"},
    {"BROADCOM_UIF", code(broadcom, 6), "columns of blocks of 2x2 utiles of 64 bytes, with XOR"},
    {"ARM_16X16_BLOCK_U_INTERLEAVED", code(arm, arm_miscellaneous | 1),
     "blocks of 16x16 elements, bits of x^y and y by turns"},
    {"ALLWINNER_TILED", code(allwinner, 1), "tiles of 32x32 bytes in scan order (chroma: 32x64)"},
    {"APPLE_GPU_TILED", code(apple, 1), "tiles of 16 KiB in Morton order"},
    {"APPLE_GPU_TILED_COMPRESSED", code(apple, 2), "tiles of 16 KiB in Morton order, compressed, followed by metadata",
     true},
};

struct FieldValue {
    uint64_t value;
    std::string_view name;
};

struct FieldForm {
    std::string_view name;                   ///< as drm_info writes it
    std::array<std::string_view, 2> others;  ///< as written elsewhere
    unsigned first = 0, bits = 1;
    std::span<const FieldValue> values = {};   ///< named values; empty for a number or a flag
    unsigned upper_first = 0, upper_bits = 0;  ///< further bits of the field, above those
    bool is_flag() const { return values.empty() && bits == 1 && upper_bits == 0; }
};

/// Modifiers with fields. The modifiers of one family agree in the bits of `mask`.
struct Family {
    std::string_view head;                   ///< "AMD"
    std::array<std::string_view, 3> others;  ///< other prefixes
    uint64_t base, mask;
    std::span<const FieldForm> fields;
};

inline constexpr FieldValue nvidia_generations[] = {
    {0, "Fermi to Volta, Tegra from K1 on"}, {1, "G80 to GT2xx"}, {2, "Turing and later"}};
inline constexpr FieldValue nvidia_sectors[] = {{0, "Tegra K1 to X2"},
                                                {1, "desktop, Tegra from Xavier on"},
                                                {2, "Blackwell, elements of a byte"},
                                                {3, "Blackwell, elements of two bytes"}};
inline constexpr FieldValue nvidia_compressions[] = {
    {0, "none"}, {1, "ROP/3D, layout 1"}, {2, "ROP/3D, layout 2"}, {3, "CDE horizontal"}, {4, "CDE vertical"}};
inline constexpr FieldValue nvidia_kinds[] = {
    {0xfe, "generic, Fermi to Volta"}, {0x06, "generic, Turing and later"}, {0, "taken for 0xfe"}};
inline constexpr FieldForm nvidia_fields[] = {
    {"h", {"HEIGHT"}, 0, 4},
    {"k", {"KIND"}, 12, 8, nvidia_kinds},
    {"g", {"GEN"}, 20, 2, nvidia_generations},
    {"s", {"SECTOR"}, 22, 1, nvidia_sectors, 26, 2},
    {"c", {"COMPRESSION"}, 23, 3, nvidia_compressions},
};

inline constexpr FieldValue amd_versions[] = {
    {1, "GFX9"}, {2, "GFX10"}, {3, "GFX10_RBPLUS"}, {4, "GFX11"}, {5, "GFX12"}};
inline constexpr FieldValue amd_tiles[] = {
    {0, "LINEAR"},     {1, "256B_S"},     {2, "256B_D"},     {3, "256B_R"},    {4, "4KB_Z"},     {5, "4KB_S"},
    {6, "4KB_D"},      {7, "4KB_R"},      {8, "64KB_Z"},     {9, "64KB_S"},    {10, "64KB_D"},   {11, "64KB_R"},
    {16, "64KB_Z_T"},  {17, "64KB_S_T"},  {18, "64KB_D_T"},  {19, "64KB_R_T"}, {20, "4KB_Z_X"},  {21, "4KB_S_X"},
    {22, "4KB_D_X"},   {23, "4KB_R_X"},   {24, "64KB_Z_X"},  {25, "64KB_S_X"}, {26, "64KB_D_X"}, {27, "64KB_R_X"},
    {28, "256KB_Z_X"}, {29, "256KB_S_X"}, {30, "256KB_D_X"}, {31, "256KB_R_X"}};
inline constexpr FieldValue amd_gfx12_tiles[] = {{0, "LINEAR"},   {1, "256B_2D"}, {2, "4KB_2D"},  {3, "64KB_2D"},
                                                 {4, "256KB_2D"}, {5, "4KB_3D"},  {6, "64KB_3D"}, {7, "256KB_3D"}};
inline constexpr FieldValue amd_dcc_blocks[] = {{0, "64B"}, {1, "128B"}, {2, "256B"}};
inline constexpr uint64_t amd_gfx12 = 5;
constexpr FieldForm amd_fields(std::span<const FieldValue> tiles, unsigned at) {
    const FieldForm forms[] = {
        {"TILE_VERSION", {"TILE_VER"}, 0, 8, amd_versions},
        {"TILE", {}, 8, 5, tiles},
        {"PIPE_XOR_BITS", {}, 21, 3},
        {"BANK_XOR_BITS", {}, 24, 3},
        {"PACKERS", {}, 27, 3},
        {"RB", {}, 30, 3},
        {"PIPE", {}, 33, 3},
        {"DCC", {}, 13},
        {"DCC_MAX_COMPRESSED_BLOCK", {"DCC_BLOCK"}, 18, 2, amd_dcc_blocks},
        {"DCC_INDEPENDENT_64B", {}, 16},
        {"DCC_INDEPENDENT_128B", {}, 17},
        {"DCC_CONSTANT_ENCODE", {}, 20},
        {"DCC_PIPE_ALIGN", {}, 15},
        {"DCC_RETILE", {}, 14},
    };
    return forms[at];
}
template <size_t... At>
constexpr auto all_amd_fields(std::span<const FieldValue> tiles, std::index_sequence<At...>) {
    return std::array{amd_fields(tiles, At)...};
}
inline constexpr auto amd_gfx9_fields = all_amd_fields(amd_tiles, std::make_index_sequence<14>());
inline constexpr auto amd_gfx12_fields = all_amd_fields(amd_gfx12_tiles, std::make_index_sequence<14>());

inline constexpr FieldValue afbc_blocks[] = {{1, "16x16"}, {2, "32x8"}, {3, "64x4"}, {4, "32x8_64x4"}};
inline constexpr FieldForm afbc_fields[] = {
    {"BLOCK_SIZE", {}, 0, 4, afbc_blocks},
    {"YTR", {}, 4},
    {"SPLIT", {}, 5},
    {"SPARSE", {}, 6},
    {"CBR", {}, 7},
    {"TILED", {}, 8},
    {"SC", {}, 9},
    {"DB", {}, 10},
    {"BCH", {}, 11},
    {"USM", {}, 12},
};
inline constexpr FieldValue afrc_sizes[] = {{1, "16"}, {2, "24"}, {3, "32"}};
inline constexpr FieldValue afrc_layouts[] = {{0, "ROT"}, {1, "SCAN"}};
inline constexpr FieldForm afrc_fields[] = {
    {"CU_SIZE_P0", {"P0"}, 0, 4, afrc_sizes},
    {"CU_SIZE_P12", {"P12"}, 4, 4, afrc_sizes},
    {"LAYOUT", {}, 8, 1, afrc_layouts},
};
inline constexpr FieldForm sand_fields[] = {{"COL_HEIGHT", {}, 8, 48}};
inline constexpr FieldValue vivante_tilings[] = {
    {0, "LINEAR"}, {1, "TILED"}, {2, "SUPER_TILED"}, {3, "SPLIT_TILED"}, {4, "SPLIT_SUPER_TILED"}};
inline constexpr FieldValue vivante_status[] = {{1, "64B_4"}, {2, "64B_2"}, {3, "128B_4"}, {4, "256B_4"}};
inline constexpr FieldValue vivante_compressions[] = {{1, "DEC400"}};
inline constexpr FieldForm vivante_fields[] = {
    {"TILING", {}, 0, 48, vivante_tilings},
    {"TS", {}, 48, 4, vivante_status},
    {"COMP", {"COMPRESSION"}, 52, 4, vivante_compressions},
};
inline constexpr FieldValue amlogic_layouts[] = {{1, "BASIC"}, {2, "SCATTER"}};
inline constexpr FieldForm amlogic_fields[] = {
    {"layout", {"LAYOUT"}, 0, 8, amlogic_layouts},
    {"MEM_SAVING", {}, 8},
};
inline constexpr FieldValue mtk_tiles[] = {{0, "NONE"}, {1, "16L32S"}};
inline constexpr FieldValue mtk_compressions[] = {{0, "NONE"}, {1, "V1"}};
inline constexpr FieldValue mtk_10_bits[] = {{0, "PACKED"}, {1, "LSBTILED"}, {2, "LSBRASTER"}};
inline constexpr FieldForm mtk_fields[] = {
    {"TILE", {}, 0, 8, mtk_tiles},
    {"COMPRESS", {}, 8, 8, mtk_compressions},
    {"10BIT_LAYOUT", {}, 16, 8, mtk_10_bits},
};

inline constexpr uint64_t arm_type = uint64_t{0xf} << 52;
inline constexpr uint64_t sand_mask = vendor_mask | 0xff;
inline constexpr Family modifier_families[] = {
    {"NVIDIA_BLOCK_LINEAR_2D", {"BLOCK_LINEAR_2D"}, code(nvidia, 0x10), vendor_mask | 0x10, nvidia_fields},
    {"AMD", {"AMD_FMT_MOD"}, code(amd, amd_gfx12), vendor_mask | 0xff, amd_gfx12_fields},
    {"AMD", {"AMD_FMT_MOD"}, code(amd, 0), vendor_mask, amd_gfx9_fields},
    {"ARM_AFBC", {"AFBC"}, code(arm, 0), vendor_mask | arm_type, afbc_fields},
    {"ARM_AFRC", {"AFRC"}, code(arm, uint64_t{2} << 52), vendor_mask | arm_type, afrc_fields},
    {"BROADCOM_SAND32", {"SAND32"}, code(broadcom, 2), sand_mask, sand_fields},
    {"BROADCOM_SAND64", {"SAND64"}, code(broadcom, 3), sand_mask, sand_fields},
    {"BROADCOM_SAND128", {"SAND128"}, code(broadcom, 4), sand_mask, sand_fields},
    {"BROADCOM_SAND256", {"SAND256"}, code(broadcom, 5), sand_mask, sand_fields},
    {"VIVANTE", {}, code(vivante, 0), vendor_mask, vivante_fields},
    {"AMLOGIC_FBC", {"FBC"}, code(amlogic, 0), vendor_mask, amlogic_fields},
    {"MTK", {}, code(mtk, 0), vendor_mask, mtk_fields},
};

constexpr uint64_t nvidia_bit = 0x10;  ///< set in NVIDIA's block-linear modifiers

constexpr uint64_t ones(unsigned bits) { return bits == 0 ? 0 : ~uint64_t{0} >> (64 - bits); }

/// The bits of the field.
constexpr uint64_t all_of(const FieldForm& form) {
    return ones(form.bits) << form.first | ones(form.upper_bits) << form.upper_first;
}

/// The value of the field in a modifier.
uint64_t get(const FieldForm& form, uint64_t number);

/// The modifier with another value of the field; none if the value does not fit.
std::optional<uint64_t> with(const FieldForm& form, uint64_t value, uint64_t number);

/// The name of the value; empty if it has none.
std::string_view name_of(std::span<const FieldValue> values, uint64_t value);

/// The name without the maker's prefix: libdrm gives the vendor's name separately.
std::string libdrm_name(const Named& name);

}  // namespace tilewise::drm
