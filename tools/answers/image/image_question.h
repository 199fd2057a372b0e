// A question about one whole image: whose it is, which one, and what is said outright of how it is laid out.
#pragma once
#include "tools/answers/question.h"
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tilewise {

/// What a file says of a layout: an image layout, a layout object, or what the solver says of a table.
struct LayoutFile {
    std::string name;  ///< for messages
    nlohmann::json json;
};

struct ImageQuestion {
    Question about;                                   ///< device, driver, format, usage, ..; the extent is the image's
    std::string pattern;                              ///< an id or its beginning, or "linear", in place of a device
    std::optional<LayoutFile> layout;                 ///< in place of both
    std::optional<uint32_t> levels, layers, samples;  ///< 1, or as the file of the layout has it
    std::string type;                                 ///< 1D, 2D, 3D; empty: 3D with a depth over 1
    std::string flags;                                ///< of the image's creation
    bool assume = false;                              ///< convert by what was not observed of this very image
    std::optional<uint64_t> constant;                 ///< c of the address model
    std::optional<uint64_t> base, pitch, layer_stride;       ///< bytes
    std::array<std::optional<uint64_t>, axis_count> stride;  ///< bytes from tile to tile

    /// Whether the layout is said outright, so that no database is needed.
    bool is_given() const { return layout.has_value() || pattern == "linear"; }
};

/// The image that is asked for, checked.
struct AskedImage {
    Extent_px extent = {1, 1, 1};
    uint32_t levels = 1, layers = 1, samples = 1;
    std::string type;  ///< empty: 3D with a depth over 1, else 2D or 1D
};

/// Throws UsageError: no extent, or an image that there cannot be.
AskedImage wanted_image(const ImageQuestion& question);

/// Throws UsageError where the question says of nothing, or twice, how the image is laid out.
void require_one_way(const ImageQuestion& question);

/// Vulkan's name of the format; empty for none. Throws UsageError for one that is not known.
std::string format_name_of(const std::string& format);

/// The element of the format; of no bytes for none.
Element element_of_format(const std::string& format);

/// Throws UsageError where the pattern's elements have another size than the format's; an element of no bytes fits all.
void check_element(const Pattern& pattern, const Element& wanted, const std::string& format);

}  // namespace tilewise
