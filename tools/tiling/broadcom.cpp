// Says where Mesa's v3dv puts every element of an optimal image on the GPUs of Raspberry Pi 4 and 5, whose memory layout
// cannot be probed without the hardware: v3dv has no host image copy.
//   broadcom CHIP < requests > answers (tools/catalog/tiling_program.h); without arguments it lists its chips.
//
// Which element lies where within a level is not computed here: v3d_load_tiled_image (src/broadcom/common/v3d_tiling.c)
// turns a tiled level into rows, and the level that it gets here has its own number in each element. v3d_utile_width and
// v3d_utile_height give the sizes of tiles.
//
// Where levels and layers start, and how each level is tiled and padded, is the rule of v3dv (v3d_setup_plane_slices,
// v3d_setup_slices and v3dv_image_init in src/broadcom/vulkan/v3dv_image.c; which images there can be:
// v3dv_formats.c), repeated here. V3D 4.2 and 7.1 differ in nothing of it. It was compared with v3dv 25.0.7 on Mesa's
// shim: 10,000 random requests for each chip, of which it makes 6,338 images; size, alignment, and every level's offset
// and pitches were the same. In Mesa 26.1, images that can be transfer sources have 64 more bytes at their end.
#include "broadcom/common/v3d_limits.h"
#include "broadcom/vulkan/v3dv_limits.h"
#include "pipe/p_state.h"
#include "util/format/u_format.h"
#include "util/u_cpu_detect.h"
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

extern "C" {
#include "broadcom/common/v3d_tiling.h"
}

namespace {

/// A format as the driver's table has it: what the render unit and the texture unit call it, NO if they cannot use it.
struct Format {
    const char *name, *rendered, *sampled;
};
constexpr Format v3d_formats[] = {
#include "v3d_formats.h"
};

struct Chip {
    const char* name;
    uint32_t vendor, device;
    const char* usual_name;
};
constexpr Chip chips[] = {
    {"v3d42", 0x14e4, 0xbe485fd3, "Raspberry Pi 4"},
    {"v3d71", 0x14e4, 0x55701c33, "Raspberry Pi 5"},
};

struct Request {
    std::string type, format, aspect, usage;
    uint32_t element_bytes, block_w, block_h, width, height, depth, levels, layers, samples;

    [[nodiscard]] bool used_as(const std::string& what) const {
        return ("," + usage + ",").find("," + what + ",") != std::string::npos;
    }
    [[nodiscard]] bool named(const char* part) const { return format.find(part) != std::string::npos; }
};

uint32_t level_size(uint32_t size, uint32_t level) { return std::max(1U, size >> level); }
uint64_t round_up(uint64_t value, uint64_t step) { return (value + step - 1) / step * step; }

constexpr unsigned rows = V3D_TILING_RASTER;

/// Sizes are in elements; a size in bytes is that of one slice in z.
struct Level {
    unsigned tiling = rows;
    uint64_t width = 0, height = 0, depth = 1, bytes = 0, offset = 0;
};

struct Layout {
    uint64_t bytes = 0, alignment = 0, layer_bytes = 0;  ///< bytes == 0: there is no such image
    uint32_t element_bytes = 0;                          ///< in memory; that of one aspect may be smaller
    std::vector<Level> levels;
};

/// Stencil is the lowest byte of the four that it shares with depth.
uint32_t bytes_in_memory(const Request& image) { return image.named("D24_UNORM") ? 4 : image.element_bytes; }

/// Whether the driver would create such an image.
bool v3d_allows(const Request& image) {
    const auto* format = std::ranges::find(v3d_formats, image.format, &Format::name);
    if (format == std::end(v3d_formats)) return false;
    const bool rendered = format->rendered != std::string("NO"), sampled = format->sampled != std::string("NO");
    const bool depth = image.aspect != "color", compressed = image.block_w > 1 || image.block_h > 1;
    if (!rendered && !sampled) return false;
    if (image.aspect == "stencil" && !image.named("S8")) return false;
    // Images that are one-dimensional lie in rows, and in rows the texture unit reads neither depth nor blocks.
    if (image.type == "1D" && (compressed || image.height != 1)) return false;
    if (image.type == "1D" && depth &&
        (image.used_as("transfer-src") || image.used_as("sampled") || image.used_as("input")))
        return false;
    if ((image.used_as("sampled") && !sampled) || (image.used_as("input") && !(sampled && rendered))) return false;
    if (image.used_as("color") && (depth || !rendered)) return false;
    if (image.used_as("depth-stencil") && !(depth && rendered)) return false;
    // Shaders store to formats whose channels are whole bytes and of one size, and to a few others.
    const bool packed = image.named("PACK16") || image.named("E5B9G9R9") || image.named("D24_UNORM");
    if (image.used_as("storage") && (compressed || packed)) return false;
    const uint32_t longest = std::max({image.width, image.height, image.depth});
    return longest <= V3D_MAX_IMAGE_DIMENSION && image.layers <= V3D_MAX_ARRAY_LAYERS &&
           image.levels <= V3D_MAX_MIP_LEVELS && image.levels <= std::bit_width(longest) &&
           (image.type == "3D" ? image.layers == 1 : image.depth == 1);
}

/// How many rows of UIF blocks a level of that many gets besides. A column of UIF blocks should not start in the same
/// memory bank as the one to its left: the distance of their starts, modulo all banks, is made one and a half pages at
/// least, or zero, for which the hardware then swaps banks in every other column.
uint32_t v3d_padding(uint32_t block_rows) {
    const uint32_t over = block_rows % PAGE_CACHE_UB_ROWS;
    if (over == 0) return 0;
    if (over < PAGE_UB_ROWS_TIMES_1_5) return block_rows < PAGE_CACHE_UB_ROWS ? 0 : PAGE_UB_ROWS_TIMES_1_5 - over;
    return over > PAGE_CACHE_MINUS_1_5_UB_ROWS ? PAGE_CACHE_UB_ROWS - over : 0;
}

/// The size in texels on which levels from 2 on are based: a power of two of blocks at level 1, twice.
uint32_t power_of_two_size(uint32_t size, uint32_t block) {
    return 2 * block * std::bit_ceil((level_size(size, 1) + block - 1) / block);
}

void tile_v3d_level(Level& level, uint32_t element_bytes) {
    const uint32_t tile_w = v3d_utile_width(int(element_bytes)), tile_h = v3d_utile_height(int(element_bytes));
    const uint32_t block_w = 2 * tile_w, block_h = 2 * tile_h;
    uint32_t columns = 4;
    if (level.width <= tile_w || level.height <= tile_h) {
        level.tiling = V3D_TILING_LINEARTILE;
        level.width = round_up(level.width, tile_w);
        level.height = round_up(level.height, tile_h);
        return;
    }
    if (level.width <= block_w) {
        level.tiling = V3D_TILING_UBLINEAR_1_COLUMN;
        columns = 1;
    } else if (level.width <= 2 * block_w) {
        level.tiling = V3D_TILING_UBLINEAR_2_COLUMN;
        columns = 2;
    }
    level.width = round_up(level.width, uint64_t(columns) * block_w);
    level.height = round_up(level.height, block_h);
    if (columns < 4) return;
    uint32_t block_rows = uint32_t(level.height / block_h);
    block_rows += v3d_padding(block_rows);
    level.height = uint64_t(block_rows) * block_h;
    level.tiling = block_rows % PAGE_CACHE_UB_ROWS == 0 ? V3D_TILING_UIF_XOR : V3D_TILING_UIF_NO_XOR;
}

Layout v3d_layout(const Request& image) {
    Layout layout;
    if (!v3d_allows(image)) return layout;
    const bool tiled = image.type != "1D";
    const uint32_t bytes = layout.element_bytes = bytes_in_memory(image);
    layout.levels.resize(image.levels);
    uint64_t end = 0;
    // The smallest level comes first.
    for (uint32_t i = image.levels; i-- > 0;) {
        Level& level = layout.levels[i];
        const auto size = [i](uint32_t texels, uint32_t block, uint32_t first_padded) {
            const uint32_t based_on = i < first_padded ? texels : power_of_two_size(texels, block);
            return (level_size(based_on, i) + block - 1) / block;
        };
        level.width = size(image.width, image.block_w, 2);
        level.height = size(image.height, image.block_h, 2);
        level.depth = size(image.depth, 1, 1);
        if (tiled)
            tile_v3d_level(level, bytes);
        else
            level.width = round_up(level.width, 64 / bytes);
        level.bytes = level.width * level.height * bytes;
        level.offset = end;
        end += level.bytes * level.depth;
        // Level 1 takes whole pages if it or a smaller one might swap banks: it then starts at a page, as level 0 does.
        if (i == 1 && tiled && level.width > 8ULL * v3d_utile_width(int(bytes)) &&
            level.height > 2ULL * PAGE_CACHE_MINUS_1_5_UB_ROWS * v3d_utile_height(int(bytes)))
            end = level.offset + round_up(level.bytes * level.depth, V3D_UIFCFG_PAGE_SIZE);
    }
    layout.alignment = tiled ? 4096 : image.used_as("transfer-src") ? 64 : bytes;
    // Level 0 is aligned; what this leaves free lies before the smallest level.
    const uint64_t shift = round_up(layout.levels[0].offset, layout.alignment) - layout.levels[0].offset;
    for (Level& level : layout.levels) level.offset += shift;
    layout.layer_bytes = round_up(layout.levels[0].offset + layout.levels[0].bytes, 64);
    layout.bytes = round_up(end + shift + layout.layer_bytes * (image.layers - 1), 64);
    if (layout.bytes > UINT32_MAX) layout.bytes = 0;
    return layout;
}

/// Turns a level that lies tiled at `tiled` into rows of a box at its upper left corner.
void load(const Level& level, uint32_t element_bytes, uint8_t* tiled, uint8_t* to, uint32_t width, uint32_t height) {
    pipe_box box = {};
    box.width = int32_t(width);
    box.height = int16_t(height);
    box.depth = 1;
    const auto stride = uint32_t(level.width * element_bytes), row_bytes = width * element_bytes;
    if (level.tiling == rows) {
        for (uint32_t y = 0; y < height; y++) memcpy(to + size_t(y) * row_bytes, tiled + size_t(y) * stride, row_bytes);
    } else {
        v3d_load_tiled_image(to, row_bytes, tiled, stride, v3d_tiling_mode(level.tiling), int(element_bytes),
                             uint32_t(level.height), &box);
    }
}

/// The offset of each of width x height elements from the start of a level.
std::vector<uint64_t> offsets_in_level(const Level& level, uint32_t element_bytes, uint32_t width, uint32_t height) {
    std::vector<uint64_t> offsets(size_t(width) * height);
    std::vector<uint8_t> tiled(level.bytes), loaded(offsets.size() * element_bytes);
    // An element of one or two bytes is too small for its number, which is then loaded in parts.
    const uint32_t digit_bytes = std::min(element_bytes, 4U);
    for (uint32_t part = 0; part < 4; part += digit_bytes) {
        for (uint32_t i = 0; i < level.bytes / element_bytes; i++) {
            const uint32_t digits = i >> 8 * part;
            memcpy(&tiled[size_t(i) * element_bytes], &digits, digit_bytes);
        }
        load(level, element_bytes, tiled.data(), loaded.data(), width, height);
        for (size_t i = 0; i < offsets.size(); i++) {
            uint32_t digits = 0;
            memcpy(&digits, &loaded[i * element_bytes], digit_bytes);
            offsets[i] |= uint64_t(digits) << 8 * part;
        }
    }
    for (uint64_t& offset : offsets) offset *= element_bytes;
    return offsets;
}

void write(std::span<const uint64_t> numbers) { fwrite(numbers.data(), sizeof(uint64_t), numbers.size(), stdout); }

Layout layout_of(const Request& image) {
    if (!std::has_single_bit(bytes_in_memory(image)) || bytes_in_memory(image) > 16 || image.samples != 1) return {};
    return v3d_layout(image);
}

void answer(const Request& image) {
    const Layout layout = layout_of(image);
    write(std::vector{layout.bytes, layout.alignment});
    if (layout.bytes == 0) return;
    for (uint32_t i = 0; i < image.levels; i++) {
        const Level& level = layout.levels[i];
        const uint32_t width = (level_size(image.width, i) + image.block_w - 1) / image.block_w;
        const uint32_t height = (level_size(image.height, i) + image.block_h - 1) / image.block_h;
        const auto inside = offsets_in_level(level, layout.element_bytes, width, height);
        std::vector<uint64_t> placed(inside.size());
        for (uint32_t layer = 0; layer < image.layers; layer++)
            for (uint32_t z = 0; z < level_size(image.depth, i); z++) {
                const uint64_t start = level.offset + layer * layout.layer_bytes + z * level.bytes;
                std::ranges::transform(inside, placed.begin(), [start](uint64_t offset) { return start + offset; });
                write(placed);
            }
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 1) {
        for (const Chip& chip : chips) printf("%s %x %x %s\n", chip.name, chip.vendor, chip.device, chip.usual_name);
        return 0;
    }
    const auto* chip = std::ranges::find(chips, std::string(argv[1]), &Chip::name);
    if (argc != 2 || chip == std::end(chips)) {
        fprintf(stderr, "usage: %s [CHIP] <requests; without CHIP it prints the chips\n", argv[0]);
        return 2;
    }
    std::string line;
    while (std::getline(std::cin, line)) {
        Request r;
        std::istringstream words(line);
        if (!(words >> r.type >> r.format >> r.aspect >> r.element_bytes >> r.block_w >> r.block_h >> r.width >>
              r.height >> r.depth >> r.levels >> r.layers >> r.samples >> r.usage) ||
            !r.block_w || !r.block_h || !r.width || !r.height || !r.depth || !r.levels || !r.layers) {
            fprintf(stderr, "not a request: %s\n", line.c_str());
            return 1;
        }
        answer(r);
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
