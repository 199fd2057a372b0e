#include "patterns/model/drm_modifier.h"
#include "patterns/model/drm_modifier_fields.h"
#include "patterns/model/text.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace tilewise {

using namespace drm;

namespace {

std::string bits_text(const FieldForm& form) {
    const auto range = [](unsigned first, unsigned bits) {
        return bits == 1 ? std::to_string(first) : fmt::format("{}..{}", first + bits - 1, first);
    };
    return (form.upper_bits > 0 ? range(form.upper_first, form.upper_bits) + "," : "") + range(form.first, form.bits);
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

std::string drm_modifier_text(uint64_t number) { return fmt::format("{:#018x}", number); }

uint64_t canonical_modifier(uint64_t number) {
    constexpr uint64_t kind = uint64_t{0xff} << 12, generic = uint64_t{0xfe} << 12;
    const bool is_block_linear = number >> vendor_shift == nvidia && (number & nvidia_bit) != 0;
    return is_block_linear && (number & kind) == 0 ? number | generic : number;
}

}  // namespace tilewise
