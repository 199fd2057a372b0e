// Where the subresources of one image lie, by what is known of a device or a pattern; and what had to be assumed.
#pragma once
#include "db/facts/image_rule.h"
#include "db/facts/observation.h"
#include "patterns/model/image_layout.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/options/filter_options.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewise {

/// As given on the command line: an image, and by what it is laid out.
struct ImageOptions {
    FilterOptions filter;  ///< device, driver, format, usage, ..; the extent is the image's
    std::string pattern;   ///< an id or its beginning, or "linear", in place of a device
    std::string layout;    ///< a file with an image layout or a layout object, or what `solve --json` printed
    std::optional<uint32_t> levels, layers, samples;         ///< 1, or as the file of the layout has it
    std::string type;                                        ///< 1D, 2D, 3D; empty: 3D with a depth over 1
    std::string flags;                                       ///< of the image's creation
    bool assume = false;                                     ///< convert by what was not observed of this very image
    std::optional<uint64_t> constant;                        ///< c of the address model
    std::optional<uint64_t> base, pitch, layer_stride;       ///< bytes
    std::array<std::optional<uint64_t>, axis_count> stride;  ///< bytes from tile to tile
};

/// Adds --gpu, --pattern, --layout, --format, --extent, --levels, --layers, --samples, --image-type, --base, --pitch, --stride-x, ..
void add_image_options(CLI::App& command, ImageOptions& options);

struct FoundImage {
    ImageLayout image;
    std::vector<std::string> assumed;  ///< one line each; empty where all was observed or given
};

/// An image layout that a file has is taken as it is. An image of which all subresources were observed, of that very
/// extent, levels, layers and samples, lies as it did there: its source is `probed`. Of others, those subresources that were
/// observed lie as they did there, and the rest is laid out like the observed image that comes nearest to their size: with
/// its strides if it has that very size, else with tiles one after another. Levels then follow one another, each at a
/// multiple of its tile, and layers at a multiple of the first level's tile. All but the first is an assumption; what the
/// options say outright is none. A usage that nobody has probed is answered by another one, assumed. Throws Error or UsageError: nothing known, several possibilities (which), or two elements
/// that would share a byte.
FoundImage find_image(const Globals& globals, const ImageOptions& options);

/// The same by these observations of the format and usage, and by these rules, in place of the database; of an image of
/// which the options say no strides. `of_another`: why they may be another chip's, or driver version's; empty where they
/// are not.
FoundImage find_image(std::vector<db::ObservationRow> rows, const std::vector<db::ImageRuleRow>& rules,
                      const ImageOptions& options, const std::string& of_another);

/// Says of the image what was assumed of it, if anything.
void mark_assumed(ImageLayout& image, const std::vector<std::string>& assumed);

/// Throws Error that lists the assumptions, where there are any and the options do not allow them.
void require_allowed(const FoundImage& found, const ImageOptions& options);
/// Says them on stderr; no option silences that.
void tell_assumptions(const FoundImage& found);

}  // namespace tilewise
