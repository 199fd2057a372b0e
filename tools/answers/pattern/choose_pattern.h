// One pattern for a device and a format, out of all that were seen there.
#pragma once
#include "db/query/query.h"
#include "tools/answers/gpu/gpu.h"
#include "tools/answers/image/find_image.h"
#include <tuple>

namespace tilewise {

struct ChosenPattern {
    std::string id;
    db::ObservationRow image;             ///< the largest image, in texels, that has the pattern
    std::vector<std::string> extents;     ///< of the images that have it and match, from the smallest to the largest
    std::vector<std::string> devices;     ///< "NVIDIA H200 (NVIDIA 580.159.04)", each once
    std::vector<std::string> provenance;  ///< each once
    uint64_t observations = 0;
    size_t others = 0;  ///< patterns that smaller images have, or images with depth, levels or samples
};

/// Where a question about a pattern is answered: with the newest version of the driver that has images there, and by a
/// format alike where nobody has probed the asked one. Throws Error as ask() and take_alike_format() do.
struct PatternScope {
    Scope scope;
    std::string alike;  ///< take_alike_format()'s text
};
PatternScope ask_pattern(const db::Database& database, const ImageQuestion& question);
/// Likewise, of what ask() found.
PatternScope pattern_scope(const db::Database& database, Scope scope, const ImageQuestion& question);

/// Sets the format to R8G8B8A8_UNORM where the filter says of devices and of no format, extent, mode or pattern, and
/// images of it were read there: what people look at first. Returns whether it did.
bool take_usual_format(const db::Database& database, db::Filter& filter);
std::string usual_format_text(const db::Filter& filter);  ///< that it did, one line

/// That other images have other patterns, and how to ask for them, one line; empty where none has.
std::string others_text(const ChosenPattern& chosen, bool has_extent);

/// The greater, the plainer an image: one sample before several, without flags before with them, depth or the first
/// plane before other aspects, the first level and layer before others, one level and layer in 2D before more of them;
/// then the larger ones.
using PlainRank = std::tuple<bool, bool, bool, bool, bool, uint64_t>;
PlainRank plain_rank(const db::ObservationFact& fact);

/// A pattern has no image size: of the rows that have it, the plainest image of one aspect, and of those the largest,
/// shows the most of it. Null where none has it.
const db::ObservationRow* plainest_image(const std::vector<db::ObservationRow>& rows, std::string_view pattern);

/// The format's name; of one that has several, with the aspect: "D32_SFLOAT_S8_UINT (depth)".
std::string format_text(const db::ObservationFact& fact);

/// The rows that a reader means who says nothing of samples, flags, levels, layers and depth: one sample rather
/// than several, and so on in this order.
std::vector<db::ObservationRow> plainest(std::vector<db::ObservationRow> rows);

/// The pattern of the largest image that matches; images without depth, levels, layers and samples come first. Throws
/// Error where nothing matches (what is there instead) and where the first aspect of such images has no pattern, UsageError where the largest images of several devices,
/// drivers, formats or usages have different patterns (which).
ChosenPattern choose_pattern(const db::Database& database, const db::Filter& filter);

/// What find_image() says of an extent of which nobody observed an image with the question's flags there; none where
/// somebody did, where it says nothing and images with others were observed, or the question names no image.
std::optional<FoundImage> find_unobserved(const db::Database& database, const db::Filter& filter,
                                          const ImageQuestion& question);

/// The pattern of that image's level 0, as that of an image of the device which the filter names.
ChosenPattern pattern_of(const FoundImage& found, const db::Database& database, db::Filter filter);

}  // namespace tilewise
