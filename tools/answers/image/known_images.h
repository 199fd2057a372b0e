// Observed images: the asked image may be one of them, or like one of them.
#pragma once
#include "db/facts/observation.h"
#include "tools/answers/answer.h"
#include "tools/answers/image/image_question.h"
#include <vector>

namespace tilewise {

/// The question, and the observed images that the asked image's subresources may be like.
struct KnownImages {
    const ImageQuestion& question;
    ImageKind asked;
    std::vector<db::ObservationRow> rows;
};

/// The rows for images of the asked number of samples, flags and type; or a refusal that says that there are none.
Answer<std::vector<db::ObservationRow>> of_asked_kind(std::vector<db::ObservationRow> rows,
                                                      const ImageQuestion& question, const ImageShape& asked);

/// Observations of images of this very kind. If a pattern is asked for, they may be of any format.
std::vector<const db::ObservationRow*> same_images(const KnownImages& known);

/// The first of the rows. Throws UsageError that lists the choices unless all have the same pattern and, with
/// `strides`, the same place in memory.
const db::ObservationRow& only_one(const std::vector<const db::ObservationRow*>& rows, bool strides);

/// This very subresource among the same images; none if nobody observed it. Throws UsageError if there are several.
const db::ObservationRow* observed(std::vector<const db::ObservationRow*> same, uint32_t level, uint32_t layer);

/// The image of this very kind and in the asked mode, every subresource of which was observed; none if there is none.
/// Throws Error for observations that contradict each other, UsageError if images of several devices, drivers or usages
/// differ.
std::optional<ImageLayout> probed_image(const KnownImages& known);

/// Throws UsageError that lists the choices.
[[noreturn]] void fail_by_choices(const std::vector<std::string>& choices);

}  // namespace tilewise
