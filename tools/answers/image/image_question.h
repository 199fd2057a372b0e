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
    std::optional<ImageType> type;                    ///< none: 3D with a depth over 1
    std::string flags;                                ///< of the image's creation
    bool assume = false;                              ///< convert by what was not observed of this very image
    std::optional<uint64_t> constant;                 ///< c of the address model
    std::optional<uint64_t> base, pitch, layer_stride;       ///< bytes
    std::array<std::optional<uint64_t>, axis_count> stride;  ///< bytes from tile to tile

    /// Whether the layout is said outright, so that no database is needed.
    bool is_given() const { return layout.has_value() || pattern == "linear"; }
};

/// Of the image that is asked for. Throws UsageError: no extent, or an image that there cannot be.
ImageShape asked_shape(const ImageQuestion& question);

/// That image, by Vulkan's names. Throws UsageError likewise, and for a format that is not known.
ImageKind asked_kind(const ImageQuestion& question);

/// Whether images of the type are asked for: where the question says of none, those of 1D and 2D are alike.
bool is_asked_type(const ImageQuestion& question, const ImageShape& asked, ImageType type);

/// Throws UsageError where the question says of nothing, or twice, how the image is laid out.
void require_one_way(const ImageQuestion& question);

/// Vulkan's name of the format; empty for none. Throws UsageError for one that is not known.
std::string format_name_of(const std::string& format);

/// The element of the format; of no bytes for none.
Element element_of_format(const std::string& format);

/// Throws UsageError where the pattern's elements have another size than the format's; an element of no bytes fits all.
void check_element(const Pattern& pattern, const Element& wanted, const std::string& format);

}  // namespace tilewise
