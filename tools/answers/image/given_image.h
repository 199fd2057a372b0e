// An image whose layout the question gives: by a file, as linear rows, or by strides.
#pragma once
#include "tools/answers/image/image_answer.h"
#include "tools/answers/image/image_question.h"

namespace tilewise {

/// The image that the question's file has, as it is.
FoundImage image_in_file(const LayoutFile& file);

/// The layout of the pattern that the question says outright, of its image's elements where it says of an extent. Throws
/// UsageError where the format's elements are not those of a pattern that was kept.
Layout layout_said_by(const ImageQuestion& question);

/// Level 0 lies as the file or the question says, and smaller levels in the same pattern behind it. Throws UsageError
/// where the elements are other ones.
FoundImage image_by_layout(const ImageQuestion& question, const ImageKind& asked);

}  // namespace tilewise
