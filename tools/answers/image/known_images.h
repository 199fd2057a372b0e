// Images that were observed, of which the one that is asked for may be one, or like one.
#pragma once
#include "db/facts/observation.h"
#include "tools/answers/answer.h"
#include "tools/answers/image/image_question.h"
#include <vector>

namespace tilewise {

/// The observed images of which a subresource may be like, and the question.
struct KnownImages {
    const ImageQuestion& question;
    ImageShape asked;
    std::vector<db::ObservationRow> rows;
};

/// Those of images of that many samples, those flags and that type; or that there are none.
Answer<std::vector<db::ObservationRow>> of_asked_kind(std::vector<db::ObservationRow> rows,
                                                      const ImageQuestion& question, const ImageShape& asked);

/// This very subresource of an image of this very kind; none where nobody looked. Throws UsageError where there are
/// several.
const db::ObservationRow* observed(const KnownImages& known, uint32_t level, uint32_t layer);

/// Whether level 0 is laid out in a mode that is called so (db::is_called); true where none is asked for.
bool has_mode(const ImageLayout& image, const std::string& mode);

/// The image of this very kind, all of which was observed, in the mode that is asked for; none where nobody looked. Throws Error for observations that
/// contradict each other, UsageError where images of several devices, drivers or usages differ.
std::optional<ImageLayout> probed_image(const KnownImages& known);

/// The layout of the observed image nearest in size, for a level of the image that is asked for.
struct NearestLayout {
    Layout layout;
    std::string image, like;  ///< this one, and the one whose layout it is
};
NearestLayout nearest_layout(const KnownImages& known, uint32_t level);

/// Throws UsageError that lists them.
[[noreturn]] void fail_by_choices(const std::vector<std::string>& choices);

}  // namespace tilewise
