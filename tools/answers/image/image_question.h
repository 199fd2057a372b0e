// A question about one whole image: whose it is, which one, and what is said outright of how it is laid out.
#pragma once
#include "patterns/convert/assemble.h"
#include "tools/answers/image/said_pattern.h"
#include "tools/answers/question.h"
#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace tilewise {

/// What a file says of a layout: an image layout, a layout object, or what the solver says of a table.
struct LayoutFile {
    std::string name;                                  ///< for messages
    std::optional<ImageLayout> image;                  ///< all of it
    Layout layout;                                     ///< else of level 0 of an image
    std::optional<std::array<uint64_t, 3>> extent_el;  ///< of that image, where the file says of it
};

/// Reads the file, whose text was JSON. Throws Error for what is no layout.
LayoutFile layout_file(const std::string& name, const nlohmann::json& json);

struct ImageQuestion {
    Question about;                                   ///< device, driver, format, usage, ..; the extent is the image's
    std::string pattern;                              ///< an id or its beginning, or "linear", in place of a device
    std::optional<LayoutFile> layout;                 ///< in place of both
    std::string equation;                             ///< likewise
    uint32_t element_bytes = 0;                       ///< where the question names no format; 0: it does not say
    std::optional<SaidPattern> said;                  ///< what read_said_pattern() made of these
    std::optional<uint32_t> levels, layers, samples;  ///< 1, or as the file of the layout has it
    std::optional<ImageType> type;                    ///< none: 3D with a depth over 1
    std::string flags;                                ///< of the image's creation
    bool assume = false;                              ///< convert by what was not observed of this very image
    std::optional<uint64_t> base;                     ///< bytes
    SaidStrides strides;

    /// Whether the layout is said outright, so that no database is needed.
    bool is_given() const { return layout.has_value() || said.has_value() || pattern == "linear"; }
};

/// The options by which strides are said, by axis: for messages.
inline constexpr const char* stride_options[] = {"--stride-x", "--stride-y", "--stride-z"};

/// Whether a pattern is said outright, by an equation, a modifier or a mode's definition, and no device is named.
bool says_pattern(const ImageQuestion& question);

/// Takes the pattern that was kept under the name which the question has in place of a pattern's id, if one was.
void take_kept_pattern(ImageQuestion& question, const db::Database& database);

/// The question with the pattern that it says outright, if it does; then with that mode or modifier of a device's
/// images. Throws UsageError for what cannot be said together.
ImageQuestion read_said_pattern(ImageQuestion question);

/// The image that is asked for, by Vulkan's names; where a file has all of an image, that one. Throws UsageError: no
/// extent, an image that there cannot be, a format that is not known, or another image than the file's.
ImageKind asked_kind(const ImageQuestion& question);

/// Whether images of the type are asked for: where the question says of none, those of 1D and 2D are alike.
bool is_asked_type(const ImageQuestion& question, const ImageShape& asked, ImageType type);

/// Throws UsageError where the question says of nothing, or twice, how the image is laid out.
void require_one_way(const ImageQuestion& question);

/// Throws UsageError where the pattern's elements have another size than the format's, which is called so; an element
/// of no bytes fits all.
void check_element(const Pattern& pattern, const Element& wanted, const std::string& format);

/// Throws UsageError for strides with which no image lies.
[[noreturn]] void fail_by_strides(const StrideFault& fault);

}  // namespace tilewise
