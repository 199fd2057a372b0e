// An image whose layout the question gives: in a file, as linear rows, or by strides.
#pragma once
#include "tools/answers/image/image_answer.h"
#include "tools/answers/image/image_question.h"

namespace tilewise {

/// The image in the question's file, unchanged.
FoundImage image_in_file(const LayoutFile& file);

/// The layout of the pattern that the question states; for the image's extent if the question has one. Throws
/// UsageError if the format's elements are not those of a kept pattern.
Layout layout_said_by(const ImageQuestion& question);

/// Level 0 lies as the file or the question says, and smaller levels follow it in the same pattern. Throws UsageError
/// if the elements differ.
FoundImage image_by_layout(const ImageQuestion& question, const ImageKind& asked);

}  // namespace tilewise
