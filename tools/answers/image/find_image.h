// Where the subresources of one image lie, from what is known about a device or a pattern; and what had to be assumed.
#pragma once
#include "db/facts/image_rule.h"
#include "db/facts/observation.h"
#include "db/sqlite/database.h"
#include "tools/answers/answer.h"
#include "tools/answers/image/image_answer.h"
#include "tools/answers/image/image_question.h"
#include <span>
#include <string>
#include <vector>

namespace tilewise {

/// What is known about a device with a driver.
struct DeviceKnowledge {
    /// Observations of images of the asked format and usage, or why there are none.
    Answer<std::vector<db::ObservationRow>> rows = {};
    std::span<const db::ImageRuleRow> rules = {};
    std::string of_another = {};  ///< why the facts may be another chip's or driver version's; empty if they are not
    /// The image as it follows from rules for other images: if the question is about several planes or aspects, from
    /// rules for single ones or for elements as large as all of them together; or from rules for images without flags.
    std::optional<FoundImage> derived = {};
    std::string why_opaque = {};  ///< which aspect of such images has no layout, and why; empty if each has one
};

/// If every subresource of an image with this extent, levels, layers and samples was observed, the answer is that
/// observation (`probed`). Otherwise, the subresources that were observed lie as observed, and the rest is laid out
/// like the observed image that is nearest in size: with its strides if it has exactly that size, else with tiles one
/// after another. Levels then follow one another, each at a multiple of its tile, and layers at a multiple of the first
/// level's tile. Everything but the first case is an assumption, except what the question itself states. A usage that
/// nobody has probed is answered by another usage, as an assumption. There is no answer if nothing is known, if there
/// are several possibilities (which the refusal lists), or if two elements would share a byte.
Answer<FoundImage> find_image(const ImageQuestion& question, const db::Database& database);

/// Answers from what is known about one device. If the question gives the layout, nothing needs to be known: a file's
/// image layout is taken as it is, and a plain layout is that of level 0.
Answer<FoundImage> find_image(const ImageQuestion& question, const DeviceKnowledge& knowledge);

}  // namespace tilewise
