// Says where RADV puts every element of an optimal image on AMD's GPUs of the generations GCN1 to GCN5 (GFX6 to GFX9),
// whose memory layout cannot be probed without the hardware: RADV has no host image copy for them.
//   amd CHIP < requests > answers; without arguments it lists its chips.
//
// Of Mesa it calls ac_addrlib_create and ac_compute_surface (src/amd/common/ac_surface.c), which choose tile modes,
// pitches, offsets of levels, sizes and alignments, and addrlib's Addr2ComputeSurfaceAddrFromCoord (GFX9) and
// AddrComputeSurfaceAddrFromCoord (GFX6-8), which give the address of an element (src/amd/addrlib).
//
// RADV's own share is repeated here, as src/amd/vulkan/radv_image.c of Mesa 26.1 has it:
// - radv_choose_tiling: on GFX6-8, images that are 1D, or wider than 8 texels and at most two rows high, are linear if
//   neither compressed nor depth or stencil.
// - radv_get_surface_flags and what it calls: which images get DCC (colour attachments above 512x512 texels, of GFX8-9,
//   without storage; on GFX9 only of a single level and layer), HTILE (depth attachments of a single level and at least
//   8x8 texels), HTILE that textures can read (on GFX8-9 if they may; on GFX8 of a single layer, not on Tonga and
//   Iceland); which images of GFX6-8 with depth and stencil are laid out for sampling only; that on GFX9 3D images of
//   compressed 16-byte blocks are no render targets.
// - radv_image_alloc_single_sample_cmask and radv_image_alloc_values: what lies behind the texels and counts as size.
// - radv_get_ac_surf_info would count the device's colour images, to XOR each one's addresses with another pipe and
//   bank (the tile swizzle). It is zero here, as for shared images and those with VK_IMAGE_CREATE_ALIAS_BIT.
// Mesa 25.0.7 differs in three ways: depth images have HTILE without being attachments, too; 3D colour attachments have
// the layout of other 3D images; on GFX9 all readable HTILE takes four more bytes.
//
// The registers are from Mesa's src/amd/drm-shim/amdgpu_devices.c and from Linux' drivers/gpu/drm/amd/amdgpu:
// GB_ADDR_CONFIG from the golden values in gfx_v9_0.c, gfx_v8_0.c, cikd.h and sid.h; GB_TILE_MODE and GB_MACROTILE_MODE
// from what tiling_mode_table_init writes in gfx_v8_0.c, gfx_v7_0.c and gfx_v6_0.c, for rows of 2 KiB on GFX6 and GFX7.
#include "ac_gpu_info.h"
#include "ac_surface.h"
#include "addrlib/inc/addrinterface.h"
#include "addrlib/src/amdgpu_asic_addr.h"
#include "drm-uapi/drm_fourcc.h"
#include "sid.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr uint32_t polaris10_tiles[32] = {0x800310,  0x800b10,  0x801310,  0x801b10,  0x802b10,  0x802b08,  0x802b14,
                                          0x802954,  0x304,     0x2000308, 0x2000310, 0x6000314, 0x6000154, 0x2400308,
                                          0x2400310, 0x2400330, 0x6400314, 0x6400154, 0x40030c,  0x100030c, 0x100031c,
                                          0x1000334, 0x1000324, 0x1000164, 0x40031c,  0x1000320, 0x1000338, 0x2c00308,
                                          0x2c00310, 0x6c00314, 0x6c00154, 0};
constexpr uint32_t polaris11_tiles[32] = {0x800150,  0x800950,  0x801150,  0x801950,  0x802950,  0x802948,  0x802954,
                                          0x802954,  0x144,     0x2000148, 0x2000150, 0x6000154, 0x6000154, 0x2400148,
                                          0x2400150, 0x2400170, 0x6400154, 0x6400154, 0x40014c,  0x100014c, 0x100015c,
                                          0x1000174, 0x1000164, 0x1000164, 0x40015c,  0x1000160, 0x1000178, 0x2c00148,
                                          0x2c00150, 0x6c00154, 0x6c00154, 0};
constexpr uint32_t fiji_tiles[32] = {0x800450,  0x800c50,  0x801450,  0x801c50,  0x802c50,  0x802c48,  0x802c54,
                                     0x802954,  0x444,     0x2000448, 0x2000450, 0x6000454, 0x6000154, 0x2400448,
                                     0x2400450, 0x2400470, 0x6400454, 0x6400154, 0x40044c,  0x100044c, 0x100045c,
                                     0x1000474, 0x1000464, 0x1000164, 0x40045c,  0x1000460, 0x1000478, 0x2c00448,
                                     0x2c00450, 0x6c00454, 0x6c00154, 0};
constexpr uint32_t carrizo_tiles[32] = {0x800010,  0x800810,  0x801010,  0x801810,  0x802810,  0x802808,  0x802814,
                                        0,         0x4,       0x2000008, 0x2000010, 0x6000014, 0,         0x2400008,
                                        0x2400010, 0x2400030, 0x6400014, 0,         0x40000c,  0x100000c, 0x100001c,
                                        0x1000034, 0x1000024, 0,         0x40001c,  0x1000020, 0x1000038, 0x2c00008,
                                        0x2c00010, 0x6c00014, 0,         0};
constexpr uint32_t hawaii_tiles[32] = {0x800450,  0x800c50,  0x801450,  0x801c50,  0x802c50,  0x802c48,  0x802c54,
                                       0x802954,  0x444,     0x448,     0x2000450, 0x6000454, 0x6000158, 0x400448,
                                       0x2400450, 0x2400470, 0x6400454, 0x6400154, 0x40044c,  0x100044c, 0x100045c,
                                       0x1000474, 0x1000464, 0x1000164, 0x40045c,  0x1000460, 0x1000478, 0xc00448,
                                       0x2c00450, 0x6c00454, 0x6c00154, 0};
constexpr uint32_t bonaire_tiles[32] = {
    0x800150,  0x800950, 0x801150, 0x801950,  0x802950,  0x800148,  0x802954,  0x2800,    0x144,    0x148,    0x2000150,
    0x6000154, 0x2800,   0x400148, 0x2400150, 0x2400170, 0x6400154, 0x2800,    0x40014c,  0x40014c, 0x40015c, 0x400174,
    0x400164,  0x2800,   0x40015c, 0x400160,  0x400178,  0xc00148,  0x2c00150, 0x6c00154, 0x2800,   0};
constexpr uint32_t kaveri_tiles[32] = {0x800010,  0x800810,  0x801010,  0x801810,  0x802810,  0x800008,  0x802814,
                                       0x2800,    0x4,       0x8,       0x2000010, 0x6000014, 0x2800,    0x400008,
                                       0x2400010, 0x2400030, 0x6400014, 0x2800,    0x40000c,  0x100000c, 0x100001c,
                                       0x1000034, 0x1000024, 0x2800,    0x40001c,  0x1000020, 0x1000038, 0xc00008,
                                       0x2c00010, 0x6c00014, 0x2800,    0};
constexpr uint32_t tahiti_tiles[32] = {0x360292, 0x360a92, 0x361292, 0x122a92, 0x28a,    0x21a92,  0x31292,  0x22112,
                                       0x4,      0x288,    0x361290, 0x351290, 0x301a90, 0x289,    0x321291, 0x311291,
                                       0x301a91, 0x302a91, 0x28d,    0x302aa1, 0x302a9d, 0x131291, 0x121291, 0x31291,
                                       0x21a91,  0x22111,  0x22111,  0x22111,  0x22111,  0x22111,  0x12911,  0};
constexpr uint32_t verde_tiles[32] = {0x3a0112, 0x3a0912, 0x3a1112, 0x212912, 0x10a,    0x111912, 0x121112, 0x22112,
                                      0x4,      0x108,    0x3a1110, 0x351110, 0x341910, 0x109,    0x361111, 0x351111,
                                      0x341911, 0x342911, 0x10d,    0x342921, 0x34291d, 0x221111, 0x211111, 0x121111,
                                      0x111911, 0x22111,  0x22111,  0x22111,  0x22111,  0x22111,  0x12911,  0};
constexpr uint32_t oland_tiles[32] = {0x3a0112, 0x3a0912, 0x3a1112, 0x3a0912, 0x35010a, 0x352912, 0x342912, 0x3a2912,
                                      0x350104, 0x350108, 0x3a1110, 0x351110, 0x341910, 0x350109, 0x361111, 0x351111,
                                      0x341911, 0x342911, 0x10d,    0x342921, 0x34291d, 0x365291, 0x3a1291, 0x351291,
                                      0x341a91, 0x202291, 0,        0,        0,        0,        0,        0};
constexpr uint32_t hainan_tiles[32] = {0x3a0012, 0x3a0812, 0x3a1012, 0x212812, 0xa,      0x201812, 0x211012, 0x112012,
                                       0x4,      0x8,      0x3a1010, 0x351010, 0x341810, 0x9,      0x361011, 0x351011,
                                       0x341811, 0x342811, 0xd,      0x342821, 0x34281d, 0x225011, 0x215011, 0x211011,
                                       0x201811, 0x112011, 0x112011, 0x112011, 0x112011, 0x112011, 0x102811, 0};
constexpr uint32_t polaris10_macrotiles[16] = {0xe8, 0xe8, 0xe8, 0xe8, 0xd4, 0xc0, 0xc0, 0,
                                               0xec, 0xe8, 0xd4, 0xd0, 0x80, 0x40, 0x40, 0};
constexpr uint32_t polaris11_macrotiles[16] = {0xe8, 0xe8, 0xe8, 0xe4, 0xd0, 0xd0, 0xd0, 0,
                                               0xed, 0xe9, 0xe8, 0xe4, 0xd0, 0x90, 0x40, 0};
constexpr uint32_t fiji_macrotiles[16] = {0x98, 0x98, 0x98, 0x98, 0x84, 0x80, 0x80, 0,
                                          0x9c, 0x98, 0x84, 0x80, 0x94, 0x90, 0x40, 0};
constexpr uint32_t carrizo_macrotiles[16] = {0xa8, 0xa4, 0x90, 0x90, 0x90, 0x90, 0x90, 0,
                                             0xee, 0xea, 0xe9, 0xe5, 0xe4, 0xe0, 0x90, 0};
constexpr uint32_t topaz_macrotiles[16] = {0x9a, 0x9a, 0x99, 0xa8, 0x94, 0x90, 0x90, 0,
                                           0xee, 0xea, 0xe9, 0xe5, 0xe4, 0xe0, 0x90, 0};
constexpr uint32_t hawaii_macrotiles[16] = {0xd8, 0xd4, 0xc0, 0xc0, 0x80, 0x40, 0x40, 0,
                                            0xd8, 0xd4, 0xc0, 0x80, 0xd0, 0x90, 0x40, 0};
constexpr uint32_t bonaire_macrotiles[16] = {0xe8, 0xe4, 0xd0, 0xd0, 0xd0, 0x90, 0x40, 0,
                                             0xed, 0xe9, 0xe8, 0xe4, 0xd0, 0x90, 0x40, 0};
constexpr uint32_t kaveri_macrotiles[16] = {0xa8, 0xa4, 0x94, 0x90, 0x90, 0x90, 0x90, 0,
                                            0xee, 0xea, 0xe9, 0xe5, 0xe4, 0xe0, 0x90, 0};

struct Chip {
    const char* name;
    uint32_t device_id;
    const char* gpu;
    amd_gfx_level generation;
    radeon_family family;
    uint32_t family_id, revision, gb_addr_config;
    const uint32_t *tiles = nullptr, *macrotiles = nullptr;
    bool has_etc2 = false;
};

constexpr Chip chips[] = {
    {"vega10", 0x687f, "Radeon RX Vega 56, 64", GFX9, CHIP_VEGA10, FAMILY_AI, 0x01, 0x2a114042, 0, 0, true},
    {"vega12", 0x69af, "Radeon Pro Vega 16, 20", GFX9, CHIP_VEGA12, FAMILY_AI, 0x14, 0x24104041},
    {"vega20", 0x66af, "Radeon VII", GFX9, CHIP_VEGA20, FAMILY_AI, 0x28, 0x2a114042},
    {"raven", 0x15dd, "Radeon Vega 8, 11 (Ryzen 2000)", GFX9, CHIP_RAVEN, FAMILY_RV, 0x01, 0x24000042, 0, 0, true},
    {"picasso", 0x15d8, "Radeon Vega 8, 11 (Ryzen 3000)", GFX9, CHIP_RAVEN, FAMILY_RV, 0x41, 0x24000042, 0, 0, true},
    {"raven2", 0x15d8, "Radeon Vega 3 (Dali)", GFX9, CHIP_RAVEN2, FAMILY_RV, 0x81, 0x26013041, 0, 0, true},
    {"renoir", 0x1636, "Radeon Graphics (Ryzen 4000)", GFX9, CHIP_RENOIR, FAMILY_RV, 0x91, 0x26010042},
    {"lucienne", 0x164c, "Radeon Graphics (Ryzen 5000U)", GFX9, CHIP_RENOIR, FAMILY_RV, 0x91, 0x26010042},
    {"cezanne", 0x1638, "Radeon Graphics (Ryzen 5000)", GFX9, CHIP_RENOIR, FAMILY_RV, 0xa1, 0x26010042},
    {"barcelo", 0x15e7, "Radeon Graphics (Ryzen 7030U)", GFX9, CHIP_RENOIR, FAMILY_RV, 0xa1, 0x26010042},
    {"polaris10", 0x67df, "Radeon RX 470, 480, 570, 580, 590", GFX8, CHIP_POLARIS10, FAMILY_VI, 0x51, 0x22011003,
     polaris10_tiles, polaris10_macrotiles},
    {"polaris11", 0x67ef, "Radeon RX 460, 560", GFX8, CHIP_POLARIS11, FAMILY_VI, 0x5a, 0x22011002, polaris11_tiles,
     polaris11_macrotiles},
    {"polaris12", 0x699f, "Radeon RX 550", GFX8, CHIP_POLARIS12, FAMILY_VI, 0x64, 0x22011002, polaris11_tiles,
     polaris11_macrotiles},
    {"vegam", 0x694c, "Radeon RX Vega M GH", GFX8, CHIP_VEGAM, FAMILY_VI, 0x6e, 0x22011003, fiji_tiles,
     fiji_macrotiles},
    {"tonga", 0x6938, "Radeon R9 285, 380", GFX8, CHIP_TONGA, FAMILY_VI, 0x14, 0x22011003, polaris10_tiles,
     polaris10_macrotiles},
    {"fiji", 0x7300, "Radeon R9 Fury, Nano", GFX8, CHIP_FIJI, FAMILY_VI, 0x3c, 0x22011003, fiji_tiles, fiji_macrotiles},
    {"iceland", 0x6900, "Radeon R7 M260", GFX8, CHIP_ICELAND, FAMILY_VI, 0x01, 0x22010001, carrizo_tiles,
     topaz_macrotiles},
    {"carrizo", 0x9874, "Radeon R7 (A12-9800)", GFX8, CHIP_CARRIZO, FAMILY_CZ, 0x01, 0x22010001, carrizo_tiles,
     carrizo_macrotiles},
    {"stoney", 0x98e4, "Radeon R5 (A9-9420)", GFX8, CHIP_STONEY, FAMILY_CZ, 0x61, 0x02010001, carrizo_tiles,
     carrizo_macrotiles, true},
    {"hawaii", 0x67b0, "Radeon R9 290, 390", GFX7, CHIP_HAWAII, FAMILY_CI, 0x28, 0x12011003, hawaii_tiles,
     hawaii_macrotiles},
    {"bonaire", 0x6658, "Radeon R7 260", GFX7, CHIP_BONAIRE, FAMILY_CI, 0x15, 0x12010001, bonaire_tiles,
     bonaire_macrotiles},
    {"kaveri", 0x130f, "Radeon R7 (A10-7850K)", GFX7, CHIP_KAVERI, FAMILY_KV, 0x01, 0x12010001, kaveri_tiles,
     kaveri_macrotiles},
    {"kabini", 0x9830, "Radeon HD 8400", GFX7, CHIP_KABINI, FAMILY_KV, 0x81, 0x12010001, kaveri_tiles,
     kaveri_macrotiles},
    {"tahiti", 0x6798, "Radeon HD 7970", GFX6, CHIP_TAHITI, FAMILY_SI, 0x05, 0x12011003, tahiti_tiles},
    {"pitcairn", 0x6818, "Radeon HD 7870", GFX6, CHIP_PITCAIRN, FAMILY_SI, 0x15, 0x12011003, tahiti_tiles},
    {"verde", 0x683d, "Radeon HD 7770", GFX6, CHIP_VERDE, FAMILY_SI, 0x29, 0x12010002, verde_tiles},
    {"oland", 0x6613, "Radeon R7 240", GFX6, CHIP_OLAND, FAMILY_SI, 0x3c, 0x12010002, oland_tiles},
    {"hainan", 0x6660, "Radeon HD 8600M", GFX6, CHIP_HAINAN, FAMILY_SI, 0x46, 0x02010001, hainan_tiles},
};

radeon_info info_of(const Chip& chip) {
    radeon_info info = {};
    info.gfx_level = chip.generation;
    info.family = chip.family;
    info.family_id = chip.family_id;
    info.chip_external_rev = chip.revision;
    info.gb_addr_config = chip.gb_addr_config;
    info.has_graphics = info.has_image_opcodes = true;
    info.num_tile_pipes = 1 << G_0098F8_NUM_PIPES(chip.gb_addr_config);
    info.pipe_interleave_bytes = 256;
    if (!chip.tiles) return info;
    std::copy_n(chip.tiles, 32, info.si_tile_mode_array);
    if (chip.macrotiles) std::copy_n(chip.macrotiles, 16, info.cik_macrotile_mode_array);
    // Entry 14 is for colour in 2D tiles. Pipe configurations: P2 is 0, P4 4 to 7, P8 8 to 14, P16 16 and above.
    const unsigned pipes = G_009910_PIPE_CONFIG(chip.tiles[14]);
    info.num_tile_pipes = pipes >= 16 ? 16 : pipes >= 8 ? 8 : pipes >= 4 ? 4 : 2;
    return info;
}

struct Request {
    std::string type, format, aspect, usage;
    uint32_t element_bytes, block[2], extent[3], levels, layers, samples;

    bool uses(const char* name) const { return ("," + usage + ",").find("," + std::string(name) + ",") != usage.npos; }
    bool has(const char* part) const { return format.find(part) != format.npos; }
    bool is_depth() const { return has("D16") || has("D32"); }
    bool is_stencil() const { return has("S8"); }
    uint32_t elements(unsigned axis, uint32_t level) const {
        const uint32_t texels = std::max(1u, extent[axis] >> level);
        return axis == 2 ? texels : (texels + block[axis] - 1) / block[axis];
    }
};

bool is_known(const Request& image, const Chip& chip) {
    const uint32_t bytes = image.element_bytes;
    // RADV has optimal images neither of 3, 6 or 12 bytes a texel nor of more than 16.
    if (!bytes || (bytes & (bytes - 1)) || bytes > 16 || image.samples != 1) return false;
    if (!image.levels || image.levels >= RADEON_SURF_MAX_LEVELS || !image.layers) return false;
    const bool is_3d = image.type == "3D";
    if (is_3d && image.layers > 1) return false;
    // Mesa 26.1 prefers 2D tiles for them, by a flag that ac_surface.c of 25.0.7 does not have.
    if (is_3d && image.uses("color") && !image.uses("storage")) return false;
    // RADV offers neither depth of 24 bits nor ASTC on any of these chips.
    if (image.has("D24") || image.has("ASTC")) return false;
    if (!chip.has_etc2 && (image.has("ETC2") || image.has("EAC"))) return false;
    // Of formats with blocks, those with 4x4 texels are compressed; the others hold subsampled video.
    const bool is_compressed = image.block[0] == 4 && image.block[1] == 4;
    if (!is_compressed && image.block[0] * image.block[1] != 1) return false;
    if (image.aspect != "color" && image.type != "2D") return false;  // RADV has no other depth and stencil images.
    if (image.aspect == "depth") return image.is_depth();
    if (image.aspect == "stencil") return image.is_stencil();
    return image.aspect == "color";
}

struct Layout {
    radeon_surf surface = {};
    uint64_t bytes = 0, alignment = 1;
};

// A layout of 0 bytes is none: addrlib refuses the image, or its texels are compressed.
Layout layout_of(const Request& image, const Chip& chip, const radeon_info& info, ac_addrlib* library) {
    const bool is_depth = image.is_depth(), is_stencil = image.is_stencil(), is_3d = image.type == "3D";
    const bool is_compressed = image.block[0] > 1;
    const uint32_t width = image.extent[0], height = image.extent[1];
    const bool is_older = chip.generation <= GFX8;

    unsigned mode = RADEON_SURF_MODE_2D;
    if (is_older && !is_compressed && !is_depth && !is_stencil && (image.type == "1D" || (width > 8 && height <= 2)))
        mode = RADEON_SURF_MODE_LINEAR_ALIGNED;

    uint64_t flags = RADEON_SURF_CONTIGUOUS_DCC_LAYERS | RADEON_SURF_NO_FMASK;
    if (is_depth) flags |= RADEON_SURF_ZBUFFER;
    if (is_stencil) flags |= RADEON_SURF_SBUFFER;
    if (is_depth && is_stencil && is_older) {
        flags |= RADEON_SURF_NO_STENCIL_ADJUST;
        if (!image.uses("depth-stencil")) flags |= RADEON_SURF_NO_RENDER_TARGET;
    }
    const bool may_have_htile =
        image.uses("depth-stencil") && !image.uses("storage") && image.levels == 1 && width * height >= 8 * 8;
    const bool reads_htile = chip.generation >= GFX8 && chip.family != CHIP_TONGA && chip.family != CHIP_ICELAND &&
                             (image.uses("sampled") || image.uses("input") || image.uses("transfer-src")) &&
                             (!is_older || (image.layers == 1 && !image.has("D16_UNORM_S8")));
    if (is_depth && !may_have_htile) flags |= RADEON_SURF_NO_HTILE;
    if (is_depth && may_have_htile && reads_htile) flags |= RADEON_SURF_TC_COMPATIBLE_HTILE;
    if (!is_older && is_3d && is_compressed && image.element_bytes == 16) flags |= RADEON_SURF_NO_RENDER_TARGET;
    if (!image.uses("sampled") && !image.uses("storage")) flags |= RADEON_SURF_NO_TEXTURE;
    const bool clears_fast = image.uses("color") && width * height > 512 * 512;
    if (chip.generation < GFX8 || image.uses("storage") || !clears_fast || (image.layers > 1 && image.levels > 1) ||
        (chip.generation == GFX9 && (image.layers > 1 || image.levels > 1)))
        flags |= RADEON_SURF_DISABLE_DCC;

    Layout layout;
    radeon_surf& surface = layout.surface;
    surface.modifier = DRM_FORMAT_MOD_INVALID;
    surface.flags = flags;
    surface.blk_w = image.block[0];
    surface.blk_h = image.block[1];
    surface.bpe = !is_depth ? image.element_bytes : image.has("D16") ? 2 : 4;

    ac_surf_config config = {};
    config.info.width = width;
    config.info.height = height;
    config.info.depth = image.extent[2];
    config.info.samples = config.info.storage_samples = 1;
    config.info.levels = image.levels;
    config.info.array_size = image.layers;
    config.info.num_channels = 4;
    config.is_1d = image.type == "1D";
    config.is_3d = is_3d;
    config.is_array = image.layers > 1;
    if (ac_compute_surface(library, &info, &config, radeon_surf_mode(mode), &surface) != 0) return {};

    const bool is_color = !is_depth && !is_stencil;
    if (is_color && surface.meta_offset) return {};
    uint64_t bytes = surface.total_size, alignment = uint64_t{1} << surface.alignment_log2;
    const bool has_cmask =
        is_color && surface.cmask_size && surface.bpe <= 8 && image.levels == 1 && image.extent[2] == 1 && clears_fast;
    const bool has_htile = !is_color && surface.meta_size;
    if (has_cmask) {
        const uint64_t cmask_alignment = uint64_t{1} << surface.cmask_alignment_log2;
        bytes = (bytes + cmask_alignment - 1) / cmask_alignment * cmask_alignment + surface.cmask_size;
        alignment = std::max(alignment, cmask_alignment);
        bytes += 8 * image.levels;  // Whether a clear is pending.
    }
    if (has_cmask || has_htile) bytes += 8 * image.levels;  // The clear's value.
    // The precision of depths cleared to zero: always on GFX8, on GFX9 only beside stencil (so Mesa 26.1's sizes say).
    if (has_htile && (surface.flags & RADEON_SURF_TC_COMPATIBLE_HTILE) && (is_older || is_stencil))
        bytes += 4 * image.levels;
    layout.bytes = bytes;
    layout.alignment = alignment;
    return layout;
}

// The address of an element: x, y, and z or layer.
class Addresses {
public:
    Addresses(const Request& image, const Chip& chip, const Layout& layout, ac_addrlib* library)
        : image(image),
          surface(layout.surface),
          handle(ac_addrlib_get_handle(library)),
          is_newer(chip.generation == GFX9),
          is_stencil(image.aspect == "stencil"),
          is_3d(image.type == "3D") {}

    void select_level(uint32_t level) {
        if (is_newer)
            select_newer(level);
        else
            select_older(level);
    }

    uint64_t at(uint32_t x, uint32_t y, uint32_t slice) {
        if (is_linear) return start + slice * slice_bytes + (uint64_t{y} * pitch + x) * image.element_bytes;
        if (is_newer) {
            ADDR2_COMPUTE_SURFACE_ADDRFROMCOORD_OUTPUT out = {};
            out.size = sizeof out;
            newer.x = x, newer.y = y, newer.slice = slice;
            failed |= Addr2ComputeSurfaceAddrFromCoord(handle, &newer, &out) != ADDR_OK;
            return start + out.addr;
        }
        ADDR_COMPUTE_SURFACE_ADDRFROMCOORD_OUTPUT out = {};
        out.size = sizeof out;
        older.x = x, older.y = y, older.slice = slice;
        failed |= AddrComputeSurfaceAddrFromCoord(handle, &older, &out) != ADDR_OK;
        return start + out.addr;
    }

    bool failed = false;

private:
    void select_newer(uint32_t level) {
        const auto& layout = surface.u.gfx9;
        const bool follows_depth = is_stencil && image.is_depth();
        newer = {};
        newer.size = sizeof newer;
        newer.mipId = level;
        newer.swizzleMode = AddrSwizzleMode(is_stencil ? layout.zs.stencil_swizzle_mode : layout.swizzle_mode);
        newer.flags.color = image.aspect == "color" && !(surface.flags & RADEON_SURF_NO_RENDER_TARGET);
        newer.flags.depth = image.aspect == "depth";
        newer.flags.stencil = is_stencil;
        newer.flags.texture = (image.aspect == "color" && !(surface.flags & RADEON_SURF_NO_TEXTURE)) ||
                              (surface.flags & RADEON_SURF_TC_COMPATIBLE_HTILE);
        newer.flags.opt4space = 1;
        newer.resourceType = is_3d ? ADDR_RSRC_TEX_3D : ADDR_RSRC_TEX_2D;
        newer.bpp = image.element_bytes * 8;
        newer.unalignedWidth = image.elements(0, 0);
        newer.unalignedHeight = image.elements(1, 0);
        newer.numSlices = is_3d ? image.extent[2] : image.layers;
        newer.numMipLevels = image.levels;
        newer.numSamples = newer.numFrags = 1;
        start = follows_depth ? layout.zs.stencil_offset : 0;
        is_linear = newer.swizzleMode == ADDR_SW_LINEAR;
        if (!is_linear) return;
        start += layout.offset[level];
        pitch = layout.pitch[level];
        slice_bytes = layout.surf_slice_size;
    }

    void select_older(uint32_t level) {
        const auto& layout = surface.u.legacy;
        const auto& place = is_stencil ? layout.zs.stencil_level[level] : layout.level[level];
        older = {};
        older.size = sizeof older;
        older.bpp = image.element_bytes * 8;
        older.pitch = place.nblk_x;
        older.height = place.nblk_y;
        older.numSlices = is_3d ? image.elements(2, level) : image.layers;
        older.numSamples = older.numFrags = 1;
        older.isDepth = image.aspect != "color";
        older.tileIndex = is_stencil ? layout.zs.stencil_tiling_index[level] : layout.tiling_index[level];
        start = uint64_t{place.offset_256B} * 256;
        is_linear = place.mode == RADEON_SURF_MODE_LINEAR_ALIGNED;
        pitch = place.nblk_x;
        slice_bytes = uint64_t{place.slice_size_dw} * 4;
    }

    const Request& image;
    const radeon_surf& surface;
    ADDR_HANDLE handle;
    const bool is_newer, is_stencil, is_3d;
    ADDR2_COMPUTE_SURFACE_ADDRFROMCOORD_INPUT newer = {};
    ADDR_COMPUTE_SURFACE_ADDRFROMCOORD_INPUT older = {};
    bool is_linear = false;
    uint64_t start = 0, pitch = 0, slice_bytes = 0;
};

// Appends the addresses of all elements of one level and layer. Where addrlib's addresses are seen to separate, that is
// to XOR below some power of two and to add above it what x, y and z alone would give, only the axes are asked for.
void append_elements(std::vector<uint64_t>& answer, Addresses& addresses, const uint32_t (&counts)[3], uint32_t layer,
                     bool asks_for_each) {
    const uint64_t total = uint64_t{counts[0]} * counts[1] * counts[2];
    const auto at = [&](uint32_t x, uint32_t y, uint32_t z) { return addresses.at(x, y, layer + z); };
    const auto append_all = [&](const auto& address) {
        for (uint32_t z = 0; z < counts[2]; z++)
            for (uint32_t y = 0; y < counts[1]; y++)
                for (uint32_t x = 0; x < counts[0]; x++) answer.push_back(address(x, y, z));
    };
    if (total <= 4096 || asks_for_each) return append_all(at);

    std::vector<uint64_t> axes[3];
    for (uint32_t x = 0; x < counts[0]; x++) axes[0].push_back(at(x, 0, 0));
    for (uint32_t y = 0; y < counts[1]; y++) axes[1].push_back(at(0, y, 0));
    for (uint32_t z = 0; z < counts[2]; z++) axes[2].push_back(at(0, 0, z));
    const uint64_t origin = axes[0][0];

    struct Sample {
        uint32_t x, y, z;
        uint64_t address;
    };
    std::vector<Sample> samples;
    const auto add_sample = [&](uint32_t x, uint32_t y, uint32_t z) { samples.push_back({x, y, z, at(x, y, z)}); };
    std::minstd_rand random(1);
    for (int i = 0; i < 1500; i++) add_sample(random() % counts[0], random() % counts[1], random() % counts[2]);
    for (int corner = 1; corner < 8; corner++)
        add_sample(corner & 1 ? counts[0] - 1 : 0, corner & 2 ? counts[1] - 1 : 0, corner & 4 ? counts[2] - 1 : 0);
    for (uint32_t x = 1; x < counts[0]; x *= 2)
        for (uint32_t y = 1; y < counts[1]; y *= 2) add_sample(x, y, counts[2] - 1);

    for (int log2 = 20; log2 >= 0; log2--) {
        const uint64_t low = (uint64_t{1} << log2) - 1;
        const auto joined = [&](uint32_t x, uint32_t y, uint32_t z) {
            const uint64_t a = axes[0][x], b = axes[1][y], c = axes[2][z];
            return ((a ^ b ^ c) & low) + (a & ~low) + (b & ~low) + (c & ~low) - 2 * (origin & ~low);
        };
        if (std::all_of(samples.begin(), samples.end(),
                        [&](const Sample& sample) { return joined(sample.x, sample.y, sample.z) == sample.address; }))
            return append_all(joined);
    }
    append_all(at);
}

void answer(const Request& image, const Chip& chip, const radeon_info& info, ac_addrlib* library, bool asks_for_each) {
    Layout layout;
    if (is_known(image, chip)) layout = layout_of(image, chip, info, library);
    std::vector<uint64_t> values = {layout.bytes, layout.alignment};
    if (layout.bytes) {
        Addresses addresses(image, chip, layout, library);
        for (uint32_t level = 0; level < image.levels; level++) {
            addresses.select_level(level);
            const uint32_t counts[3] = {image.elements(0, level), image.elements(1, level), image.elements(2, level)};
            for (uint32_t layer = 0; layer < image.layers; layer++)
                append_elements(values, addresses, counts, layer, asks_for_each);
        }
        if (addresses.failed) values = {0, 1};
    }
    fwrite(values.data(), sizeof values[0], values.size(), stdout);
}

}  // namespace

// amd CHIP each: asks addrlib for each element's address, which is slow, to check the quick way.
int main(int count, char** arguments) {
    if (count < 2) {
        for (const Chip& chip : chips) printf("%s 1002 %04x %s\n", chip.name, chip.device_id, chip.gpu);
        return 0;
    }
    const Chip* chip = std::find_if(std::begin(chips), std::end(chips),
                                    [&](const Chip& each) { return !strcmp(each.name, arguments[1]); });
    if (chip == std::end(chips)) {
        fprintf(stderr, "amd: there is no chip %s; without arguments, this program lists them\n", arguments[1]);
        return 2;
    }
    const radeon_info info = info_of(*chip);
    ac_addrlib* library = ac_addrlib_create(&info, nullptr);
    if (!library) {
        fprintf(stderr, "amd: addrlib does not know the chip %s\n", chip->name);
        return 1;
    }
    for (std::string line; std::getline(std::cin, line);) {
        Request image;
        std::istringstream words(line);
        words >> image.type >> image.format >> image.aspect >> image.element_bytes >> image.block[0] >>
            image.block[1] >> image.extent[0] >> image.extent[1] >> image.extent[2] >> image.levels >> image.layers >>
            image.samples >> image.usage;
        if (!words) {
            fprintf(stderr, "amd: this is no request: %s\n", line.c_str());
            return 2;
        }
        answer(image, *chip, info, library, count > 2);
    }
}
