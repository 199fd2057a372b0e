// What a question says outright of how an image is laid out: by a file, as linear rows, or by strides.
#pragma once
#include "patterns/convert/convert.h"
#include "tools/answers/image/image_question.h"

namespace tilewise {

/// The options by which strides are said, by axis: for messages.
inline constexpr const char* stride_options[] = {"--stride-x", "--stride-y", "--stride-z"};

struct GivenLayout {
    std::optional<ImageLayout> image;  ///< all of it
    Layout layout;                     ///< else of level 0
    std::string assumed;               ///< why it may be another image's; empty where it is this one's
};

/// None where the database is to be asked. Throws Error or UsageError for a file that is no layout, or one of another
/// element.
std::optional<GivenLayout> given_layout(const ImageQuestion& question, const ImageShape& asked);

/// A file says what image it is of; the question may say so, too. Throws UsageError where they differ, or where the
/// question says strides besides.
void check_said_alike(const ImageQuestion& question, const ImageLayout& image);

/// Puts in what the question says of pitch, strides and constant. Throws UsageError: beyond 64 bits, or an axis of
/// several tiles without a stride.
void apply_strides(const ImageQuestion& question, Layout& layout, const Coord& extent);

/// Whether the question says of each axis how far apart its tiles are.
bool strides_are_given(const ImageQuestion& question, const Pattern& pattern, const Coord& extent);

/// The elements of whole tiles that cover the extent.
Box whole_tiles(const Pattern& pattern, const Coord& extent);

}  // namespace tilewise
