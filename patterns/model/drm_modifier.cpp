// Sources: drm_fourcc.h of Linux and Mesa for the fields; libdrm's xf86drm.c and drm_info for the way they are written.
// The bits of Blackwell's sector layouts (27 and 26) are those that Mesa's NVK writes.
#include "patterns/model/drm_modifier.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <span>

namespace tilewise {

namespace {

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
constexpr std::string_view vendor_names[] = {"NONE",     "INTEL", "AMD",       "NVIDIA",  "SAMSUNG", "QCOM", "VIVANTE",
                                             "BROADCOM", "ARM",   "ALLWINNER", "AMLOGIC", "MTK",     "APPLE"};
constexpr unsigned vendor_shift = 56;
constexpr uint64_t vendor_mask = uint64_t{0xff} << vendor_shift;

constexpr uint64_t code(uint64_t vendor, uint64_t value) { return vendor << vendor_shift | value; }

/// A modifier without fields.
struct Named {
    std::string_view name;  ///< in drm_fourcc.h, without DRM_FORMAT_MOD_
    uint64_t number;
    std::string_view layout;
    bool is_compressed = false;
};
constexpr uint64_t arm_miscellaneous = uint64_t{1} << 52;
constexpr std::string_view y_tiles = "tiles of 4 KiB, 128 bytes x 32 rows, in columns of 16 bytes",
                           tiles_4 = "tiles of 4 KiB, 128 bytes x 32 rows, of blocks of 64 bytes";
constexpr Named named[] = {
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

constexpr FieldValue nvidia_generations[] = {
    {0, "Fermi to Volta, Tegra from K1 on"}, {1, "G80 to GT2xx"}, {2, "Turing and later"}};
constexpr FieldValue nvidia_sectors[] = {{0, "Tegra K1 to X2"},
                                         {1, "desktop, Tegra from Xavier on"},
                                         {2, "Blackwell, elements of a byte"},
                                         {3, "Blackwell, elements of two bytes"}};
constexpr FieldValue nvidia_compressions[] = {
    {0, "none"}, {1, "ROP/3D, layout 1"}, {2, "ROP/3D, layout 2"}, {3, "CDE horizontal"}, {4, "CDE vertical"}};
constexpr FieldValue nvidia_kinds[] = {
    {0xfe, "generic, Fermi to Volta"}, {0x06, "generic, Turing and later"}, {0, "taken for 0xfe"}};
constexpr FieldForm nvidia_fields[] = {
    {"h", {"HEIGHT"}, 0, 4},
    {"k", {"KIND"}, 12, 8, nvidia_kinds},
    {"g", {"GEN"}, 20, 2, nvidia_generations},
    {"s", {"SECTOR"}, 22, 1, nvidia_sectors, 26, 2},
    {"c", {"COMPRESSION"}, 23, 3, nvidia_compressions},
};

constexpr FieldValue amd_versions[] = {{1, "GFX9"}, {2, "GFX10"}, {3, "GFX10_RBPLUS"}, {4, "GFX11"}, {5, "GFX12"}};
constexpr FieldValue amd_tiles[] = {
    {0, "LINEAR"},     {1, "256B_S"},     {2, "256B_D"},     {3, "256B_R"},    {4, "4KB_Z"},     {5, "4KB_S"},
    {6, "4KB_D"},      {7, "4KB_R"},      {8, "64KB_Z"},     {9, "64KB_S"},    {10, "64KB_D"},   {11, "64KB_R"},
    {16, "64KB_Z_T"},  {17, "64KB_S_T"},  {18, "64KB_D_T"},  {19, "64KB_R_T"}, {20, "4KB_Z_X"},  {21, "4KB_S_X"},
    {22, "4KB_D_X"},   {23, "4KB_R_X"},   {24, "64KB_Z_X"},  {25, "64KB_S_X"}, {26, "64KB_D_X"}, {27, "64KB_R_X"},
    {28, "256KB_Z_X"}, {29, "256KB_S_X"}, {30, "256KB_D_X"}, {31, "256KB_R_X"}};
constexpr FieldValue amd_gfx12_tiles[] = {{0, "LINEAR"},   {1, "256B_2D"}, {2, "4KB_2D"},  {3, "64KB_2D"},
                                          {4, "256KB_2D"}, {5, "4KB_3D"},  {6, "64KB_3D"}, {7, "256KB_3D"}};
constexpr FieldValue amd_dcc_blocks[] = {{0, "64B"}, {1, "128B"}, {2, "256B"}};
constexpr uint64_t amd_gfx12 = 5;
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
constexpr auto amd_gfx9_fields = all_amd_fields(amd_tiles, std::make_index_sequence<14>());
constexpr auto amd_gfx12_fields = all_amd_fields(amd_gfx12_tiles, std::make_index_sequence<14>());

constexpr FieldValue afbc_blocks[] = {{1, "16x16"}, {2, "32x8"}, {3, "64x4"}, {4, "32x8_64x4"}};
constexpr FieldForm afbc_fields[] = {
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
constexpr FieldValue afrc_sizes[] = {{1, "16"}, {2, "24"}, {3, "32"}};
constexpr FieldValue afrc_layouts[] = {{0, "ROT"}, {1, "SCAN"}};
constexpr FieldForm afrc_fields[] = {
    {"CU_SIZE_P0", {"P0"}, 0, 4, afrc_sizes},
    {"CU_SIZE_P12", {"P12"}, 4, 4, afrc_sizes},
    {"LAYOUT", {}, 8, 1, afrc_layouts},
};
constexpr FieldForm sand_fields[] = {{"COL_HEIGHT", {}, 8, 48}};
constexpr FieldValue vivante_tilings[] = {
    {0, "LINEAR"}, {1, "TILED"}, {2, "SUPER_TILED"}, {3, "SPLIT_TILED"}, {4, "SPLIT_SUPER_TILED"}};
constexpr FieldValue vivante_status[] = {{1, "64B_4"}, {2, "64B_2"}, {3, "128B_4"}, {4, "256B_4"}};
constexpr FieldValue vivante_compressions[] = {{1, "DEC400"}};
constexpr FieldForm vivante_fields[] = {
    {"TILING", {}, 0, 48, vivante_tilings},
    {"TS", {}, 48, 4, vivante_status},
    {"COMP", {"COMPRESSION"}, 52, 4, vivante_compressions},
};
constexpr FieldValue amlogic_layouts[] = {{1, "BASIC"}, {2, "SCATTER"}};
constexpr FieldForm amlogic_fields[] = {
    {"layout", {"LAYOUT"}, 0, 8, amlogic_layouts},
    {"MEM_SAVING", {}, 8},
};
constexpr FieldValue mtk_tiles[] = {{0, "NONE"}, {1, "16L32S"}};
constexpr FieldValue mtk_compressions[] = {{0, "NONE"}, {1, "V1"}};
constexpr FieldValue mtk_10_bits[] = {{0, "PACKED"}, {1, "LSBTILED"}, {2, "LSBRASTER"}};
constexpr FieldForm mtk_fields[] = {
    {"TILE", {}, 0, 8, mtk_tiles},
    {"COMPRESS", {}, 8, 8, mtk_compressions},
    {"10BIT_LAYOUT", {}, 16, 8, mtk_10_bits},
};

constexpr uint64_t arm_type = uint64_t{0xf} << 52;
constexpr uint64_t sand_mask = vendor_mask | 0xff;
constexpr Family modifier_families[] = {
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

constexpr uint64_t ones(unsigned bits) { return bits == 0 ? 0 : ~uint64_t{0} >> (64 - bits); }

uint64_t get(const FieldForm& form, uint64_t number) {
    return (number >> form.first & ones(form.bits)) | (number >> form.upper_first & ones(form.upper_bits)) << form.bits;
}

constexpr uint64_t all_of(const FieldForm& form) {
    return ones(form.bits) << form.first | ones(form.upper_bits) << form.upper_first;
}

std::optional<uint64_t> with(const FieldForm& form, uint64_t value, uint64_t number) {
    if (value > ones(form.bits + form.upper_bits)) return std::nullopt;
    return (number & ~all_of(form)) | (value & ones(form.bits)) << form.first |
           (value >> form.bits) << form.upper_first;
}

std::string_view name_of(std::span<const FieldValue> values, uint64_t value) {
    const auto found = std::ranges::find(values, value, &FieldValue::value);
    return found == values.end() ? std::string_view() : found->name;
}

std::string bits_text(const FieldForm& form) {
    const auto range = [](unsigned first, unsigned bits) {
        return bits == 1 ? std::to_string(first) : fmt::format("{}..{}", first + bits - 1, first);
    };
    return (form.upper_bits > 0 ? range(form.upper_first, form.upper_bits) + "," : "") + range(form.first, form.bits);
}

/// "0x06" or "4".
std::optional<uint64_t> whole_number(std::string_view text) {
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if (hexadecimal) text.remove_prefix(2);
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::string upper(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return out;
}

bool is_same(std::string_view a, std::string_view b) { return upper(a) == upper(b); }

/// Takes a word off the front of `text`, in any case.
bool take(std::string_view& text, std::string_view word) {
    if (text.size() < word.size() || !is_same(text.substr(0, word.size()), word)) return false;
    text.remove_prefix(word.size());
    return true;
}

const Family* family_of(uint64_t number) {
    const auto found =
        std::ranges::find_if(modifier_families, [&](const Family& each) { return (number & each.mask) == each.base; });
    return found == std::end(modifier_families) ? nullptr : found;
}

constexpr uint64_t amd_x_modes = 16;  ///< the first TILE value of those that the chip's own fields change

/// Whether a field is used: unused ones are 0, and are left out of the name.
bool is_of_use(const Family& family, const FieldForm& form, uint64_t number) {
    const uint64_t value = get(form, number);
    if (value != 0 || family.head.starts_with("NVIDIA") || family.head.find("SAND") != std::string_view::npos)
        return true;
    if (family.head == "AMD") {
        const uint64_t version = number & 0xff, tile = number >> 8 & 0x1f;
        const bool is_of_chip = version < amd_gfx12 && tile >= amd_x_modes;
        if (form.name == "PIPE_XOR_BITS") return is_of_chip;
        if (form.name == "BANK_XOR_BITS") return is_of_chip && version == 1;
        if (form.name == "PACKERS") return is_of_chip && version >= 3;
        return form.name.starts_with("TILE") || (form.name == "DCC_MAX_COMPRESSED_BLOCK" && (number >> 13 & 1) != 0);
    }
    return form.first == 0 || (family.head == "ARM_AFRC" && form.name == "LAYOUT");
}

/// The name as drm_info writes it: "AMD(TILE_VERSION=GFX9,TILE=64KB_S)"; NVIDIA's five fields are written as in
/// drm_fourcc.h.
std::string family_name(const Family& family, uint64_t number) {
    if (family.head == "NVIDIA_BLOCK_LINEAR_2D")
        return fmt::format("{}({},{},{},{:#04x},{})", family.head, get(family.fields[4], number),
                           get(family.fields[3], number), get(family.fields[2], number), get(family.fields[1], number),
                           get(family.fields[0], number));
    std::vector<std::string> texts;
    for (const FieldForm& form : family.fields) {
        if (!is_of_use(family, form, number)) continue;
        const uint64_t value = get(form, number);
        const std::string_view name = name_of(form.values, value);
        if (form.is_flag()) {
            if (value != 0) texts.emplace_back(form.name);
        } else {
            texts.push_back(fmt::format("{}={}", form.name, name.empty() ? std::to_string(value) : std::string(name)));
        }
    }
    return fmt::format("{}({})", family.head, fmt::join(texts, ","));
}

constexpr uint64_t nvidia_bit = 0x10;

std::string libdrm_amd(uint64_t number) {
    const uint64_t version = number & 0xff, tile = number >> 8 & 0x1f;
    const auto field = [&](unsigned first, unsigned bits) { return number >> first & ones(bits); };
    const std::string_view version_name = name_of(amd_versions, version);
    if (version_name.empty()) return {};
    const std::string_view tile_name = name_of(
        version >= amd_gfx12 ? std::span<const FieldValue>(amd_gfx12_tiles) : std::span<const FieldValue>(amd_tiles),
        tile);
    if (version >= amd_gfx12 && tile_name.empty()) return {};
    std::string text =
        fmt::format("{},{}", version_name, tile_name.empty() ? fmt::format("INVALID{}", tile) : tile_name);
    const bool has_dcc = field(13, 1) != 0;
    const uint64_t largest = uint64_t{64} << field(18, 2);
    if (version >= amd_gfx12) return text + (has_dcc ? fmt::format(",DCC,DCC_MAX_COMPRESSED_BLOCK={}B", largest) : "");
    if (tile >= amd_x_modes) {
        text += fmt::format(",PIPE_XOR_BITS={}", field(21, 3));
        if (version == 1) text += fmt::format(",BANK_XOR_BITS={}", field(24, 3));
        if (version >= 3) text += fmt::format(",PACKERS={}", field(27, 3));
    }
    if (!has_dcc) return text;
    const bool aligned = field(15, 1) != 0, retiled = field(14, 1) != 0;
    if (version == 1 && (aligned || retiled)) text += fmt::format(",RB={},PIPE={}", field(30, 3), field(33, 3));
    text += fmt::format(",DCC,DCC_MAX_COMPRESSED_BLOCK={}B", largest);
    if (field(16, 1)) text += ",DCC_INDEPENDENT_64B";
    if (field(17, 1)) text += ",DCC_INDEPENDENT_128B";
    if (field(20, 1)) text += ",DCC_CONSTANT_ENCODE";
    return text + (aligned ? ",DCC_PIPE_ALIGN" : "") + (retiled ? ",DCC_RETILE" : "");
}

std::string libdrm_arm(const Family& family, uint64_t number) {
    if (family.head == "ARM_AFRC") {
        const std::string_view first = name_of(afrc_sizes, get(afrc_fields[0], number)),
                               second = name_of(afrc_sizes, get(afrc_fields[1], number));
        if (first.empty()) return {};
        return fmt::format("P0=CU_{},{}{}", first, second.empty() ? "" : fmt::format("P12=CU_{},", second),
                           name_of(afrc_layouts, get(afrc_fields[2], number)));
    }
    const std::string_view block = name_of(afbc_blocks, get(afbc_fields[0], number));
    if (block.empty()) return {};
    std::vector<std::string_view> modes;
    for (const FieldForm& form : std::span(afbc_fields).subspan(1))
        if (get(form, number) != 0) modes.push_back(form.name);
    return fmt::format("BLOCK_SIZE={},{}{}", block, modes.empty() ? "" : "MODE=", fmt::join(modes, "|"));
}

std::string libdrm_vivante(uint64_t number) {
    const auto part = [&](const FieldForm& form, std::string_view before) {
        const uint64_t value = get(form, number);
        if (value == 0 && form.first != 0) return std::string();
        const std::string_view name = value == 0 ? std::string_view() : name_of(form.values, value);
        return fmt::format("{}{}", before, name.empty() ? "UNKNOWN" : name);
    };
    return part(vivante_fields[0], "") + part(vivante_fields[1], ",TS=") + part(vivante_fields[2], ",COMP=");
}

/// drmGetFormatModifierName().
std::string libdrm_name(const Family& family, uint64_t number) {
    const auto field = [&](unsigned i) { return get(family.fields[i], number); };
    switch (number >> vendor_shift) {
        case nvidia:
            return fmt::format("BLOCK_LINEAR_2D,HEIGHT={},KIND={},GEN={},SECTOR={},COMPRESSION={}", field(0), field(1),
                               field(2), field(3) & 1, field(4));
        case amd:
            return libdrm_amd(number);
        case arm:
            return libdrm_arm(family, number);
        case vivante:
            return libdrm_vivante(number);
        case broadcom:  // which only has names for columns without a height
            return field(0) == 0 ? std::string(family.others.front()) : "";
        case amlogic: {
            const std::string_view layout = name_of(amlogic_layouts, field(0));
            return fmt::format("FBC,LAYOUT={},OPTIONS={}", layout.empty() ? "INVALID_LAYOUT" : layout,
                               field(1) ? "MEM_SAVING" : "0");
        }
        default:
            return {};
    }
}

/// The name without the maker's prefix: libdrm gives the vendor's name separately.
std::string libdrm_name(const Named& name) {
    std::string_view text = name.name;
    if (name.number == 0 || name.number == code(none, ones(vendor_shift))) return std::string(text);
    if (take(text, "I915_FORMAT_MOD_")) return std::string(text);
    return std::string(text.substr(text.find('_') + 1));
}

std::string gobs_text(uint64_t log2_high) {
    constexpr uint64_t highest = 5;
    return counted(uint64_t{1} << log2_high, "GOB") + " high" + (log2_high > highest ? ", which no GPU has" : "");
}

/// Sets how texels lie, and whether they are compressed.
void describe(const Family& family, DrmModifier& out) {
    const auto field = [&](unsigned i) { return get(family.fields[i], out.number); };
    switch (out.number >> vendor_shift) {
        case nvidia:
            out.fields.front().meaning = gobs_text(field(0));
            out.is_compressed = field(4) != 0;
            out.layout = fmt::format("blocks of 64 bytes x {} rows, {}", (field(2) == 1 ? 4U : 8U) << field(0),
                                     gobs_text(field(0)));
            break;
        case amd: {
            out.is_compressed = (out.number >> 13 & 1) != 0;
            const std::string_view tile = name_of(family.fields[1].values, field(1));
            if (tile == "LINEAR")
                out.layout = "rows in scan order";
            else if (!tile.empty())
                out.layout = fmt::format("AMD's mode {}{}{}", tile,
                                         name_of(amd_versions, field(0)).empty()
                                             ? ", of no version that drm_fourcc.h knows"
                                             : fmt::format(" on {}", name_of(amd_versions, field(0))),
                                         field(1) >= amd_x_modes ? ", of the chip's address configuration" : "");
            if (out.is_compressed) out.layout += "; DCC beside it in a plane of its own";
            break;
        }
        case arm:
            out.is_compressed = true;
            out.layout = family.head == "ARM_AFBC" ? "superblocks with a header each, compressed without loss (AFBC)"
                                                   : "coding units of a fixed size, compressed with loss (AFRC)";
            break;
        case broadcom:
            out.layout = fmt::format("columns {} bytes wide, {} rows from one to the next",
                                     family.head.substr(family.head.find("SAND") + 4), field(0));
            break;
        case vivante: {
            out.is_compressed = field(2) != 0;
            const std::string_view tiling = name_of(vivante_tilings, field(0));
            if (tiling == "LINEAR") out.layout = "rows in scan order";
            if (tiling.ends_with("TILED")) out.layout = "tiles of 4x4 texels";
            if (tiling.ends_with("SUPER_TILED")) out.layout += " in super-tiles of 64x64";
            if (tiling.starts_with("SPLIT")) out.layout += ", every second one at another base";
            break;
        }
        case amlogic:
            out.is_compressed = true;
            out.layout = "superblocks of 64x32 texels, compressed (FBC)";
            break;
        case mtk:
            out.is_compressed = field(1) != 0;
            out.layout = field(0) == 1 ? "tiles of 16 bytes x 32 rows in scan order" : "";
            break;
        default:
            break;
    }
}

/// A part of a modifier's text: "TILE=64KB_R_X", or a word alone.
struct Item {
    std::string key, value;
};

/// The words between brackets, commas and bars.
std::vector<Item> items_of(std::string_view text) {
    std::vector<Item> items;
    std::string word;
    bool is_value = false;
    const auto end = [&] {
        if (word.empty()) return;
        if (is_value && !items.empty())
            items.back().value += (items.back().value.empty() ? "" : "=") + word;  // no value has an "="
        else
            items.push_back({word, ""});
        word.clear();
        is_value = false;
    };
    for (const char c : text) {
        if (c == '=') {
            end();
            is_value = true;
        } else if (c == '(' || c == ')' || c == ',' || c == '|' || c == ' ' || c == '\t') {
            const bool waits = is_value && word.empty();
            end();
            is_value = waits && c == ' ';
        } else {
            word += c;
        }
    }
    end();
    return items;
}

/// The prefixes of the header's macros before a field's name and its value: "AMD_FMT_MOD_TILE_GFX9_64K_S".
std::string_view without_macro(std::string_view word) {
    for (const std::string_view start : {"AMD_FMT_MOD_", "AFBC_FORMAT_MOD_", "AFRC_FORMAT_MOD_", "VIVANTE_MOD_",
                                         "MTK_FMT_MOD_", "AMLOGIC_FBC_", "OPTION_"})
        take(word, start);
    return word;
}

/// "GFX9_64K_R_X", "TILE_GFX11_256K_R_X" and "64KB_R_X" become equal.
std::string plain_tile(std::string_view text) {
    std::string word = upper(text);
    if (word.starts_with("TILE_")) word.erase(0, 5);
    if (word.starts_with("GFX"))
        if (const size_t end = word.find('_'); end != std::string::npos)
            if (const char first = word[end + 1]; first == '2' || first == '4' || first == '6') word.erase(0, end + 1);
    for (const std::string_view size : {"4K_", "64K_", "256K_"})
        if (word.starts_with(size)) word.insert(size.size() - 1, "B");
    return word;
}

/// The value that the word gives the field: by name or as a number.
std::optional<uint64_t> value_of(const FieldForm& form, std::string_view word) {
    word = without_macro(word);
    std::string plain = form.name == "TILE" && form.first == 8 ? plain_tile(word) : upper(word);
    for (std::string_view start :
         {std::string_view("VER_"), std::string_view("TILE_VER_"), std::string_view("CU_SIZE_"),
          std::string_view("CU_"), std::string_view("LAYOUT_"), std::string_view("DCC_BLOCK_"),
          std::string_view("BLOCK_SIZE_"), std::string_view("TS_"), std::string_view("COMP_"),
          std::string_view("TILE_"), std::string_view("COMPRESS_"), std::string_view("10BIT_LAYOUT_")})
        if (plain.starts_with(start)) {
            plain.erase(0, start.size());
            break;
        }
    for (const FieldValue& each : form.values)
        if (upper(each.name) == plain ||
            (form.name == "TS" &&
             upper(each.name) == plain.substr(0, plain.find('_')) + "B_" + plain.substr(plain.find('_') + 1)))
            return each.value;
    return whole_number(word);
}

bool is_called(const FieldForm& form, std::string_view word) {
    return is_same(form.name, word) || std::ranges::any_of(form.others, [&](std::string_view other) {
               return !other.empty() && is_same(other, word);
           });
}

/// A modifier's number as far as it has been read, and the bits of the fields that were given.
struct ReadNumber {
    uint64_t number = 0, said = 0;

    /// Returns false if the value does not fit the field, or if another value was given before.
    bool say(const FieldForm& form, uint64_t value) {
        const std::optional<uint64_t> changed = with(form, value, number);
        if (!changed || ((said & all_of(form)) != 0 && *changed != number)) return false;
        number = *changed;
        said |= all_of(form);
        return true;
    }
};

/// Applies an item to the number; returns false if the item is unknown.
bool apply_item(const Family& family, const Item& item, ReadNumber& read) {
    const std::string_view key = without_macro(item.key);
    if (!item.value.empty()) {
        if (is_same(key, "MODE") || is_same(key, "OPTIONS")) {  // libdrm's word before flags
            if (item.value == "0") return true;
            return apply_item(family, {item.value, ""}, read);
        }
        for (const FieldForm& form : family.fields) {
            if (!is_called(form, key)) continue;
            const std::optional<uint64_t> value = value_of(form, item.value);
            return value && read.say(form, *value);
        }
        return false;
    }
    for (const FieldForm& form : family.fields) {
        if (form.is_flag() && is_called(form, key)) return read.say(form, 1);
        if (form.values.empty()) continue;
        const std::optional<uint64_t> value = whole_number(key) ? std::nullopt : value_of(form, key);
        if (value) return read.say(form, *value);
    }
    return false;
}

/// "(0,1,2,0x06,4)": c, s, g, k and h.
std::optional<uint64_t> by_position(const Family& family, const std::vector<Item>& items) {
    uint64_t number = family.base;
    for (size_t i = 0; i < items.size(); i++) {
        const std::optional<uint64_t> value = items[i].value.empty() ? whole_number(items[i].key) : std::nullopt;
        const std::optional<uint64_t> changed =
            value ? with(family.fields[items.size() - 1 - i], *value, number) : std::nullopt;
        if (!changed) return std::nullopt;
        number = *changed;
    }
    return number;
}

bool is_of_columns(const Family& family) { return family.head.find("SAND") != std::string_view::npos; }

std::optional<uint64_t> by_items(const Family& family, std::vector<Item> items) {
    if (items.size() == family.fields.size() && family.head.starts_with("NVIDIA"))
        if (const auto number = by_position(family, items)) return number;
    if (is_of_columns(family) && !items.empty() && is_same(items.front().key, "_COL_HEIGHT"))
        items.erase(items.begin());
    if (is_of_columns(family) && items.size() == 1 && items.front().value.empty()) return by_position(family, items);
    ReadNumber read = {family.base};
    for (size_t i = 0; i < items.size(); i++) {
        const std::string_view key = without_macro(items[i].key);
        const bool is_no_option = i > 0 && i + 1 == items.size() && items[i].value.empty() && key == "0";
        if (is_no_option && family.head == "AMLOGIC_FBC") continue;  // the macro's second argument
        const auto takes_value = [&](const FieldForm& form) { return !form.is_flag() && is_called(form, key); };
        if (items[i].value.empty() && i + 1 < items.size() && std::ranges::any_of(family.fields, takes_value)) {
            // AFRC_FORMAT_MOD_CU_SIZE_P0(AFRC_FORMAT_MOD_CU_SIZE_16)
            if (!apply_item(family, {items[i].key, items[i + 1].key}, read)) return std::nullopt;
            i++;
        } else if (is_same(key, "SET") && i + 2 < items.size()) {  // AMD_FMT_MOD_SET(TILE, AMD_FMT_MOD_TILE_GFX9_64K_S)
            if (!apply_item(family, {items[i + 1].key, items[i + 2].key}, read)) return std::nullopt;
            i += 2;
        } else if (!apply_item(family, items[i], read)) {
            return std::nullopt;
        }
    }
    return (read.number & family.mask) == family.base ? std::optional(read.number) : std::nullopt;
}

/// The text after the family's name, using the longest matching spelling; none if the text begins otherwise.
std::optional<std::string_view> behind_head(const Family& family, std::string_view text) {
    std::optional<std::string_view> best;
    const auto try_head = [&](std::string_view head) {
        std::string_view rest = text;
        if (!head.empty() && take(rest, head) && (!best || rest.size() < best->size())) best = rest;
    };
    try_head(family.head);
    for (const std::string_view other : family.others) try_head(other);
    return best;
}

/// Reads by the family that begins the text. libdrm leaves the family's name out, and tools write the vendor's name
/// before it.
std::optional<uint64_t> by_family(std::string_view text) {
    for (const Family& family : modifier_families)
        if (std::optional<std::string_view> rest = behind_head(family, text)) {
            if (rest->starts_with('_') && !is_of_columns(family)) rest->remove_prefix(1);
            const std::vector<Item> items = items_of(*rest);
            if (items.empty() && !is_of_columns(family)) continue;
            if (const auto number = by_items(family, items)) return number;
        }
    for (const std::string_view vendor : vendor_names) {
        std::string_view rest = text;
        if (take(rest, vendor) && take(rest, "_"))
            if (const auto number = by_family(rest)) return number;
    }
    for (const Family& family : modifier_families) {
        const std::vector<Item> items = items_of(text);
        // A single word such as TILED is not enough to identify a vendor.
        if (is_of_columns(family) || items.empty() || (items.size() < 2 && items.front().value.empty())) continue;
        if (const auto number = by_items(family, items)) return number;
    }
    return std::nullopt;
}

std::optional<uint64_t> by_name(std::string_view text) {
    for (const Named& each : named) {
        if (is_same(text, each.name)) return each.number;
        const std::string_view vendor = vendor_names[each.number >> vendor_shift];
        if (is_same(text, fmt::format("{}_{}", vendor, libdrm_name(each)))) return each.number;
    }
    // libdrm's names without a vendor, if only one modifier has the name.
    std::vector<uint64_t> numbers;
    for (const FieldValue& each : vivante_tilings)
        if (each.value != 0 && is_same(text, each.name)) numbers.push_back(code(vivante, each.value));
    for (const Named& each : named)
        if (is_same(text, libdrm_name(each))) numbers.push_back(each.number);
    if (numbers.size() == 1) return numbers.front();
    if (is_same(text, "GENERIC_16_16_TILE")) return code(samsung, 2);
    if (is_same(text, "MTK_16L_32S_TILE")) return code(mtk, 1);
    if (is_same(text, "NONE")) return 0;
    return std::nullopt;
}

/// "16BX2_BLOCK(4)", "16BX2_BLOCK_SIXTEEN_GOB".
std::optional<uint64_t> by_16bx2(std::string_view text) {
    take(text, "NVIDIA_");
    if (!take(text, "16BX2_BLOCK")) return std::nullopt;
    constexpr std::string_view counts[] = {"ONE", "TWO", "FOUR", "EIGHT", "SIXTEEN", "THIRTYTWO"};
    for (uint64_t i = 0; i < std::size(counts); i++)
        if (is_same(text, fmt::format("_{}_GOB", counts[i]))) return code(nvidia, nvidia_bit | i);
    const std::vector<Item> items = items_of(text);
    const std::optional<uint64_t> log2_high = items.size() == 1 ? whole_number(items.front().key) : std::nullopt;
    if (!log2_high || *log2_high >= std::size(counts)) return std::nullopt;
    return code(nvidia, nvidia_bit | *log2_high);
}

/// "fourcc_mod_code(NVIDIA, 0x606014)"
std::optional<uint64_t> by_code(std::string_view text) {
    if (!take(text, "fourcc_mod_code")) return std::nullopt;
    const std::vector<Item> items = items_of(text);
    if (items.size() != 2) return std::nullopt;
    for (uint64_t vendor = 0; vendor < std::size(vendor_names); vendor++)
        if (is_same(items[0].key, vendor_names[vendor]))
            if (const auto value = whole_number(items[1].key); value && *value <= ones(vendor_shift))
                return code(vendor, *value);
    return std::nullopt;
}

std::string_view trimmed(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
    return first == std::string_view::npos ? std::string_view() : text.substr(first, last - first + 1);
}

/// The number after a name, as drm_info writes it: "LINEAR (0x0)".
std::optional<uint64_t> number_behind(std::string_view text) {
    const size_t open = text.rfind("(0x");
    if (open == std::string_view::npos || open == 0 || text[open - 1] != ' ' || !text.ends_with(')'))
        return std::nullopt;
    const auto number = whole_number(text.substr(open + 1, text.size() - open - 2));
    const auto named_before = drm_modifier_number(text.substr(0, open));
    return number == named_before ? number : std::nullopt;
}

}  // namespace

DrmModifier decode_modifier(uint64_t number) {
    DrmModifier out;
    out.number = number;
    const uint64_t vendor = number >> vendor_shift;
    out.vendor = vendor < std::size(vendor_names) ? std::string(vendor_names[vendor]) : fmt::format("{:#04x}", vendor);
    if (const auto found = std::ranges::find(named, number, &Named::number); found != std::end(named)) {
        out.name = found->name;
        out.libdrm_name = libdrm_name(*found);
        out.layout = found->layout;
        out.is_compressed = found->is_compressed;
        return out;
    }
    const Family* family = family_of(number);
    if (!family) return out;
    uint64_t unknown = number & ~family->mask;
    for (const FieldForm& form : family->fields) {
        const uint64_t value = get(form, number);
        unknown &= ~all_of(form);
        out.fields.push_back(
            {std::string(form.name), bits_text(form), value, std::string(name_of(form.values, value))});
    }
    if (unknown != 0)
        out.fields.push_back({"reserved", "", unknown, "bits that drm_fourcc.h gives no meaning"});
    else
        out.name = family_name(*family, number);
    out.libdrm_name = libdrm_name(*family, number);
    describe(*family, out);
    return out;
}

nlohmann::ordered_json to_json(const DrmModifier& modifier) {
    nlohmann::ordered_json fields = nlohmann::ordered_json::array();
    for (const ModifierField& field : modifier.fields)
        fields.push_back(
            {{"name", field.name}, {"bits", field.bits}, {"value", field.value}, {"meaning", field.meaning}});
    return {{"number", drm_modifier_text(modifier.number)},
            {"vendor", modifier.vendor},
            {"name", modifier.name},
            {"libdrm_name", modifier.libdrm_name},
            {"compressed", modifier.is_compressed},
            {"layout", modifier.layout},
            {"fields", fields}};
}

std::optional<uint64_t> drm_modifier_number(std::string_view modifier) {
    constexpr size_t longest = 600;  // all fields, written with their macros
    std::string_view text = trimmed(modifier);
    if (text.empty() || text.size() > longest) return std::nullopt;
    // A number printed with 16 digits is hexadecimal, even without a prefix.
    const bool is_padded = text.size() == 16 && text.starts_with('0') && text[1] != 'x' && text[1] != 'X';
    if (const auto number = whole_number(is_padded ? fmt::format("0x{}", text) : std::string(text))) return number;
    if (const auto number = number_behind(text)) return number;
    if (const auto number = by_code(text)) return number;
    take(text, "DRM_FORMAT_MOD_");
    for (const auto& way : {by_name, by_16bx2, by_family})
        if (const auto number = way(text)) return number;
    return std::nullopt;
}

uint64_t parse_modifier(std::string_view text) {
    if (const auto number = drm_modifier_number(text)) return *number;
    std::string_view said = trimmed(text);
    take(said, "DRM_FORMAT_MOD_");
    for (const Family& family : modifier_families)
        if (const auto rest = behind_head(family, said); rest && rest->starts_with('(')) {
            std::vector<std::string_view> fields;
            for (const FieldForm& form : family.fields) fields.push_back(form.name);
            throw UsageError(fmt::format(
                "--modifier {}: not a valid {}; its fields are {}, each given once, with a name or a number that fits",
                printable(text, 60), family.head, fmt::join(fields, ", ")));
        }
    std::vector<std::string> names;
    for (const Named& each : named) names.emplace_back(each.name);
    for (const Family& each : modifier_families)
        if (const std::string name = fmt::format("{}(..)", each.head); names.back() != name) names.push_back(name);
    const std::string wanted = upper(trimmed(text).substr(0, 60));
    std::ranges::stable_sort(names, {}, [&](const std::string& name) { return edit_distance(upper(name), wanted); });
    names.resize(4);
    throw UsageError(
        fmt::format("--modifier {}: not a DRM format modifier; write its number, 0x0300000000606014, or its name as in "
                    "drm_fourcc.h, libdrm or drm_info: {}, ..",
                    printable(text, 60), fmt::join(names, ", ")));
}

std::string drm_modifier_text(std::string_view modifier) {
    const std::optional<uint64_t> value = drm_modifier_number(modifier);
    return value ? drm_modifier_text(*value) : "";
}

std::string drm_modifier_text(uint64_t number) { return fmt::format("{:#018x}", number); }

uint64_t canonical_modifier(uint64_t number) {
    constexpr uint64_t kind = uint64_t{0xff} << 12, generic = uint64_t{0xfe} << 12;
    const bool is_block_linear = number >> vendor_shift == nvidia && (number & nvidia_bit) != 0;
    return is_block_linear && (number & kind) == 0 ? number | generic : number;
}

}  // namespace tilewise
