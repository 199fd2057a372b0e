// Where the subresources of one image lie, by what is known of a device or a pattern; and what had to be assumed.
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

/// What is known of a device with a driver.
struct DeviceKnowledge {
    /// Those of images of the format and usage that are asked for, or why there are none.
    Answer<std::vector<db::ObservationRow>> rows = {};
    std::span<const db::ImageRuleRow> rules = {};
    std::string of_another = {};  ///< why they may be another chip's, or driver version's; empty where they are not
    /// As it follows from rules of other images: of one plane or aspect each, or of elements as large as all of them,
    /// where the question is about several; or without flags.
    std::optional<FoundImage> derived = {};
    std::string why_opaque = {};  ///< which aspect of such images has no layout, and why; empty where each has one
};

/// An image of which all subresources were observed, of that very extent, levels, layers and samples, lies as it did
/// there: its source is `probed`. Of others, those subresources that were observed lie as they did there, and the rest
/// is laid out like the observed image that comes nearest to their size: with its strides if it has that very size,
/// else with tiles one after another. Levels then follow one another, each at a multiple of its tile, and layers at a
/// multiple of the first level's tile. All but the first is an assumption; what the question says outright is none. A
/// usage that nobody has probed is answered by another one, assumed. There is no answer where nothing is known, where
/// there are several possibilities (which), or where two elements would share a byte.
Answer<FoundImage> find_image(const ImageQuestion& question, const db::Database& database);

/// The same by what is known of one device. Where the question gives the layout, nothing needs to be known: an image
/// layout that a file has is taken as it is, and a layout is that of level 0.
Answer<FoundImage> find_image(const ImageQuestion& question, const DeviceKnowledge& knowledge);

}  // namespace tilewise
