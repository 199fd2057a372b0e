// Where the subresources of one image lie, by what is known of a device or a pattern; and what had to be assumed.
#pragma once
#include "patterns/convert/convert.h"
#include "tools/commands/commands.h"
#include "tools/lookup/filter_options.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewise {

/// As given on the command line: an image, and by what it is laid out.
struct ImageOptions {
    FilterOptions filter;  ///< device, driver, format, usage, ..; the extent is the image's
    std::string pattern;   ///< an id or its beginning, or "linear", in place of a device
    std::string layout;    ///< a file with a layout object, or what `solve --json` printed, in place of both
    uint32_t levels = 1, layers = 1;
    bool assume = false;                                     ///< convert by what was not observed of this very image
    std::optional<uint64_t> constant;                        ///< c of the address model
    std::optional<uint64_t> base, pitch, layer_stride;       ///< bytes
    std::array<std::optional<uint64_t>, axis_count> stride;  ///< bytes from tile to tile
};

/// Adds --gpu, --pattern, --layout, --format, --extent, --levels, --layers, --base, --pitch, --stride-x, ..
void add_image_options(CLI::App& command, ImageOptions& options);

/// One level of one layer.
struct Subresource {
    uint32_t level = 0, layer = 0;
    Coord extent = unit_extent;  ///< elements
    Layout layout;
};

struct ImageLayout {
    std::vector<Subresource> parts;    ///< layer by layer, in each from the largest level down
    std::vector<std::string> assumed;  ///< one line each; empty where all was observed or given
    std::string source;                ///< "as seen on NVIDIA H200"

    uint64_t tiled_bytes() const;  ///< up to the last byte of any element
    uint64_t whole_bytes() const;  ///< up to the end of the last tile, as memory has it
    uint64_t rows_bytes() const;   ///< all parts as rows without a gap, one after another
};

/// Subresources that were observed, in an image of that very extent, levels and layers, lie as they did there. Others
/// are laid out like the observed image that comes nearest to their size: with its strides if it has that very size,
/// else with tiles one after another. Levels then follow one another, each at a multiple of its tile, and layers at a
/// multiple of the first level's tile. All but the first is an assumption, and refused unless the options allow it; what
/// the options say outright is none. Throws Error or UsageError: nothing known, several possibilities (which), an
/// assumption (which), or two elements that would share a byte.
ImageLayout image_layout(const Globals& globals, const ImageOptions& options);

}  // namespace tilewise
