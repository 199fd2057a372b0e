// A question about one whole image: whose it is, which one, and what is given about its layout.
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

/// A layout from a file: an image layout, a layout object, or the solver's output for a table.
struct LayoutFile {
    std::string name;                                  ///< the whole image, if the file has it
    std::optional<ImageLayout> image;                  ///< for messages
    Layout layout;                                     ///< else: the layout of level 0 of an image
    std::optional<std::array<uint64_t, 3>> extent_el;  ///< the extent of that image, if the file states it
};

/// Reads a layout from the parsed JSON text of the file `name`. Throws Error if it is no layout.
LayoutFile layout_file(const std::string& name, const nlohmann::json& json);

struct ImageQuestion {
    Question about;                                   ///< device, driver, format, usage, ..; the extent is the image's
    std::string pattern;                              ///< an id or its beginning, or "linear", in place of a device
    std::optional<LayoutFile> layout;                 ///< a layout, in place of a device and a pattern
    std::string equation;                             ///< an equation, likewise
    uint32_t element_bytes = 0;                       ///< if the question names no format; 0 if it does not say
    std::optional<SaidPattern> said;                  ///< what read_said_pattern() made of the fields above
    std::optional<uint32_t> levels, layers, samples;  ///< none: 1, or the number in the layout's file
    std::optional<ImageType> type;                    ///< none: 3D if the depth exceeds 1
    std::string flags;                                ///< the flags that the image is created with
    bool assume = false;                              ///< convert even by what was not observed on this very image
    std::optional<uint64_t> base;                     ///< bytes
    SaidStrides strides;

    /// Whether the question gives the layout itself, so that no database is needed.
    bool is_given() const { return layout.has_value() || said.has_value() || pattern == "linear"; }
};

/// The options for strides, by axis: for messages.
inline constexpr const char* stride_options[] = {"--stride-x", "--stride-y", "--stride-z"};

/// Whether the question gives a pattern, by an equation, a modifier or a mode's definition, and names no device.
bool says_pattern(const ImageQuestion& question);

/// If the question has, in place of a pattern's id, the name of a kept pattern, takes that pattern.
void take_kept_pattern(ImageQuestion& question, const db::Database& database);

/// Returns the question with the pattern that it gives, if any; else with the mode or modifier as a condition on a
/// device's images. Throws UsageError for options that exclude each other.
ImageQuestion read_said_pattern(ImageQuestion question);

/// The image that is asked for, by Vulkan's names; if a file describes a whole image, that one. Throws UsageError if
/// the extent is missing, if there can be no such image, if the format is not known, or if it is not the file's image.
ImageKind asked_kind(const ImageQuestion& question);

/// Whether `type` is asked for: if the question names no type, 1D and 2D images both match a question about either.
bool is_asked_type(const ImageQuestion& question, const ImageShape& asked, ImageType type);

/// Throws UsageError if the question says nothing about the layout, or gives it twice.
void require_one_way(const ImageQuestion& question);

/// Throws UsageError if the pattern's elements have another size than those of `format`; a wanted element of 0 bytes
/// fits all.
void check_element(const Pattern& pattern, const Element& wanted, const std::string& format);

/// Throws UsageError that says why no image can have these strides.
[[noreturn]] void fail_by_strides(const StrideFault& fault);

}  // namespace tilewise
