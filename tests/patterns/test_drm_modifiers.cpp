// Our names of DRM format modifiers, against those that libdrm has for the same numbers.
#include "db/catalog.h"
#include "db/facts/pattern_mode.h"
#include "db/sqlite/open.h"
#include "patterns/model/drm_modifier.h"
#include "patterns/model/error.h"
#include "patterns/model/text.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <random>
#include <set>
#ifdef TILEWISE_HAS_LIBDRM
#include <drm_fourcc.h>
#include <xf86drm.h>
#endif

using namespace tilewise;

#ifdef TILEWISE_HAS_LIBDRM
TEST_CASE("no modifier of the catalog's patterns has another name or vendor in libdrm") {
    // What libdrm calls those whose names in drm_fourcc.h begin so.
    const std::map<std::string, std::string> vendors = {{"LINEAR", "NONE"}, {"AMD", "AMD"},    {"NVIDIA", "NVIDIA"},
                                                        {"I915", "INTEL"},  {"ARM", "ARM"},    {"BROADCOM", "BROADCOM"},
                                                        {"QCOM", "QCOM"},   {"APPLE", "APPLE"}};
    const auto text_of = [](char* text) {
        const std::unique_ptr<char, decltype(&std::free)> owned(text, std::free);
        return std::string(text ? text : "");
    };
    std::set<std::string> modifiers, compared;
    for (const auto& [id, mode] : db::modes_of_patterns(db::open_catalog()))
        if (!mode.modifier.empty()) modifiers.insert(mode.modifier);
    for (const std::string& modifier : modifiers) {
        CAPTURE(modifier);
        const std::optional<uint64_t> number = drm_modifier_number(modifier);
        if (!number || modifier.starts_with("AMD(")) continue;  // AMD's are compared below
        const std::string vendor = text_of(drmGetFormatModifierVendor(*number));
        std::string name = text_of(drmGetFormatModifierName(*number));
        // An older libdrm does not know all of them, which contradicts nothing.
        if (vendor.empty() || name.empty()) continue;
        const std::string maker = split(modifier, '_').front();
        REQUIRE(vendors.contains(maker));
        CHECK(vendors.at(maker) == vendor);
        std::string ours = modifier;
        constexpr std::string_view block_linear = "NVIDIA_BLOCK_LINEAR_2D(";
        if (modifier.starts_with(block_linear)) {
            const std::vector<std::string> fields = split(
                std::string_view(modifier).substr(block_linear.size(), modifier.size() - block_linear.size() - 1));
            REQUIRE(fields.size() == 5);
            const auto field = [&](size_t i) { return std::stoul(fields[i], nullptr, 0); };
            // It reads the lowest bit alone of what says how sectors lie.
            ours = fmt::format("BLOCK_LINEAR_2D,HEIGHT={},KIND={},GEN={},SECTOR={},COMPRESSION={}", field(4), field(3),
                               field(2), field(1) & 1, field(0));
        } else {
            name = (modifier == name ? "" : "_") + name;
        }
        CHECK(ours.ends_with(name));
        compared.insert(vendor);
    }
    for (const char* vendor : {"NVIDIA", "INTEL", "ARM", "BROADCOM", "QCOM"}) {
        CAPTURE(vendor);
        CHECK(compared.contains(vendor));
    }
}

TEST_CASE("AMD's tilings since GFX12 are numbered anew") {
    // drm_fourcc.h: AMD_FMT_MOD_TILE_VER_GFX12 is 5, AMD_FMT_MOD_TILE_GFX12_256B_2D to _256K_2D are 1 to 4.
    const char* tiles[] = {"LINEAR", "256B_2D", "4KB_2D", "64KB_2D", "256KB_2D"};
    for (uint64_t tile = 0; tile < std::size(tiles); tile++) {
        CAPTURE(tiles[tile]);
        const DrmModifier modifier = decode_modifier(uint64_t{2} << 56 | tile << 8 | 5);
        CHECK(modifier.name.find(std::string("TILE=") + tiles[tile]) != std::string::npos);
        CHECK(modifier.layout.find(tile == 0 ? "rows in scan order" : tiles[tile]) != std::string::npos);
    }
}

namespace {

/// A modifier as somebody wrote it in C, and what the compiler makes of it.
struct Written {
    const char* text;
    uint64_t number;
};
#define WRITTEN(...) \
    Written { #__VA_ARGS__, static_cast < uint64_t>(__VA_ARGS__) }

std::string owned(char* text) {
    const std::unique_ptr<char, decltype(&std::free)> taken(text, std::free);
    return text ? text : "";
}

/// Of each family that has fields, numbers with any of them.
std::vector<uint64_t> draw_modifiers(size_t of_each) {
    std::mt19937_64 random(20261128);
    const auto code = [](uint64_t vendor, uint64_t value) { return vendor << 56 | value; };
    std::vector<uint64_t> drawn;
    for (uint64_t vendor = 0; vendor < 13; vendor++)
        for (uint64_t value = 0; value < 20; value++) drawn.push_back(code(vendor, value));
    for (size_t i = 0; i < of_each; i++) {
        const uint64_t x = random();
        drawn.push_back(code(DRM_FORMAT_MOD_VENDOR_NVIDIA, 0x10 | (x & 0x3eff00f) | (x & 0xc000000)));
        drawn.push_back(code(DRM_FORMAT_MOD_VENDOR_AMD, (x & 0xfffffff00) | (1 + x % 5)));
        drawn.push_back(code(DRM_FORMAT_MOD_VENDOR_ARM, (x & 0x1ff0) | (1 + x % 4)));
        drawn.push_back(
            code(DRM_FORMAT_MOD_VENDOR_ARM, uint64_t{2} << 52 | (1 + x % 3) | (x >> 8) % 4 << 4 | (x & 0x100)));
        drawn.push_back(code(DRM_FORMAT_MOD_VENDOR_BROADCOM, (2 + x % 4) | (x & 0xffffffffff00)));
        drawn.push_back(code(DRM_FORMAT_MOD_VENDOR_VIVANTE, (1 + x % 4) | (x >> 8) % 5 << 48 | (x >> 20) % 2 << 52));
        drawn.push_back(code(DRM_FORMAT_MOD_VENDOR_AMLOGIC, (1 + x % 2) | (x & 0x100)));
    }
    return drawn;
}

}  // namespace

TEST_CASE("a modifier in the kernel's own macros is the number that a compiler makes of it") {
    const Written all[] = {
        WRITTEN(DRM_FORMAT_MOD_LINEAR),
        WRITTEN(DRM_FORMAT_MOD_INVALID),
        WRITTEN(I915_FORMAT_MOD_X_TILED),
        WRITTEN(I915_FORMAT_MOD_Yf_TILED_CCS),
        WRITTEN(I915_FORMAT_MOD_Y_TILED_GEN12_RC_CCS_CC),
        WRITTEN(I915_FORMAT_MOD_4_TILED_DG2_MC_CCS),
        WRITTEN(DRM_FORMAT_MOD_SAMSUNG_64_32_TILE),
        WRITTEN(DRM_FORMAT_MOD_GENERIC_16_16_TILE),
        WRITTEN(DRM_FORMAT_MOD_QCOM_COMPRESSED),
        WRITTEN(DRM_FORMAT_MOD_QCOM_TILED2),
        WRITTEN(DRM_FORMAT_MOD_VIVANTE_TILED),
        WRITTEN(DRM_FORMAT_MOD_VIVANTE_SPLIT_SUPER_TILED),
        WRITTEN(DRM_FORMAT_MOD_NVIDIA_TEGRA_TILED),
        WRITTEN(DRM_FORMAT_MOD_NVIDIA_BLOCK_LINEAR_2D(0, 1, 2, 0x06, 4)),
        WRITTEN(DRM_FORMAT_MOD_NVIDIA_BLOCK_LINEAR_2D(3, 0, 1, 0xdb, 15)),
        WRITTEN(DRM_FORMAT_MOD_NVIDIA_16BX2_BLOCK(5)),
        WRITTEN(DRM_FORMAT_MOD_NVIDIA_16BX2_BLOCK_SIXTEEN_GOB),
        WRITTEN(DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED),
        WRITTEN(DRM_FORMAT_MOD_BROADCOM_SAND128),
        WRITTEN(DRM_FORMAT_MOD_BROADCOM_SAND32_COL_HEIGHT(96)),
        WRITTEN(DRM_FORMAT_MOD_BROADCOM_SAND128_COL_HEIGHT(1632)),
        WRITTEN(DRM_FORMAT_MOD_BROADCOM_UIF),
        WRITTEN(DRM_FORMAT_MOD_ARM_16X16_BLOCK_U_INTERLEAVED),
        WRITTEN(DRM_FORMAT_MOD_ARM_AFBC(AFBC_FORMAT_MOD_BLOCK_SIZE_16x16)),
        WRITTEN(DRM_FORMAT_MOD_ARM_AFBC(AFBC_FORMAT_MOD_BLOCK_SIZE_32x8_64x4 | AFBC_FORMAT_MOD_YTR |
                                        AFBC_FORMAT_MOD_SPLIT | AFBC_FORMAT_MOD_SPARSE | AFBC_FORMAT_MOD_CBR |
                                        AFBC_FORMAT_MOD_TILED | AFBC_FORMAT_MOD_SC | AFBC_FORMAT_MOD_DB |
                                        AFBC_FORMAT_MOD_BCH | AFBC_FORMAT_MOD_USM)),
        WRITTEN(DRM_FORMAT_MOD_ARM_AFRC(AFRC_FORMAT_MOD_CU_SIZE_P0(AFRC_FORMAT_MOD_CU_SIZE_16) |
                                        AFRC_FORMAT_MOD_LAYOUT_SCAN)),
        WRITTEN(DRM_FORMAT_MOD_ARM_AFRC(AFRC_FORMAT_MOD_CU_SIZE_P0(AFRC_FORMAT_MOD_CU_SIZE_32) |
                                        AFRC_FORMAT_MOD_CU_SIZE_P12(AFRC_FORMAT_MOD_CU_SIZE_24))),
        WRITTEN(DRM_FORMAT_MOD_ALLWINNER_TILED),
        WRITTEN(DRM_FORMAT_MOD_AMLOGIC_FBC(AMLOGIC_FBC_LAYOUT_BASIC, AMLOGIC_FBC_OPTION_MEM_SAVING)),
        WRITTEN(AMD_FMT_MOD | AMD_FMT_MOD_SET(TILE, AMD_FMT_MOD_TILE_GFX9_64K_S) |
                AMD_FMT_MOD_SET(TILE_VERSION, AMD_FMT_MOD_TILE_VER_GFX9)),
        WRITTEN(AMD_FMT_MOD | AMD_FMT_MOD_SET(TILE, AMD_FMT_MOD_TILE_GFX9_64K_R_X) |
                AMD_FMT_MOD_SET(TILE_VERSION, AMD_FMT_MOD_TILE_VER_GFX10_RBPLUS) | AMD_FMT_MOD_SET(PIPE_XOR_BITS, 4) |
                AMD_FMT_MOD_SET(PACKERS, 4) | AMD_FMT_MOD_SET(DCC, 1) | AMD_FMT_MOD_SET(DCC_CONSTANT_ENCODE, 1) |
                AMD_FMT_MOD_SET(DCC_PIPE_ALIGN, 1) | AMD_FMT_MOD_SET(DCC_INDEPENDENT_128B, 1) |
                AMD_FMT_MOD_SET(DCC_MAX_COMPRESSED_BLOCK, AMD_FMT_MOD_DCC_BLOCK_128B)),
        WRITTEN(AMD_FMT_MOD | AMD_FMT_MOD_SET(TILE, AMD_FMT_MOD_TILE_GFX9_64K_D_X) |
                AMD_FMT_MOD_SET(TILE_VERSION, AMD_FMT_MOD_TILE_VER_GFX9) | AMD_FMT_MOD_SET(PIPE_XOR_BITS, 3) |
                AMD_FMT_MOD_SET(BANK_XOR_BITS, 5) | AMD_FMT_MOD_SET(RB, 4) | AMD_FMT_MOD_SET(PIPE, 2) |
                AMD_FMT_MOD_SET(DCC, 1) | AMD_FMT_MOD_SET(DCC_RETILE, 1)),
        WRITTEN(fourcc_mod_code(NVIDIA, 0x606014)),
    };
    for (const auto& [text, number] : all) {
        CAPTURE(std::string(text));
        CHECK(drm_modifier_number(text) == number);
    }
}

TEST_CASE("a number of any family has the name that libdrm gives it, and both are read back as that number") {
    size_t alike = 0, alike_of_amd = 0;
    for (const uint64_t number : draw_modifiers(300)) {
        CAPTURE(drm_modifier_text(number));
        const DrmModifier decoded = decode_modifier(number);
        const std::string vendor = owned(drmGetFormatModifierVendor(number)),
                          name = owned(drmGetFormatModifierName(number));
        if (!vendor.empty()) CHECK(decoded.vendor == vendor);
        if (!decoded.name.empty()) CHECK(drm_modifier_number(decoded.name) == number);
        // Libdrm 2.4.114 and before write AMD's in another form, and leave fields out: what they do write is there.
        const bool is_older = vendor == "AMD" && name.find("KB_") == std::string::npos;
        if (name.empty() || is_older) continue;
        // It reads the lowest bit alone of what says how sectors lie, and has no word for Vivante's linear buffers.
        CHECK(decoded.libdrm_name == name);
        alike++;
        alike_of_amd += vendor == "AMD";
        const bool is_all_said = (vendor != "NVIDIA" || (number >> 26 & 3) == 0) &&
                                 name.find("INVALID_") == std::string::npos &&
                                 name.find("UNKNOWN") == std::string::npos;
        if (is_all_said && vendor != "AMD" && !decoded.name.empty())
            CHECK(drm_modifier_number(vendor + "_" + name) == number);
    }
    CHECK(alike > 1000);
    fmt::print("{} of AMD's\n", alike_of_amd);
}

TEST_CASE("AMD's numbers have the names that a libdrm after 2.4.114 gives them") {
    if (!drivers_are_here()) return;
    // The drivers bring their own libdrm, which the program then uses in place of the system's.
    const Ended ended =
        run({source_dir() + "/tools/with-driver", "lavapipe", "--", std::filesystem::read_symlink("/proc/self/exe"),
             "--test-case=a number of any family has the name that libdrm gives it*"});
    CAPTURE(ended.out);
    CHECK(ended.code == 0);
    const size_t at = ended.out.find(" of AMD's");
    REQUIRE(at != ended.out.npos);
    const size_t line = ended.out.rfind('\n', at) + 1;
    CHECK(std::stoul(ended.out.substr(line, at - line)) > 150);
}

#else
TEST_CASE("no modifier of the catalog's patterns has another name or vendor in libdrm") {
    MESSAGE("SKIPPED: libdrm-dev was not installed when the tests were built (tools/deps --test)");
}
#endif

TEST_CASE("a field with two values is no modifier, whichever of them stands last") {
    CHECK(drm_modifier_number("AMD(TILE_VERSION=GFX10_RBPLUS,TILE=64KB_R_X,PACKERS=4)").has_value());
    for (const char* text :
         {"AMD(TILE_VERSION=GFX10_RBPLUS,TILE=64KB_R_X=4,PACKERS=4)",
          "AMD(TILE_VERSION=GFX10_RBPLUS,TILE=64KB_R_XBLOCK_SIZE=ITS=4,PACKERS=4)",
          "AMD(TILE_VERSION=GFX10,TILE=GFX9_64K_S,TILE=GFX9_64K_D)", "ARM_AFBC(BLOCK_SIZE=16x16,BLOCK_SIZE=32x8)",
          "NVIDIA_BLOCK_LINEAR_2D(h=4,h=3,c=0,s=1,g=2,k=6)",
          "AMD(TILE_VERSION=GFX10_RI915_FORMAT_MOD_4_TILEDE_XOR_BITS=3=3,PACKERS=4)"}) {
        CAPTURE(text);
        CHECK(!drm_modifier_number(text).has_value());
    }
}

TEST_CASE("the macro of Amlogic's FBC takes no options, and 16 digits are hexadecimal as they are printed") {
    // fourcc_mod_code(AMLOGIC, 1) of drm_fourcc.h.
    CHECK(drm_modifier_number("DRM_FORMAT_MOD_AMLOGIC_FBC(AMLOGIC_FBC_LAYOUT_BASIC, 0)") == 0x0a00000000000001);
    CHECK(drm_modifier_number("0300000000606014") == 0x0300000000606014);
    CHECK(drm_modifier_number("216172782120099860") == 216172782120099860);
    CHECK_THROWS_WITH_AS(parse_modifier("AMD(TILE_VERSION=GFX10,PIPE_XOR_BITS=9)"),
                         doctest::Contains("its fields are TILE_VERSION, TILE"), UsageError);
}
