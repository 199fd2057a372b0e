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
    ImageKind asked;
    std::vector<db::ObservationRow> rows;
};

/// Those of images of that many samples, those flags and that type; or that there are none.
Answer<std::vector<db::ObservationRow>> of_asked_kind(std::vector<db::ObservationRow> rows,
                                                      const ImageQuestion& question, const ImageShape& asked);

/// Observations of images of this very kind. A pattern is that of many formats.
std::vector<const db::ObservationRow*> same_images(const KnownImages& known);

/// The first of the rows, which are to have one pattern and, with `strides`, one place in memory. Throws UsageError
/// that lists which there are.
const db::ObservationRow& only_one(const std::vector<const db::ObservationRow*>& rows, bool strides);

/// This very subresource among the same images; none where nobody looked. Throws UsageError where there are several.
const db::ObservationRow* observed(std::vector<const db::ObservationRow*> same, uint32_t level, uint32_t layer);

/// The image of this very kind, all of which was observed, in the mode that is asked for; none where nobody looked.
/// Throws Error for observations that contradict each other, UsageError where images of several devices, drivers or
/// usages differ.
std::optional<ImageLayout> probed_image(const KnownImages& known);

/// Throws UsageError that lists them.
[[noreturn]] void fail_by_choices(const std::vector<std::string>& choices);

}  // namespace tilewise
