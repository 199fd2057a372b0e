// Sources: drm_fourcc.h for the meaning of its modifiers; Mesa's nil (NVIDIA), isl (Intel), v3d (Broadcom), panfrost
// (Mali) and ail (Apple) for the order of bytes; Microsoft's documents on D3D12's standard swizzle. Most modes are
// defined on bytes: if x counts bytes, their rows are the same for every element size.
#include "patterns/modes/defined_modes.h"
#include "patterns/convert/convert.h"
#include "patterns/model/bits.h"
#include "patterns/model/drm_modifier.h"
#include "patterns/model/equation_text.h"
#include "patterns/model/error.h"
#include "patterns/model/extent_text.h"
#include "patterns/model/text.h"
#include "patterns/modes/amd_equations.h"
#include <algorithm>
#include <bit>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>

namespace tilewise {

namespace {

/// "Tile-4", "TILE_4" and "tile4" are the same name.
std::string plain_name(std::string_view text) {
    std::string plain;
    for (const char c : to_lower(text))
        if (c != '_' && c != '-' && c != ' ') plain += c;
    return plain;
}

/// The result of a mode for a request: a layout of one tile, whose size may depend on the image.
struct Made {
    Layout layout;
    uint64_t tiles_of_block = 1;  ///< along x: rows are a multiple of it
    /// The elements that the image takes along each axis, if these are not just whole blocks.
    std::function<Coord(const Coord&)> padded = {};
    uint64_t unit_bytes = 1;      ///< what the bytes of a layer are a multiple of, if not just of blocks
    gf2::Columns layer_xor = {};  ///< as in PartMemory
};

class Parameters {
public:
    Parameters(const ModeRequest& request, std::string_view mode) : request_(request), mode_(mode) {}

    /// The parameter's value, within that range and, if `power` is set, a power of two.
    uint32_t number(const std::string& name, uint32_t standard, uint32_t least, uint32_t most,
                    bool power = true) const {
        const auto found = request_.parameters.find(name);
        if (found == request_.parameters.end()) return standard;
        uint32_t value = 0;
        const std::string& text = found->second;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || value < least || value > most ||
            (power && !std::has_single_bit(value)))
            fail(name, fmt::format("{} from {} to {}", power ? "a power of two" : "a number", least, most));
        return value;
    }

    std::string word(const std::string& name, const std::vector<std::string>& words) const {
        const auto found = request_.parameters.find(name);
        if (found == request_.parameters.end()) return words.front();
        std::string wanted = to_lower(found->second);
        if (std::ranges::find(words, wanted) == words.end())
            fail(name, fmt::format("one of {}", fmt::join(words, ", ")));
        return wanted;
    }

    std::string text(const std::string& name) const {
        const auto found = request_.parameters.find(name);
        return found == request_.parameters.end() ? "" : to_lower(found->second);
    }

    [[noreturn]] void fail(const std::string& name, const std::string& what) const {
        const auto found = request_.parameters.find(name);
        throw UsageError(fmt::format("--param {}={}: for {} it must be {}", printable(name, 30),
                                     found == request_.parameters.end() ? "" : printable(found->second, 30), mode_,
                                     what));
    }

private:
    const ModeRequest& request_;
    std::string_view mode_;
};

void require_element(const Element& element, std::string_view mode) {
    if (std::has_single_bit(element.bytes) && element.bytes <= 16) return;
    // Mesa's panfrost places elements by their number, and so three channels of 8, 16 or 32 bits, too.
    const bool has_thirds = mode == "u_interleaved";
    if (has_thirds && (element.bytes == 3 || element.bytes == 6 || element.bytes == 12)) return;
    throw UsageError(fmt::format("{} has elements of {} bytes, not {}", mode,
                                 has_thirds ? "1, 2, 3, 4, 6, 8, 12 or 16" : "1, 2, 4, 8 or 16", element.bytes));
}

/// Converts rows in which x counts bytes to the rows of an equation of elements.
std::string of_elements(const std::string& rows_of_bytes, const Element& element) {
    const unsigned own = log2_exact(element.bytes);
    std::vector<std::string> rows = split(rows_of_bytes, ' ');
    for (std::string& row : rows) {
        std::vector<std::string> terms = split(row, '^');
        std::vector<std::string> kept;
        for (const std::string& term : terms) {
            const unsigned bit = static_cast<unsigned>(std::stoul(term.substr(1)));
            if (term[0] != 'x')
                kept.push_back(term);
            else if (bit >= own)
                kept.push_back(fmt::format("x{}", bit - own));
        }
        row = kept.empty() ? "0" : fmt::format("{}", fmt::join(kept, "^"));
    }
    return fmt::format("{}", fmt::join(rows, " "));
}

Made by_bytes(const std::string& rows, const Element& element, bool by_columns = false) {
    return {layout_by_equation(of_elements(rows, element), element, by_columns)};
}

/// " y3 y4 ..": `count` bits of the axis.
std::string bits(char axis, unsigned first, unsigned count) {
    std::string text;
    for (unsigned i = 0; i < count; i++) text += fmt::format(" {}{}", axis, first + i);
    return text;
}

struct GobKind {
    const char* name;
    const char* rows;
    uint64_t constant;
};
constexpr GobKind gob_kinds[] = {
    {"turing", "x0 x1 x2 x3 y0 y1 x4 y2 x5", 0},
    {"fermi", "x0 x1 x2 x3 y0 x4^y1 x4^y2 y2 x5", 0x20},
    {"tegra", "x0 x1 x2 x3 y0 x4 y1 y2 x5", 0},
    {"blackwell", "", 0},
};
constexpr unsigned most_gobs = 32;

/// The least power of two of such blocks that holds the size, but no more than `most`.
unsigned least_power(uint64_t size, uint64_t block, unsigned most) {
    return static_cast<unsigned>(std::min<uint64_t>(std::bit_ceil(ceil_div(size, block)), most));
}

Made block_linear(const Parameters& given, const Element& element, const Coord* extent) {
    constexpr unsigned gob_rows_bits = 3;
    const std::string name = given.word("kind", {"turing", "fermi", "tegra", "blackwell"});
    const GobKind& kind = *std::ranges::find(gob_kinds, name, &GobKind::name);
    std::string rows = kind.rows;
    if (rows.empty())
        rows = element.bytes == 1   ? "x0 x1 x2 y0 y1 y2 x3 x4 x5"
               : element.bytes == 2 ? "x0 x1 x2 x3 y0 y1 y2 x4 x5"
                                    : gob_kinds[0].rows;
    unsigned high = given.number("gobs", 16, 1, most_gobs), deep = given.number("gobs_deep", 1, 1, most_gobs);
    if (given.word("clamp", {"off", "on"}) == "on" && extent) {
        high = least_power((*extent)[axis_y], 1U << gob_rows_bits, high);
        deep = least_power((*extent)[axis_z], 1, deep);
    }
    rows += bits('y', gob_rows_bits, log2_exact(high));
    rows += bits('z', 0, log2_exact(deep));
    Made made = by_bytes(rows, element);
    made.layout.constant = kind.constant;
    return made;
}

/// 16x16 texels, which are 4x4 blocks of a compressed format.
Made u_interleaved(const Parameters& given, const Element& element) {
    const unsigned side = log2_exact(given.number("side", element.width > 1 ? 4 : 16, 2, 256));
    std::string rows;
    for (unsigned i = 0; i < side; i++) rows += fmt::format(" x{0}^y{0} y{0}", i);
    return {layout_by_equation(rows, element)};
}

/// A layout by an equation that may be empty: then each element is a tile.
Layout layout_of_rows(const std::string& rows, const Element& element) {
    if (!rows.empty()) return layout_by_equation(rows, element);
    Layout layout;
    layout.pattern.element = element;
    layout.pattern.tile_bytes = element.bytes;
    return layout;
}

/// Bits of x and y in turn, followed by the remaining bits of the longer side.
std::string morton_rows(unsigned x_bits, unsigned y_bits, bool y_first) {
    std::string rows;
    for (unsigned i = 0; i < std::max(x_bits, y_bits); i++) {
        const std::string x = i < x_bits ? fmt::format(" x{}", i) : "", y = i < y_bits ? fmt::format(" y{}", i) : "";
        rows += y_first ? y + x : x + y;
    }
    return rows;
}

/// "8x8"
std::pair<unsigned, unsigned> tile_of(const Parameters& given, const std::string& text) {
    uint32_t sides[2] = {};
    const std::vector<std::string> fields = split_fields(text, 'x');
    for (size_t i = 0; i < 2; i++) {
        const std::string field = i < fields.size() ? fields[i] : "";
        const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), sides[i]);
        if (fields.size() != 2 || error != std::errc() || end != field.data() + field.size() ||
            !std::has_single_bit(sides[i]) || sides[i] > 4096)
            given.fail("tile", "a size such as 8x8, powers of two up to 4096");
    }
    return {log2_exact(sides[0]), log2_exact(sides[1])};
}

Made morton(const Parameters& given, const Element& element, const Coord* extent) {
    const std::string tile = given.text("tile");
    const bool y_first = given.word("first", {"x", "y"}) == "y";
    unsigned x_bits = 0, y_bits = 0;
    if (!tile.empty()) {
        std::tie(x_bits, y_bits) = tile_of(given, tile);
    } else {
        if (!extent)
            throw UsageError(
                "morton without a tile is of a whole image, rounded up to powers of two: give --extent, or --param "
                "tile=8x8");
        x_bits = static_cast<unsigned>(std::bit_width((*extent)[axis_x] - 1));
        y_bits = static_cast<unsigned>(std::bit_width((*extent)[axis_y] - 1));
        if (const unsigned all = x_bits + y_bits + log2_exact(element.bytes); all > max_address_bits)
            throw UsageError(
                fmt::format("morton without a tile is of a whole image: {} has {} address bits; at most {}: "
                            "give a smaller --extent, or --param tile=8x8",
                            extent_text(*extent), all, max_address_bits));
    }
    return {layout_of_rows(morton_rows(x_bits, y_bits, y_first), element)};
}

/// Tiles of a page. Mesa's ail: an image that is less wide or less high than one has square tiles as large as its
/// shorter side, and a power of two of them; and layers that can be written begin with a page.
Made apple_tiled(const Parameters&, const Element& element, const Coord* extent) {
    constexpr unsigned page_bits = 14;
    const unsigned texel_bits = page_bits - log2_exact(element.bytes);
    const unsigned x_bits = (texel_bits + 1) / 2, y_bits = texel_bits / 2;
    if (!extent || ((*extent)[axis_x] >= 1U << x_bits && (*extent)[axis_y] >= 1U << y_bits))
        return {layout_by_equation(morton_rows(x_bits, y_bits, false), element)};
    const auto side = static_cast<unsigned>(std::bit_width(std::min((*extent)[axis_x], (*extent)[axis_y]) - 1));
    Made made = {layout_of_rows(morton_rows(side, side, false), element)};
    made.padded = [](const Coord& of) {
        Coord whole = of;
        for (const Axis a : {axis_x, axis_y}) whole[a] = least_power(of[a], 1, 1U << 31);
        return whole;
    };
    made.unit_bytes = uint64_t{1} << page_bits;
    return made;
}

/// Tiles of that many elements, or bytes along x, in scan order.
Made scan_tiles(unsigned x_bits, unsigned y_bits, const Element& element, bool x_is_bytes) {
    const std::string rows = bits('x', 0, x_bits) + bits('y', 0, y_bits);
    return x_is_bytes ? by_bytes(rows, element) : Made{layout_by_equation(rows, element)};
}

Coord with_rows(Coord extent, uint64_t rows) {
    extent[axis_y] = static_cast<uint32_t>(rows);
    return extent;
}

constexpr uint32_t max_sand_rows = 1 << 20;

Made sand(const Parameters& given, const Element& element, const Coord* extent) {
    const unsigned width = log2_exact(given.number("width", 128, 32, 256));
    const uint32_t rows = given.number("rows", 0, 1, max_sand_rows, false);
    Made made = by_bytes(fmt::format("{}", bits('x', 0, width)), element, true);
    if (extent && rows != 0 && rows < (*extent)[axis_y])
        given.fail("rows", fmt::format("at least the image's height, {}", (*extent)[axis_y]));
    made.padded = [rows](const Coord& of) { return with_rows(of, rows == 0 ? of[axis_y] : rows); };
    return made;
}

/// Utiles of 64 bytes in scan order, two by two, with four such blocks side by side; these follow one another in
/// columns. Of columns that fill the page cache, every second one is XORed; others are padded until they are out of
/// step.
Made uif(const Parameters& given, const Element& element, const Coord* extent) {
    constexpr unsigned utile_bits = 6;
    const unsigned own = log2_exact(element.bytes), places = utile_bits - own;
    const unsigned high = places / 2, wide = places - high;
    std::string rows = bits('x', 0, own + wide) + bits('y', 0, high) + fmt::format(" x{} y{}", own + wide, high) +
                       bits('x', own + wide + 1, 2);
    Made made = by_bytes(rows, element, true);
    constexpr uint64_t page_rows = 4, cache_rows = 32;  // in blocks: 4 KiB, and 8 of these
    constexpr uint64_t half_more = page_rows * 3 / 2;
    const uint64_t block_rows = made.layout.pattern.tile[axis_y];
    const auto padded = [=](uint64_t height) {
        const uint64_t count = ceil_div(height, block_rows), beyond = count % cache_rows;
        if (beyond == 0) return count;
        if (beyond < half_more) return count < cache_rows ? count : count - beyond + half_more;
        return beyond > cache_rows - half_more ? count - beyond + cache_rows : count;
    };
    const std::string how = given.word("xor", {"auto", "on", "off"});
    const bool is_xored = how == "on" || (how == "auto" && (!extent || padded((*extent)[axis_y]) % cache_rows == 0));
    Pattern& pattern = made.layout.pattern;
    if (is_xored) pattern.index_xor.columns[axis_x] = {cache_rows / 2};
    made.padded = [=](const Coord& of) {
        const uint64_t count = is_xored ? round_up(padded(of[axis_y]), cache_rows) : padded(of[axis_y]);
        return with_rows(of, count * block_rows);
    };
    return made;
}

/// AMD's blocks of 256 bytes, followed by bits of y and x in turn.
Made amd_turns(const std::string& block, unsigned bits, const Element& element) {
    std::vector<std::string> rows = split(block, ' ');
    unsigned next_x = 0, next_y = 0;
    for (const std::string& row : rows) (row[0] == 'x' ? next_x : next_y)++;
    const unsigned places = bits - log2_exact(element.bytes);
    bool is_y = element.bytes == 2 || element.bytes == 8 || next_y <= next_x;
    for (; rows.size() < places; is_y = !is_y)
        rows.push_back(is_y ? fmt::format("y{}", next_y++) : fmt::format("x{}", next_x++));
    return {layout_by_equation(fmt::format("{}", fmt::join(rows, " ")), element)};
}

constexpr const char* standard_blocks[] = {"x0 x1 x2 x3 y0 y1 y2 y3", "x0 x1 x2 y0 y1 y2 x3", "x0 x1 y0 y1 y2 x2",
                                           "x0 y0 y1 x1 x2", "y0 y1 x0 x1"};
constexpr const char* blocks_of_gfx11[] = {"x0 x1 y0 x2 y1 y2 x3 y3", "x0 y0 x1 y1 x2 y2 x3", "x0 y0 x1 y1 x2 y2",
                                           "x0 y0 x1 x2 y1", "x0 y0 x1 y1"};

/// The blocks of the D modes: GFX9 to GFX10.3 differ among one another in elements of 4 bytes.
std::string display_block(const std::string& gfx, const Element& element) {
    const unsigned own = log2_exact(element.bytes);
    if (gfx == "11" || gfx == "12" || element.bytes >= 8) return blocks_of_gfx11[own];
    if (element.bytes == 1) return "x0 x1 x2 y1 y0 y2 x3 y3";
    if (element.bytes == 2) return standard_blocks[own];
    return gfx == "9" ? "x0 x1 y0 x2 y1 y2" : gfx == "10" ? "x0 x1 y0 y1 y2 x2" : "x0 x1 y0 y1 x2 y2";
}

constexpr std::pair<const char*, uint32_t> gfx_versions[] = {{"9", 1}, {"10", 2}, {"10.3", 3}, {"11", 4}};

const char* gfx_of(uint32_t version) {
    for (const auto& [name, number] : gfx_versions)
        if (number == version) return name;
    return "";
}

Made amd_of_chip(const Parameters& given, const Element& element, uint32_t tile, const std::string& mode) {
    const std::string gfx = given.text("gfx");
    const auto is_of = [&](const AmdEquation& each) {
        const auto says = [&](const char* name, uint32_t value) {
            return given.text(name).empty() || given.text(name) == std::to_string(value);
        };
        return each.tile == tile && (gfx.empty() || gfx == gfx_of(each.version)) && says("pipes", each.pipes) &&
               says("packers", each.packers);
    };
    std::vector<const AmdEquation*> found;
    std::vector<std::string> known;
    for (const AmdEquation& each : amd_equations()) {
        if (each.tile != tile || each.element_bytes != element.bytes) continue;
        if (!each.chips.empty())
            known.push_back(fmt::format("gfx={} pipes={} packers={} ({})", gfx_of(each.version), each.pipes,
                                        each.packers, each.chips));
        if (is_of(each)) found.push_back(&each);
    }
    if (found.size() == 1) {
        Made made = {layout_by_equation(found.front()->equation, element)};
        // A row of tiles is whole blocks; the tile may be a part of a block.
        constexpr uint64_t block_bytes = 65536;
        const uint64_t bytes = made.layout.pattern.tile_bytes;
        made.tiles_of_block = block_bytes / bytes;
        for (const std::string& bit : split(std::string(found.front()->slices), ' '))
            made.layer_xor.push_back(uint64_t{1} << std::stoul(bit));
        return made;
    }
    throw UsageError(
        fmt::format("{} {}; those of chips, for elements of {} bytes, are {}; give each as --param NAME=VALUE", mode,
                    found.empty() ? "of that address configuration was read from no driver"
                                  : "depends on the address configuration of the chip",
                    element.bytes, fmt::join(known, "; ")));
}

using Maker = std::function<Made(const Parameters&, const Element&, const Coord*)>;

struct Form {
    DefinedMode mode;
    std::vector<std::string> other_names;
    std::vector<std::string> parameters;
    Maker make;
};

template <typename Make>
Maker of_any_extent(Make make) {
    return [make](const Parameters& given, const Element& element, const Coord*) { return make(given, element); };
}

const std::vector<Form>& forms() {
    const auto standard = [](unsigned bits) {
        return [bits](const Parameters&, const Element& element) {
            return amd_turns(standard_blocks[log2_exact(element.bytes)], bits, element);
        };
    };
    const auto plain = [](unsigned bits) {
        return [bits](const Parameters& given, const Element& element) {
            return amd_turns(display_block(given.word("gfx", {"11", "12", "10.3", "10", "9"}), element), bits, element);
        };
    };
    const auto of_chip = [](uint32_t tile, const char* name) {
        return [tile, name](const Parameters& given, const Element& element) {
            return amd_of_chip(given, element, tile, name);
        };
    };
    const auto bytes = [](const char* rows) {
        return [rows](const Parameters&, const Element& element) { return by_bytes(rows, element); };
    };
    constexpr const char* configuration = "gfx=10|10.3|11, pipes=LOG2, packers=LOG2: the chip's address configuration";
    constexpr const char* of_version = "gfx=9|10|10.3|11|12 (11)";
    constexpr const char* addrlib = "AMD's address library, as published in Mesa";
    constexpr const char* probed = "what RADV lays out for that address configuration";
    static const std::vector<Form> all = {
        {{"block_linear",
          "gobs=1..32 (16), kind=turing|fermi|tegra|blackwell (turing), gobs_deep=1..32 (1), clamp=off|on (off)",
          "NVIDIA block-linear", "drm_fourcc.h and Mesa's nil"},
         {"nvidia_block_linear", "nvidia_block_linear_2d", "block_linear_2d"},
         {"gobs", "kind", "gobs_deep", "clamp"},
         block_linear},
        {{"tegra_tiled", "", "NVIDIA Tegra 2 to 4: tiles of 16 bytes x 16 rows", "drm_fourcc.h"},
         {"nvidia_tegra_tiled"},
         {},
         of_any_extent(bytes("x0 x1 x2 x3 y0 y1 y2 y3"))},
        {{"tilex", "", "Intel TileX", "drm_fourcc.h and Mesa's isl"},
         {"x_tiled", "i915_format_mod_x_tiled", "intel_tilex", "xtiled"},
         {},
         of_any_extent(bytes("x0 x1 x2 x3 x4 x5 x6 x7 x8 y0 y1 y2"))},
        {{"tiley", "", "Intel TileY0", "drm_fourcc.h and Mesa's isl"},
         {"tiley0", "y_tiled", "i915_format_mod_y_tiled", "intel_tiley0"},
         {},
         of_any_extent(bytes("x0 x1 x2 x3 y0 y1 y2 y3 y4 x4 x5 x6"))},
        {{"tile4", "", "Intel Tile4", "drm_fourcc.h and Mesa's isl"},
         {"4_tiled", "i915_format_mod_4_tiled", "intel_tile4"},
         {},
         of_any_extent(bytes("x0 x1 x2 x3 y0 y1 x4 x5 y2 x6 y3 y4"))},
        {{"4KB_S", "", "AMD's standard swizzle in 4 KiB", addrlib}, {"amd_4kb_s"}, {}, of_any_extent(standard(12))},
        {{"64KB_S", "", "AMD's, Vulkan's and D3D12's standard swizzle",
          "Microsoft's documents of 64KB_STANDARD_SWIZZLE"},
         {"amd_64kb_s", "standard_swizzle", "64kb_standard_swizzle"},
         {},
         of_any_extent(standard(16))},
        {{"4KB_D", of_version, "AMD; on GFX12 4KB_2D", addrlib},
         {"4kb_2d", "amd_4kb_2d"},
         {"gfx"},
         of_any_extent(plain(12))},
        {{"64KB_D", of_version, "AMD; on GFX12 64KB_2D", addrlib},
         {"64kb_2d", "amd_64kb_2d"},
         {"gfx"},
         of_any_extent(plain(16))},
        {{"256B_2D", of_version, "AMD GFX12; before, 256B_D", addrlib},
         {"256b_d", "amd_256b_2d"},
         {"gfx"},
         of_any_extent(plain(8))},
        {{"256KB_2D", "", "AMD GFX12", addrlib}, {"amd_256kb_2d"}, {}, of_any_extent(plain(18))},
        {{"64KB_R_X", configuration, "AMD, with pipe and bank XOR", probed},
         {"amd_64kb_r_x"},
         {"gfx", "pipes", "packers"},
         of_any_extent(of_chip(27, "64KB_R_X"))},
        {{"uif", "xor=auto|on|off (auto: as the height asks for)", "Broadcom UIF", "drm_fourcc.h and Mesa's v3d"},
         {"broadcom_uif"},
         {"xor"},
         uif},
        {{"sand", "width=32..256 (128), rows=COLUMN HEIGHT (the image's)", "Broadcom SAND: columns of that many bytes",
          "drm_fourcc.h"},
         {"broadcom_sand", "sand128"},
         {"width", "rows"},
         sand},
        {{"u_interleaved", "side=2..256 (16; 4 of blocks of 4x4 texels)", "Mali's u-interleaved blocks",
          "drm_fourcc.h and Mesa's panfrost"},
         {"arm_16x16_block_u_interleaved", "16x16_block_u_interleaved"},
         {"side"},
         of_any_extent(u_interleaved)},
        {{"morton", "tile=WxH (the whole image, rounded up to powers of two), first=x|y (x)",
          "Z-order: bits of x and y by turns", "the definition of Z-order"},
         {"twiddled", "z_order"},
         {"tile", "first"},
         morton},
        {{"gpu_tiled", "", "Apple's tiles of 16 KiB in Morton order", "drm_fourcc.h and Mesa's ail"},
         {"apple_gpu_tiled", "apple_tiled"},
         {},
         apple_tiled},
        {{"vivante_tiled", "", "Vivante: tiles of 4x4 elements", "drm_fourcc.h"},
         {},
         {},
         of_any_extent([](const Parameters&, const Element& element) { return scan_tiles(2, 2, element, false); })},
        {{"vivante_super_tiled", "", "Vivante: 4x4 tiles in super-tiles of 64x64",
          "drm_fourcc.h and etnaviv's hardware.md"},
         {},
         {},
         of_any_extent([](const Parameters&, const Element& element) {
             return Made{layout_by_equation("x0 x1 y0 y1 x2 y2 y3 x3 x4 x5 y4 y5", element)};
         })},
        {{"16x16_tile", "", "Samsung: tiles of 16x16 elements", "drm_fourcc.h"},
         {"samsung_16_16_tile"},
         {},
         of_any_extent([](const Parameters&, const Element& element) { return scan_tiles(4, 4, element, false); })},
        {{"16l32s", "", "MediaTek: tiles of 16 bytes x 32 rows", "drm_fourcc.h"},
         {"mtk_16l_32s_tile"},
         {},
         of_any_extent([](const Parameters&, const Element& element) { return scan_tiles(4, 5, element, true); })},
    };
    return all;
}

const Form* form_named(std::string_view name) {
    const std::string wanted = plain_name(name);
    for (const Form& form : forms())
        if (plain_name(form.mode.name) == wanted ||
            std::ranges::any_of(form.other_names,
                                [&](const std::string& other) { return plain_name(other) == wanted; }))
            return &form;
    return nullptr;
}

const Form& form_of(const ModeRequest& request) {
    const Form* form = form_named(request.mode);
    if (!form) {
        std::vector<std::string> names;
        for (const Form& each : forms()) names.push_back(each.mode.name);
        throw UsageError(
            fmt::format("--mode {}: not one of the modes that documents define for images of any device: {}",
                        printable(request.mode, 40), fmt::join(names, ", ")));
    }
    for (const auto& [name, value] : request.parameters)
        if (std::ranges::find(form->parameters, name) == form->parameters.end())
            throw UsageError(fmt::format(
                "--param {}={}: {} {}", printable(name, 30), printable(value, 30), form->mode.name,
                form->parameters.empty() ? "has no parameters" : "has the parameters " + form->mode.parameters));
    return *form;
}

Made make(const ModeRequest& request, const Element& element, const Coord* extent) {
    const Form& form = form_of(request);
    require_element(element, form.mode.name);
    return form.make({request, form.mode.name}, element, extent);
}

/// Reduces the tile to the smallest one that repeats, by halving it while its last bit is of the axis along which tiles
/// are densest.
void make_canonical(Pattern& pattern) {
    const Axis dense = pattern.order[0];
    if (!pattern.outer_xor.is_zero() || !pattern.index_xor.is_zero()) return;
    gf2::Columns& columns = pattern.equation.columns[dense];
    while (!columns.empty() && pattern.tile_bytes > pattern.element.bytes) {
        const uint64_t top = pattern.tile_bytes / 2;
        const auto has_top = [&](uint64_t column) { return (column & top) != 0; };
        const gf2::Columns all = pattern.equation.all_columns();
        if (columns.back() != top || std::ranges::count_if(all, has_top) != 1) return;
        columns.pop_back();
        pattern.tile[dense] /= 2;
        pattern.tile_bytes = top;
    }
}

/// The elements along each axis in the whole blocks that cover the image.
Coord whole_of(const Made& made, const Coord& extent) {
    const Coord padded = made.padded ? made.padded(extent) : extent;
    Coord block = made.layout.pattern.tile, whole = {};
    block[axis_x] *= static_cast<uint32_t>(made.tiles_of_block);
    for (const Axis a : all_axes) whole[a] = static_cast<uint32_t>(round_up(padded[a], block[a]));
    return whole;
}

}  // namespace

const std::vector<DefinedMode>& defined_modes() {
    static const std::vector<DefinedMode> modes = [] {
        std::vector<DefinedMode> all;
        for (const Form& form : forms()) all.push_back(form.mode);
        return all;
    }();
    return modes;
}

std::vector<ModeRequest> requests_without_a_chip() {
    constexpr std::string_view of_a_chip = "64KB_R_X", blocks = "block_linear";
    std::vector<ModeRequest> requests;
    for (const DefinedMode& mode : defined_modes())
        if (mode.name != of_a_chip && mode.name != blocks) requests.push_back({mode.name, {}});
    for (const GobKind& kind : gob_kinds)
        for (unsigned gobs = 1; gobs <= most_gobs; gobs *= 2)
            requests.push_back({std::string(blocks), {{"gobs", std::to_string(gobs)}, {"kind", kind.name}}});
    return requests;
}

bool is_defined_mode(std::string_view name) { return form_named(name) != nullptr; }

Layout defined_layout(const ModeRequest& request, const Element& element, const Coord& extent) {
    const Made made = make(request, element, &extent);
    Layout layout = dense_layout(made.layout.pattern, whole_of(made, extent));
    layout.constant = made.layout.constant;
    make_canonical(layout.pattern);
    layout.stride[layout.pattern.order[0]] = layout.pattern.tile_bytes;
    for (const Axis a : all_axes)
        if (extent[a] <= layout.pattern.tile[a]) layout.stride[a] = 0;
    return layout;
}

PartMemory defined_memory(const ModeRequest& request, const Element& element, const Coord& extent) {
    const Made made = make(request, element, &extent);
    const uint64_t block_bytes = made.layout.pattern.tile_bytes * made.tiles_of_block;
    return {whole_of(made, extent), std::max(made.unit_bytes, block_bytes), made.layer_xor};
}

Layout defined_layout(const ModeRequest& request, const Element& element) {
    Made made = make(request, element, nullptr);
    make_canonical(made.layout.pattern);
    made.layout.stride[made.layout.pattern.order[0]] = made.layout.pattern.tile_bytes;
    return made.layout;
}

bool has_depth(const ModeRequest& request) { return form_of(request).mode.name == "block_linear"; }

uint64_t tile_width_bytes(const ModeRequest& request, const Element& element, const Coord& extent) {
    if (form_of(request).mode.name == "morton" && !request.parameters.contains("tile")) return 0;
    const Made made = make(request, element, &extent);
    const Pattern& pattern = made.layout.pattern;
    return pattern.order == all_axes ? made.tiles_of_block * pattern.tile[axis_x] * element.bytes : 0;
}

std::string describe(const ModeRequest& request) {
    const Form& form = form_of(request);
    std::string text = form.mode.name;
    for (const auto& [name, value] : request.parameters) text += fmt::format(", {}={}", name, value);
    return fmt::format("{}, by {}", text, form.mode.source);
}

ModeRequest request_of_modifier(uint64_t modifier) {
    const DrmModifier decoded = decode_modifier(canonical_modifier(modifier));
    const std::string name = decoded.name.empty() ? drm_modifier_text(modifier) : decoded.name;
    const auto fail = [&](const std::string& why) {
        throw Error(fmt::format("{}: {}; `tilewise show --modifier {}` shows its fields", name, why,
                                drm_modifier_text(modifier)));
    };
    if (decoded.name == "INVALID") fail("it means that there is no modifier; only the driver knows the layout");
    if (decoded.name.empty()) fail("nothing is known of such a modifier");
    if (decoded.is_compressed) fail("its data are compressed, so a texel has no fixed place");
    const auto field = [&](std::string_view of) {
        const auto found = std::ranges::find(decoded.fields, of, &ModifierField::name);
        return found == decoded.fields.end() ? uint64_t{0} : found->value;
    };
    if (decoded.vendor == "NVIDIA" && !decoded.fields.empty()) {
        struct Kind {
            uint64_t g, k, s;
            const char* name;
        };
        constexpr Kind kinds[] = {{2, 0x06, 1, "turing"},
                                  {0, 0xfe, 1, "fermi"},
                                  {0, 0xfe, 0, "tegra"},
                                  {2, 0x06, 2, "blackwell"},
                                  {2, 0x06, 3, "blackwell"}};
        for (const Kind& kind : kinds)
            if (field("g") == kind.g && field("k") == kind.k && field("s") == kind.s && field("h") <= 5)
                return {"block_linear",
                        {{"clamp", "on"}, {"gobs", std::to_string(1U << field("h"))}, {"kind", kind.name}}};
        fail(field("h") > 5 ? "blocks are at most 32 GOBs high"
                            : "the layout of images of that page kind is not known here");
    }
    if (decoded.vendor == "AMD") {
        const auto mode = std::ranges::find(decoded.fields, "TILE", &ModifierField::name)->meaning;
        const uint64_t version = field("TILE_VERSION");
        if (version == 0) fail("it has no TILE_VERSION: no driver makes such images");
        if (mode.ends_with("_X") && version >= 2 && version <= 4 && is_defined_mode(mode))
            return {mode,
                    {{"gfx", gfx_of(static_cast<uint32_t>(version))},
                     {"pipes", std::to_string(field("PIPE_XOR_BITS"))},
                     {"packers", std::to_string(field("PACKERS"))}}};
        if (version >= 4 && mode.ends_with("_S")) fail("from GFX11 on, 2D images have no standard swizzle");
        if (mode == "64KB_S" || mode == "4KB_S") return {mode, {}};
        if ((mode.ends_with("_D") || mode.ends_with("_2D")) && is_defined_mode(mode)) {
            if (version >= 4) return {mode, {}};
            return {mode, {{"gfx", gfx_of(static_cast<uint32_t>(version))}}};
        }
        fail("no chip's images in that mode were read");
    }
    constexpr std::string_view columns = "BROADCOM_SAND";
    if (decoded.name.starts_with(columns)) {
        ModeRequest sand = {"sand",
                            {{"width", decoded.name.substr(columns.size(), decoded.name.find('(') - columns.size())}}};
        // drm_fourcc.h: without a height, columns are as high as the image.
        if (field("COL_HEIGHT") > max_sand_rows) fail(fmt::format("columns are at most {} rows high", max_sand_rows));
        if (field("COL_HEIGHT") != 0) sand.parameters["rows"] = std::to_string(field("COL_HEIGHT"));
        return sand;
    }
    if (decoded.vendor == "VIVANTE" && field("TILING") <= 2 && field("TILING") > 0)
        return {field("TILING") == 1 ? "vivante_tiled" : "vivante_super_tiled", {}};
    if (decoded.vendor == "MTK" && field("TILE") == 1) return {"16l32s", {}};
    if (decoded.vendor == "QCOM") fail("the rows that choose the bank differ by chip: give --gpu");
    if (!is_defined_mode(decoded.name))
        fail(decoded.name == "LINEAR" ? "rows in scan order: give --pattern linear"
                                      : "no equation of it is known here");
    return {decoded.name, {}};
}

}  // namespace tilewise
